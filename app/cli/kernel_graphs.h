#pragma once

#include "program.h"
#include "selection.h"

#include "contract/reference.h"
#include "contract/run_options.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A graph whose kernels are looked at, or why it is not there.
struct KernelGraph {
    std::string title;
    std::optional<session::ArtifactReference> reference;
    std::optional<base::Error> error;
    /// For the body of a higher-order operator, why the engine does not run it as a graph; empty: it does.
    std::string notRun = {};
};

/// The forward, backward and inference graphs of the files, or the graph that is named. Joint graphs without
/// logged halves are partitioned, and their halves are taken. Behind each graph come the bodies of its
/// higher-order operators, unless one section of it is named.
[[nodiscard]] std::vector<KernelGraph> kernelGraphs(Program& program, const GraphRequest& request);
/// "mlp.log_0_0_forward" of a graph's title: a name for a folder.
[[nodiscard]] std::string folderName(std::string title);

struct KernelCheckRequest {
    session::RunOptions run;
    std::filesystem::path out;
    bool showNodes = false;
    bool json = false;
};

/// Checks the fused kernels of the forward, backward and inference graphs of the files, or of the graph that
/// is named. Joint graphs without logged halves are partitioned first. Returns the exit code.
[[nodiscard]] int checkKernels(Program& program, const GraphRequest& graphs,
                               const KernelCheckRequest& request);

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
