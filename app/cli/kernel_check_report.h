#pragma once

#include "program.h"
#include "selection.h"

#include "contract/device_choice.h"

#include <cstdint>
#include <filesystem>

namespace aotscope::cli {

struct KernelCheckRequest {
    std::uint64_t seed = 0;
    session::DeviceChoice device = {};
    std::filesystem::path out;
    bool showNodes = false;
    bool json = false;
};

/// Checks the fused kernels of the forward, backward and inference graphs of the files, or of the graph that
/// is named. Joint graphs without logged halves are partitioned first. Returns the exit code.
[[nodiscard]] int checkKernels(Program& program, const GraphRequest& graphs,
                               const KernelCheckRequest& request);

} // namespace aotscope::cli
