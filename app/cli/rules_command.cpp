#include "commands.h"
#include "json_text.h"
#include "table.h"
#include "torch_option.h"

#include "aot/versions/versions.h"

#include <memory>

namespace aotscope::cli {

namespace {

struct RulesCommandOptions {
    std::optional<aot::TorchVersion> torch;
    bool json = false;
};

/// Whether the rule applies to a file of the release.
bool holdsFor(const aot::VersionRule& rule, aot::TorchVersion made) {
    return rule.begins <= aot::rulesVersion(made);
}

std::string rulesJsonText(const RulesCommandOptions& options) {
    Json known = Json::array();
    for (const aot::TorchVersion version : aot::knownVersions()) {
        known.push_back(aot::torchVersionText(version));
    }
    Json rules = Json::array();
    for (const aot::VersionRule& rule : aot::versionRules()) {
        Json one{
            {"rule", rule.text}, {"begins", aot::torchVersionText(rule.begins)}, {"source", rule.source}};
        one["applies"] = options.torch ? Json(holdsFor(rule, *options.torch)) : Json(nullptr);
        rules.push_back(std::move(one));
    }
    Json json{{"schema", "aotscope.rules/1"}, {"known", std::move(known)}};
    json["torch"] = options.torch ? Json(aot::torchVersionText(*options.torch)) : Json(nullptr);
    json["rules_of"] =
        options.torch ? Json(aot::torchVersionText(aot::rulesVersion(*options.torch))) : Json(nullptr);
    json["rules"] = std::move(rules);
    return jsonText(json);
}

int showRules(Program& program, const RulesCommandOptions& options) {
    if (options.json) {
        program.console.result(rulesJsonText(options));
        return ExitYes;
    }
    Table table({{"since"}, {"rule"}, {"read from", Table::Align::Left, Table::Kept::End}});
    for (const aot::VersionRule& rule : aot::versionRules()) {
        if (!options.torch || holdsFor(rule, *options.torch)) {
            table.add({aot::torchVersionText(rule.begins), std::string(rule.text), std::string(rule.source)});
        }
    }
    const aot::TorchVersion oldest = aot::knownVersions().front();
    std::string text = "Releases whose rules are known: " + aot::knownVersionsText() + ".\n";
    if (options.torch) {
        text += "For a file of torch " + aot::torchVersionText(*options.torch) + " the " +
                aot::rulesText(*options.torch) + " apply.\n";
    }
    text += "Since torch " + aot::torchVersionText(oldest) + " these changed:\n";
    program.console.result(text + (table.empty() ? "nothing\n" : table.text(resultWidth())));
    return ExitYes;
}

} // namespace

void addRulesCommand(Command app, Action& chosen) {
    const Command command =
        app.addCommand("rules", "List what PyTorch compiles differently from one release to the next");
    auto options = std::make_shared<RulesCommandOptions>();
    command.setFooter(
        "A trace log of torch 2.15 or newer says which release made it, and its graphs are compiled "
        "again by that release's rules; logs without a release are older. Where a release has no "
        "rules of its own here, those of the nearest older one apply.");
    addTorchOption(command, options->torch, "Only the rules that hold for this release");
    command.addFlag("--json", &options->json, "JSON for programs (schema aotscope.rules/1)");
    onCall(command, chosen, options, showRules);
}

} // namespace aotscope::cli
