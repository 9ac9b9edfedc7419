#include "answer.h"
#include "commands.h"
#include "compile_answer.h"
#include "options.h"
#include "table.h"

#include "aot/versions/versions.h"

#include <memory>

namespace aotscope::cli {

struct RuleAnswer {
    std::string_view rule;
    aot::TorchVersion begins;
    std::string_view source;
    std::optional<bool> applies = {};
};
AOTSCOPE_MEMBERS(RuleAnswer, rule, begins, source, applies)

struct RulesAnswer {
    std::vector<aot::TorchVersion> known;
    std::optional<aot::TorchVersion> torch;
    std::optional<aot::TorchVersion> rulesOf = {};
    std::vector<RuleAnswer> rules = {};
};
AOTSCOPE_MEMBERS(RulesAnswer, known, torch, rulesOf, rules)
AOTSCOPE_ANSWER(RulesAnswer, "aotscope.rules/1")

namespace {

struct RulesCommandOptions {
    std::optional<aot::TorchVersion> torch;
    bool json = false;
};

/// Whether the rule applies to a file of the release.
bool holdsFor(const aot::VersionRule& rule, aot::TorchVersion made) {
    return rule.begins <= aot::rulesVersion(made);
}

RulesAnswer rulesAnswer(const RulesCommandOptions& options) {
    RulesAnswer answer{{aot::knownVersions().begin(), aot::knownVersions().end()}, options.torch};
    if (options.torch) {
        answer.rulesOf = aot::rulesVersion(*options.torch);
    }
    for (const aot::VersionRule& rule : aot::versionRules()) {
        answer.rules.push_back({rule.text, rule.begins, rule.source});
        if (options.torch) {
            answer.rules.back().applies = holdsFor(rule, *options.torch);
        }
    }
    return answer;
}

int showRules(Program& program, const RulesCommandOptions& options) {
    if (options.json) {
        program.console.result(answerText(rulesAnswer(options)));
        return ExitYes;
    }
    Table table({"since", "rule", paths("read from")});
    for (const aot::VersionRule& rule : aot::versionRules()) {
        if (!options.torch || holdsFor(rule, *options.torch)) {
            table.add({aot::torchVersionText(rule.begins), rule.text, rule.source});
        }
    }
    const aot::TorchVersion oldest = aot::knownVersions().front();
    std::string text = "Releases whose rules are known: " + aot::knownVersionsText() + ".\n";
    if (options.torch) {
        text += "For a file of torch " + aot::torchVersionText(*options.torch) + " the " +
                aot::rulesText(*options.torch) + " apply.\n";
    }
    text += "Since torch " + aot::torchVersionText(oldest) + " these changed:\n";
    program.console.result(text + (table.empty() ? "nothing\n" : table.shown()));
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
    command.addFlag("--json", &options->json, jsonHelp<RulesAnswer>());
    onCall(command, chosen, options, showRules);
}

} // namespace aotscope::cli
