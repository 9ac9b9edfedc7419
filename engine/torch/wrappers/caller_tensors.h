#pragma once

#include "torch_headers.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// The tensors that belong to the caller of a compiled function.
struct CallerTensors {
    /// Names of the arguments.
    std::vector<std::string> names;
    /// Those that are no tensors are undefined.
    std::vector<at::Tensor> arguments;
    /// Leaves that gradients go to; one that is an argument appears there too.
    std::vector<at::Tensor> leaves;
    std::vector<std::string> leafNames;
    /// The caller itself writes to them between calls, as an optimizer does.
    bool writesBetweenCalls = false;
};

} // namespace aotscope::torch
