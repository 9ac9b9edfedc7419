#pragma once

#include "kernels/compile_message.h"

#include "base/progress.h"
#include "base/result.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Kernels compiled for GPUs by NVRTC, NVIDIA's compiler as a library. It needs no GPU and no driver, and
/// comes in the PyPI wheel nvidia-cuda-nvrtc. It runs in a child process (aotscope-kernel-compiler), because
/// a text that a person edits can make it run forever, take all memory, or crash.
namespace aotscope::kernels {

/// Where NVRTC and the program that uses it are looked for.
struct NvrtcSearch {
    /// Folders and files that are tried first, after $AOTSCOPE_NVRTC. Then come the wheels beside the
    /// LibTorch that this program was built with, and what the system's loader finds.
    std::vector<std::filesystem::path> places;
    /// Empty: aotscope-kernel-compiler beside the library that holds this function.
    std::filesystem::path program;
};

/// One kernel for one architecture.
struct CudaRequest {
    /// Messages and line tables name `kernelFileName(name)`.
    std::string name;
    /// What a person reads and may have changed. Must not read files (file_directives.h).
    std::string source;
    /// What is compiled: a prelude, `#line 1 "NAME.cu"`, and the source. May include no file either: NVRTC
    /// has no include folders here, and brings none of CUDA's headers.
    std::string text;
    /// "sm_90"
    std::string architecture;
    /// Beside the architecture, line information and the assembler's words (cubin_facts.h).
    std::vector<std::string> options;
};

/// What became of a kernel's text.
struct CudaBuild {
    /// What the driver loads; empty: the text was refused, and `messages` say why.
    std::string cubin;
    std::string ptx;
    std::vector<CompileMessage> messages;
    /// As NVRTC wrote it.
    std::string log;
    double seconds = 0;

    [[nodiscard]] bool compiled() const { return !cubin.empty(); }
};

/// The build that the compiler's process answers with (compile_wire.h).
[[nodiscard]] CudaBuild buildOf(struct WireAnswer answer);

struct CudaCompileLimits {
    /// Per kernel.
    std::chrono::seconds time{60};
    /// Child processes at once; 0: half of the processors, at most four.
    std::size_t processes = 0;
    /// Address space of a child process.
    std::size_t memoryBytes = std::size_t{16} << 30U;
};

/// An NVRTC that was found. Copies share nothing that changes: several threads may compile at once.
class Nvrtc {
public:
    /// Errors: kernels.no_nvrtc (names the package and the command that installs it),
    /// kernels.no_compiler_program, session.canceled.
    [[nodiscard]] static base::Result<Nvrtc> find(const NvrtcSearch& search = {},
                                                  const base::Progress& progress = {});

    [[nodiscard]] const std::filesystem::path& library() const { return m_library; }
    /// "13.2"
    [[nodiscard]] const std::string& version() const { return m_version; }
    /// What it compiles for, ascending: "sm_75", "sm_80", … Variants such as "sm_90a" are accepted beside
    /// these.
    [[nodiscard]] const std::vector<std::string>& architectures() const { return m_architectures; }
    /// Error: kernels.no_architecture, which lists those that there are.
    [[nodiscard]] base::Result<void> accepts(std::string_view architecture) const;

    /// One build for each request, in their order. A text that is refused, takes too long, or crashes the
    /// compiler is no error of this function: its build says so. Reports "compiling kernels".
    /// Errors: session.canceled, kernels.no_architecture, kernels.compiler_failed (the program cannot be
    /// started or does not speak as it should).
    [[nodiscard]] base::Result<std::vector<CudaBuild>> compile(const std::vector<CudaRequest>& requests,
                                                               const CudaCompileLimits& limits = {},
                                                               base::Progress progress = {}) const;

private:
    std::filesystem::path m_program;
    std::filesystem::path m_library;
    std::string m_version;
    std::vector<std::string> m_architectures;
};

} // namespace aotscope::kernels
