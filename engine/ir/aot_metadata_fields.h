#pragma once

#include "ir/aot_metadata.h"

#include <array>

/// Names of PyTorch's fields (torch 2.11, torch/_functorch/_aot_autograd/schemas.py: InputAliasInfo), for
/// aot_metadata_json.cpp and aot_metadata_compare.cpp.
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
inline constexpr const char* backwardMutations = "indices_of_inputs_that_requires_grad_with_mutations_in_bw";

} // namespace aotscope::ir::detail
