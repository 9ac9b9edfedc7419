#include "evidence/logged_backend.h"

#include "evidence/logged_config.h"

#include <string_view>

namespace aotscope::evidence {
namespace {

/// Whether AOTAutograd's configuration is Inductor's. Only Inductor removes effect tokens from its graphs,
/// and `aot_eager_decomp_partition`, which imitates Inductor and uses its decompositions.
bool isInductorsConfig(std::string_view config) {
    return config.find("\"unlift_effect_tokens\": true") != std::string_view::npos;
}

} // namespace

LoggedBackend loggedBackend(const LogEvidence& evidence) {
    const bool isOwnChoice = isUnliftingOfProcess(evidence);
    const bool isUntold = loggedConfig(evidence).untold.contains("unlift_effect_tokens");
    LoggedBackend backend;
    for (const load::RecordId record : evidence.after()) {
        const std::string name = evidence.artifactName(record);
        if (isInductorsRecord(evidence.kindName(record), name)) {
            return {.isInductor = true,
                    .table = aot::DecompositionTable::Inductor,
                    .rewritesJointGraph = true};
        }
        if (!isOwnChoice && name == "torch._functorch.config" &&
            isInductorsConfig(evidence.payload(record))) {
            backend = {.isInductor = true,
                       .isAssumed = isUntold,
                       .table = aot::DecompositionTable::Inductor,
                       .keepsInputMutations = false};
        }
    }
    return backend;
}

} // namespace aotscope::evidence
