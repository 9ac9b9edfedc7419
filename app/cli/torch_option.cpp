#include "torch_option.h"

#include "aot/versions/versions.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace aotscope::cli {

void addTorchOption(CLI::App& command, std::optional<aot::TorchVersion>& torch, const std::string& help) {
    const auto take = [&torch](const std::string& text) {
        auto version = aot::chosenVersion(text);
        if (!version) {
            throw CLI::ValidationError("--torch", version.error().message + " " + version.error().hint);
        }
        torch = *version;
    };
    command.add_option_function<std::string>("--torch", take, help + " (" + aot::knownVersionsText() + ")");
}

Json rulesJson(const aot::RulesChoice& rules) {
    return {{"torch", aot::torchVersionText(aot::rulesVersion(rules.asked()))},
            {"made_by", aot::torchVersionText(rules.made)},
            {"chosen", rules.chosen ? Json(aot::torchVersionText(*rules.chosen)) : Json(nullptr)},
            {"text", rules.text()}};
}

} // namespace aotscope::cli
