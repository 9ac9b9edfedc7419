#include "wrappers/gradient_edges.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

namespace aotscope::torch {

void GradientEdges::remember(Place& place, const at::Tensor& argument, const NodePtr& node) {
    if (place.accumulator && place.accumulator == node) {
        return;
    }
    place.accumulator = {};
    if (!argument.is_leaf()) {
        place.leaf = LeafReference(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>());
        return;
    }
    const auto before = place.leaf.lock();
    if (before.get() == argument.unsafeGetTensorImpl()) {
        place.accumulator = node;
    } else {
        place.leaf = LeafReference(argument.getIntrusivePtr());
    }
}

::torch::autograd::edge_list GradientEdges::of(const Values& arguments) {
    ::torch::autograd::edge_list edges(arguments.size());
    m_places.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const c10::IValue& argument = arguments[i];
        if (argument.isTensor() && argument.toTensor().defined() && argument.toTensor().requires_grad()) {
            edges[i] = ::torch::autograd::impl::gradient_edge(argument.toTensor());
            remember(m_places[i], argument.toTensor(), edges[i].function);
        } else {
            m_places[i] = {};
        }
    }
    return edges;
}

} // namespace aotscope::torch
