#include "ir/aot_metadata.h"

#include <array>

namespace aotscope::ir {

std::string_view mutationTypeName(MutationType type) {
    constexpr std::array<std::string_view, 3> kNames = {"NOT_MUTATED", "MUTATED_IN_GRAPH",
                                                        "MUTATED_OUT_GRAPH"};
    return kNames[static_cast<std::size_t>(type)];
}

std::string_view outputTypeName(OutputType type) {
    constexpr std::array<std::string_view, 8> kNames = {"non_alias",
                                                        "alias_of_input",
                                                        "is_input",
                                                        "alias_of_intermediate_save_as_output",
                                                        "alias_of_intermediate",
                                                        "alias_of_intermediate_base_is_user_output",
                                                        "unsafe_view_alias",
                                                        "custom_function_view"};
    return kNames[static_cast<std::size_t>(type)];
}

MutationType InputAliasInfo::mutationType() const {
    if (!mutatesData && !mutatesMetadata && !mutationInductorStorageResize) {
        return MutationType::NotMutated;
    }
    if (!keepInputMutations) {
        return MutationType::MutatedOutGraph;
    }
    const bool inGraph = (mutatesData || mutatesStorageMetadata || mutationInductorStorageResize) &&
                         ((!mutatesMetadata && !requiresGrad) || mutationsHiddenFromAutograd ||
                          mutationsUnderNoGradOrInferenceMode);
    return inGraph ? MutationType::MutatedInGraph : MutationType::MutatedOutGraph;
}

std::vector<std::size_t> ViewAndMutationMeta::mutatedInputRuntimeIndices() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < inputInfo.size(); ++i) {
        if (inputInfo[i].mutationType() == MutationType::MutatedOutGraph) {
            indices.push_back(i);
        }
    }
    return indices;
}

std::vector<std::size_t> ViewAndMutationMeta::mutatedGraphHandledIndices() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < inputInfo.size(); ++i) {
        if (inputInfo[i].mutationType() == MutationType::MutatedInGraph) {
            indices.push_back(i);
        }
    }
    return indices;
}

} // namespace aotscope::ir
