#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>
#include <string>

namespace aotscope::torch {

/// The views that functionalization recorded between the memory of a functional tensor and the tensor
/// (`view_meta_sequence`), as the text of a graph with one input. Nothing for other tensors, and where a view
/// takes a symbolic size. Follows torch 2.15, torch/_functorch/_aot_autograd/functional_utils.py:
/// ViewMetaSequence, and schemas.py: ViewAndMutationMeta.make_runtime_safe.
[[nodiscard]] std::optional<std::string> viewSequence(const at::Tensor& functional,
                                                      ShapeEnvironment& environment);

} // namespace aotscope::torch
