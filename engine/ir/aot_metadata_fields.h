#pragma once

#include "ir/aot_metadata.h"

#include <array>

/// Names of PyTorch's fields (torch 2.11 and 2.15, torch/_functorch/_aot_autograd/schemas.py), for the
/// reading, writing and comparing of metadata.
namespace aotscope::ir::detail {

struct InputField {
    const char* name;
    bool InputAliasInfo::*member;
};
inline constexpr std::array<InputField, 9> inputFields = {{
    {"is_leaf", &InputAliasInfo::isLeaf},
    {"mutates_data", &InputAliasInfo::mutatesData},
    {"mutates_metadata", &InputAliasInfo::mutatesMetadata},
    {"mutations_hidden_from_autograd", &InputAliasInfo::mutationsHiddenFromAutograd},
    {"mutations_under_no_grad_or_inference_mode", &InputAliasInfo::mutationsUnderNoGradOrInferenceMode},
    {"mutation_inductor_storage_resize", &InputAliasInfo::mutationInductorStorageResize},
    {"mutates_storage_metadata", &InputAliasInfo::mutatesStorageMetadata},
    {"requires_grad", &InputAliasInfo::requiresGrad},
    {"keep_input_mutations", &InputAliasInfo::keepInputMutations},
}};
inline constexpr const char* shallowCopy = "mutation_is_shallow_copy_data";
inline constexpr const char* gradForBackward = "requires_grad_for_backward";
/// PyTorch's own record of the views is an object that is not read.
inline constexpr const char* views = "derived.views";
inline constexpr const char* tangentMetas = "subclass_tangent_meta";
inline constexpr const char* tangentSources = "tangent_source_stack_traces";
inline constexpr const char* collectiveInputs = "act_input_paths";
inline constexpr const char* backwardMutations = "indices_of_inputs_that_requires_grad_with_mutations_in_bw";

} // namespace aotscope::ir::detail
