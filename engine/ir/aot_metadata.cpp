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

std::vector<std::size_t> ViewAndMutationMeta::inputsWith(MutationType type) const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < inputInfo.size(); ++i) {
        if (inputInfo[i].mutationType() == type) {
            indices.push_back(i);
        }
    }
    return indices;
}

} // namespace aotscope::ir
