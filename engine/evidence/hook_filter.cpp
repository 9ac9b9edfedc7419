#include "evidence/hook_filter.h"

#include <nlohmann/json.hpp>

namespace aotscope::evidence {

std::optional<passes::HookFilter> loggedHookFilter(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.artifactName(record) != "torch._functorch.config") {
            continue;
        }
        const auto config = nlohmann::json::parse(evidence.payload(record), nullptr, false);
        const auto mode =
            config.is_object() ? config.find("saved_tensors_hooks_filtering_mode") : config.end();
        if (mode != config.end() && mode->is_string()) {
            return passes::hookFilterFromName(mode->get<std::string>());
        }
    }
    return std::nullopt;
}

} // namespace aotscope::evidence
