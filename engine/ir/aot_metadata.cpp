#include "ir/aot_metadata.h"

namespace aotscope::ir {

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
