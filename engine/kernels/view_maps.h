#pragma once

#include "kernels/graph_facts.h"

#include <optional>

/// Views: operators whose result is its operand's memory with other sizes and strides.
namespace aotscope::kernels {

/// Whether the call returns memory of its first operand, so that it has no kernel. Not for `getitem`.
[[nodiscard]] bool isView(const OpCall& call);

/// A view's operand, and where in it an element lies.
struct ViewedElement {
    TensorName tensor;
    Coordinates coordinates;
};

/// The element of the operand that the view has at these coordinates (`result` of those that return several:
/// split, unbind). Nothing: the view is not of the kinds that are known to keep elements apart from memory
/// (as_strided), or a number in it is unknown.
[[nodiscard]] std::optional<ViewedElement> viewedElement(const OpCall& call, std::size_t result,
                                                         const Coordinates& coordinates);

} // namespace aotscope::kernels
