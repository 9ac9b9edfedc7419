#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

/// Stand-ins for NVIDIA's driver and LibTorch's CUDA half, which work without a GPU (fake_driver.cpp,
/// fake_torch_cuda.cpp).
namespace aotscope::test {

inline std::string fakeDriver() {
    return AOTSCOPE_BINARY_DIR "/lib/libfake_cuda_driver.so";
}

/// Child processes that are started from now on find GPUs: as many as `devices`.
inline void pretendGpus(int devices) {
    setenv("AOTSCOPE_CUDA_DRIVER", fakeDriver().c_str(), 1);                            // NOLINT
    setenv("AOTSCOPE_TORCH_CUDA", AOTSCOPE_BINARY_DIR "/lib/libfake_torch_cuda.so", 1); // NOLINT
    setenv("FAKE_CUDA_DEVICES", std::to_string(devices).c_str(), 1);                    // NOLINT
}

/// In those, the nth wait for the GPU reports a wrong address, as do all later ones; 0: none does.
inline void failAtWait(int nth) {
    if (nth == 0) {
        unsetenv("FAKE_CUDA_FAILS"); // NOLINT
    } else {
        setenv("FAKE_CUDA_FAILS", std::to_string(nth).c_str(), 1); // NOLINT
    }
}

/// What they are given to do is written to that file, which is emptied: "launch NAME GRID BLOCK SHARED",
/// "operator NAME", "copy BYTES" (within the GPU), "fill BYTES", "record" (of an event). Empty: nowhere.
inline void logGpuWork(const std::filesystem::path& file) {
    if (file.empty()) {
        unsetenv("FAKE_CUDA_LOG"); // NOLINT
        return;
    }
    std::ofstream(file).flush();
    setenv("FAKE_CUDA_LOG", file.c_str(), 1); // NOLINT
}

/// An environment variable of the pretended GPUs for child processes that start while this lives.
class GpuSetting {
public:
    GpuSetting(std::string name, const std::string& value) : m_name(std::move(name)) {
        setenv(m_name.c_str(), value.c_str(), 1); // NOLINT
    }
    ~GpuSetting() { unsetenv(m_name.c_str()); } // NOLINT
    GpuSetting(const GpuSetting&) = delete;
    GpuSetting& operator=(const GpuSetting&) = delete;

private:
    std::string m_name;
};

} // namespace aotscope::test
