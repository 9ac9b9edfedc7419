#include "torch_option.h"

#include "aot/versions/versions.h"

namespace aotscope::cli {

void addTorchOption(Command command, std::optional<aot::TorchVersion>& torch, const std::string& help) {
    const auto take = [&torch](const std::string& text) -> std::optional<base::Error> {
        AOTSCOPE_TRY(version, aot::chosenVersion(text));
        torch = version;
        return std::nullopt;
    };
    command.addOption("--torch", take, help + " (" + aot::knownVersionsText() + ")");
}

RulesUsed rulesUsed(const aot::RulesChoice& rules) {
    return {aot::torchVersionText(aot::rulesVersion(rules.release())), aot::torchVersionText(rules.logged),
            rules.chosen ? std::optional(aot::torchVersionText(*rules.chosen)) : std::nullopt, rules.text()};
}

} // namespace aotscope::cli
