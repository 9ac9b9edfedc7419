#pragma once

#include "aot/compiled_function.h"
#include "kernels/kernel_of_node.h"
#include "steps/call_record.h"

#include <optional>
#include <string>

namespace aotscope::torch {

/// Finds the fused kernels that the nodes of a call would be parts of. A call runs node by node: the kernels
/// only say what belongs together. Each half of the function is planned when its first node is looked up.
class EventKernels {
public:
    /// The function must outlive it.
    explicit EventKernels(const aot::CompiledFunction& function) : m_function(function) {}

    /// The kernel's name; empty: the event is no node, or no kernel computes it.
    [[nodiscard]] std::string of(const steps::CallEvent& event);

private:
    const aot::CompiledFunction& m_function;
    std::optional<kernels::KernelOfNode> m_forward;
    std::optional<kernels::KernelOfNode> m_backward;
};

} // namespace aotscope::torch
