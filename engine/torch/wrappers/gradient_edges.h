#pragma once

#include "wrappers/boxed_call.h"

#include <c10/core/TensorImpl.h>
#include <c10/core/UndefinedTensorImpl.h>
#include <c10/util/intrusive_ptr.h>

#include <torch/csrc/autograd/function.h>

#include <vector>

namespace aotscope::torch {

/// The edges from a function's autograd node to those of its arguments.
///
/// A leaf's accumulator lives only as long as somebody holds it, so a training loop would make and free one
/// for each parameter in each step. Those of leaves that come at the same place twice in a row are therefore
/// held, and their leaves with them, until another tensor comes there. They are held but never looked up
/// here: the edge is always what autograd finds for the tensor itself, also after its data were exchanged or
/// a new tensor got the memory of an old one.
class GradientEdges {
public:
    /// One per argument; arguments without gradient have none.
    [[nodiscard]] ::torch::autograd::edge_list of(const Values& arguments);

private:
    using NodePtr = decltype(::torch::autograd::Edge::function);
    using LeafReference = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

    /// What came at a place in the last call.
    struct Place {
        /// Set from the second time on.
        NodePtr accumulator;
        /// The leaf of the first time. Keeps no data alive.
        LeafReference leaf{c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>()};
    };
    static void remember(Place& place, const at::Tensor& argument, const NodePtr& node);

    std::vector<Place> m_places;
};

} // namespace aotscope::torch
