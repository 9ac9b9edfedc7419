#pragma once

#include "program.h"
#include "selection.h"

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::cli {

struct KernelCompileRequest {
    /// "sm_90"; empty: that of `device`.
    std::vector<std::string> architectures;
    /// Whose figures predict times (resources/device_figures.txt).
    std::string device = "H100";
    /// Texts, PTX, images and machine code go there; empty: nowhere.
    std::filesystem::path out;
    /// Looks into no cache and leaves nothing there.
    bool ignoresCache = false;
    bool json = false;
};

/// Writes a CUDA C++ kernel for each group of nodes that can be fused, compiles all with NVRTC, and says what
/// each needs of a multiprocessor and how long it takes at least. Needs neither a GPU nor LibTorch. Returns
/// the exit code.
[[nodiscard]] int compileKernels(Program& program, const GraphRequest& graphs,
                                 const KernelCompileRequest& request);

} // namespace aotscope::cli
