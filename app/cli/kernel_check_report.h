#pragma once

#include "program.h"
#include "selection.h"

#include "contract/run_options.h"

#include <filesystem>

namespace aotscope::cli {

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

} // namespace aotscope::cli
