#include "stepping/event_kernels.h"

namespace aotscope::torch {

std::string EventKernels::of(const steps::CallEvent& event) {
    const bool isBackward = event.kind == steps::EventKind::BackwardNode;
    if (!isBackward && event.kind != steps::EventKind::ForwardNode) {
        return {};
    }
    std::optional<kernels::KernelOfNode>& known = isBackward ? m_backward : m_forward;
    if (!known) {
        const ir::GraphPtr graph = isBackward ? m_function.backward() : m_function.forward();
        known =
            graph ? kernels::kernelsOfNodes(*graph, kernels::planFusion(*graph)) : kernels::KernelOfNode();
    }
    const auto found = known->find(event.title);
    return found == known->end() ? std::string() : found->second;
}

} // namespace aotscope::torch
