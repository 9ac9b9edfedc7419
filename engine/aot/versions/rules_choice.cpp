#include "aot/versions/rules_choice.h"

#include "aot/versions/versions.h"
#include "base/joined.h"

namespace aotscope::aot {

bool RulesChoice::isOwn() const {
    return rulesVersion(release()) == logged;
}

std::string RulesChoice::text() const {
    if (!chosen || *chosen == logged) {
        return rulesText(logged);
    }
    const TorchVersion nearest = rulesVersion(*chosen);
    std::string text = "rules of torch " + torchVersionText(nearest) + " (chosen";
    if (nearest != *chosen) {
        text += " for torch " + torchVersionText(*chosen) + ", whose own rules are not known";
    }
    return text + "; made by torch " + torchVersionText(logged) + ")";
}

std::string knownVersionsText() {
    return base::joined(knownVersions(), ", ", torchVersionText);
}

base::Result<TorchVersion> chosenVersion(std::string_view text) {
    if (const auto version = torchVersionFromText(text)) {
        return *version;
    }
    constexpr std::size_t longest = 40;
    return base::Error{.code = "aot.torch_version",
                       .message = "\"" + std::string(text.substr(0, longest)) + "\" is no release of torch.",
                       .hint = "Releases whose rules are known: " + knownVersionsText() +
                               ". Of another release the nearest older ones are taken."};
}

} // namespace aotscope::aot
