#include "torch_option.h"

#include "aot/versions/versions.h"

namespace aotscope::cli {

void addTorchOption(Command command, std::optional<aot::TorchVersion>& torch, const std::string& help) {
    const auto take = [&torch](const std::string& text) -> std::optional<base::Error> {
        auto version = aot::chosenVersion(text);
        if (!version) {
            return version.error();
        }
        torch = *version;
        return std::nullopt;
    };
    command.addOption("--torch", take, help + " (" + aot::knownVersionsText() + ")");
}

Json rulesJson(const aot::RulesChoice& rules) {
    return {{"torch", aot::torchVersionText(aot::rulesVersion(rules.release()))},
            {"made_by", aot::torchVersionText(rules.logged)},
            {"chosen", rules.chosen ? Json(aot::torchVersionText(*rules.chosen)) : Json(nullptr)},
            {"text", rules.text()}};
}

} // namespace aotscope::cli
