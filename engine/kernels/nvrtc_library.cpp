#include "kernels/nvrtc_library.h"

#include "base/mapped.h"

#include <dlfcn.h>
#include <link.h>

namespace aotscope::kernels {

/// What NVIDIA's header does not show either: it declares nvrtcProgram as a pointer to a struct.
struct NvrtcProgram;

namespace {

using Program = NvrtcProgram*;
/// nvrtcResult; 0 is success.
using Status = int;
constexpr Status compilationFailed = 6; // NVRTC_ERROR_COMPILATION

std::string pathOf(void* handle) {
    link_map* map = nullptr;
    return ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : "";
}

/// A text or an image; NVRTC reports its length first. A text ends with a zero, which is cut off.
std::string bytesOf(Program program, Status (*size)(Program, std::size_t*), Status (*get)(Program, char*),
                    bool isText) {
    std::size_t length = 0;
    if (size(program, &length) != 0 || length == 0) {
        return {};
    }
    std::string bytes(length, '\0');
    if (get(program, bytes.data()) != 0) {
        return {};
    }
    if (isText) {
        bytes.resize(bytes.find_last_not_of('\0') + 1);
    }
    return bytes;
}

} // namespace

/// Follows NVIDIA's nvrtc.h of CUDA 12 and 13.
struct NvrtcLibrary::Functions {
    Status (*version)(int*, int*) = nullptr;
    Status (*architectureCount)(int*) = nullptr;
    Status (*architectures)(int*) = nullptr;
    Status (*create)(Program*, const char*, const char*, int, const char* const*,
                     const char* const*) = nullptr;
    Status (*destroy)(Program*) = nullptr;
    Status (*compile)(Program, int, const char* const*) = nullptr;
    Status (*logSize)(Program, std::size_t*) = nullptr;
    Status (*log)(Program, char*) = nullptr;
    Status (*ptxSize)(Program, std::size_t*) = nullptr;
    Status (*ptx)(Program, char*) = nullptr;
    Status (*cubinSize)(Program, std::size_t*) = nullptr;
    Status (*cubin)(Program, char*) = nullptr;
    const char* (*errorText)(Status) = nullptr;

    /// The name of a function that the library does not have; empty: it has all.
    std::string load(void* handle) {
        std::string missing;
        const auto get = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(handle, name)); // NOLINT
            missing = function == nullptr && missing.empty() ? name : missing;
        };
        get(version, "nvrtcVersion");
        get(architectureCount, "nvrtcGetNumSupportedArchs");
        get(architectures, "nvrtcGetSupportedArchs");
        get(create, "nvrtcCreateProgram");
        get(destroy, "nvrtcDestroyProgram");
        get(compile, "nvrtcCompileProgram");
        get(logSize, "nvrtcGetProgramLogSize");
        get(log, "nvrtcGetProgramLog");
        get(ptxSize, "nvrtcGetPTXSize");
        get(ptx, "nvrtcGetPTX");
        get(cubinSize, "nvrtcGetCUBINSize");
        get(cubin, "nvrtcGetCUBIN");
        get(errorText, "nvrtcGetErrorString");
        return missing;
    }
};

base::Error nvrtcMissing() {
    return {
        .code = "kernels.no_nvrtc",
        .message = "NVRTC, which compiles kernels for GPUs, was not found.",
        .hint =
            "It is in a package of PyPI and needs neither a GPU nor a driver: pip install nvidia-cuda-nvrtc. "
            "Where it lies elsewhere, set AOTSCOPE_NVRTC to the folder that holds libnvrtc.so.13."};
}

base::Result<NvrtcLibrary> NvrtcLibrary::open(const std::vector<std::string>& candidates) {
    base::Error error = nvrtcMissing();
    for (const std::string& candidate : candidates) {
        void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            const char* why = ::dlerror(); // NOLINT(concurrency-mt-unsafe): of this thread
            error.notes.emplace_back(why == nullptr ? candidate : why);
            continue;
        }
        auto functions = std::make_shared<Functions>();
        const std::string missing = functions->load(handle);
        if (missing.empty()) {
            NvrtcLibrary library;
            library.m_functions = std::move(functions);
            library.m_path = pathOf(handle);
            // Never closed: NVRTC leaves threads and handlers behind.
            return library;
        }
        error.notes.push_back(candidate + " has no function " + missing + ".");
        ::dlclose(handle);
    }
    return error;
}

std::string NvrtcLibrary::version() const {
    int major = 0;
    int minor = 0;
    m_functions->version(&major, &minor);
    return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> NvrtcLibrary::architectures() const {
    constexpr int most = 1000;
    int count = 0;
    if (m_functions->architectureCount(&count) != 0 || count <= 0 || count > most) {
        return {};
    }
    std::vector<int> numbers(static_cast<std::size_t>(count));
    return m_functions->architectures(numbers.data()) == 0 ? numbers : std::vector<int>();
}

NvrtcAnswer NvrtcLibrary::compile(const std::string& text, const std::vector<std::string>& options) const {
    NvrtcAnswer answer;
    Program program = nullptr;
    Status status = m_functions->create(&program, text.c_str(), "prelude.h", 0, nullptr, nullptr);
    auto destroy = [this](Program made) { m_functions->destroy(&made); };
    const std::unique_ptr<NvrtcProgram, decltype(destroy)> owned(program, destroy);
    if (status != 0) {
        answer.failure = m_functions->errorText(status);
        return answer;
    }
    auto words = base::mapped(options, [](const std::string& option) { return option.c_str(); });
    status = m_functions->compile(program, static_cast<int>(words.size()), words.data());
    answer.log = bytesOf(program, m_functions->logSize, m_functions->log, true);
    if (status != 0) {
        answer.failure = status == compilationFailed ? "" : m_functions->errorText(status);
        return answer;
    }
    answer.ptx = bytesOf(program, m_functions->ptxSize, m_functions->ptx, true);
    answer.cubin = bytesOf(program, m_functions->cubinSize, m_functions->cubin, false);
    answer.compiled = !answer.cubin.empty();
    if (!answer.compiled) {
        answer.failure = "NVRTC made no cubin";
    }
    return answer;
}

} // namespace aotscope::kernels
