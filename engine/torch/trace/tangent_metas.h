#pragma once

#include "ir/aot_metadata.h"
#include "ir/graph.h"

#include <optional>
#include <vector>

namespace aotscope::torch {

/// PyTorch makes the metadata of a function without duplicates from that of the function with them: tangents
/// of mutated inputs, which come first, get one plain layout, and those of outputs keep their places among
/// all. Follows torch/_functorch/_aot_autograd/input_output_analysis.py: remove_dupe_metadata.
[[nodiscard]] std::vector<ir::TangentMeta>
tangentMetasWithoutDuplicates(const ir::ViewAndMutationMeta& before,
                              const std::vector<ir::AOTInput>& tangents);

/// The same for a function that takes synthetic bases: the tangents of mutated inputs are all at place 0, and
/// the others are taken over (input_output_analysis.py: create_synthetic_base_metadata).
[[nodiscard]] std::vector<ir::TangentMeta> tangentMetasWithBases(const ir::ViewAndMutationMeta& before,
                                                                 const ir::ViewAndMutationMeta& meta);

/// For each tangent the program line of its output; nothing if no output of the program has a tangent.
/// Follows torch 2.15, torch/_functorch/_aot_autograd/graph_capture.py: _extract_tangent_source_stack_traces,
/// which looks the outputs up among all that the joint graph returns.
[[nodiscard]] std::optional<std::vector<std::optional<ir::SourceLocation>>>
sourcesOfTangents(const ir::GraphContents& joint, const std::vector<ir::AOTInput>& tangents);

} // namespace aotscope::torch
