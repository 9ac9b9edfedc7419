#include "config_report.h"

#include "answer.h"
#include "retrace_report.h"
#include "selection.h"
#include "table.h"

#include "aot/functorch_config.h"
#include "aot/versions/versions.h"
#include "evidence/read_request.h"
#include "files/logged_config.h"

namespace aotscope::cli {

struct ShownOption {
    std::string name;
    std::string value;
    /// These are empty where no release is known to have the option.
    std::optional<std::string> default_ = {};
    std::optional<bool> isDefault = {};
    bool followed = false;
    std::optional<std::string> canChange = {};
};
AOTSCOPE_MEMBERS(ShownOption, name, value, default_, isDefault, followed, canChange)

struct CompileConfig {
    std::string compile;
    std::string torch;
    bool logged = false;
    std::vector<ShownOption> options = {};
};
AOTSCOPE_MEMBERS(CompileConfig, compile, torch, logged, options)

struct ConfigAnswer {
    std::vector<CompileConfig> compiles = {};
};
AOTSCOPE_MEMBERS(ConfigAnswer, compiles)
AOTSCOPE_ANSWER(ConfigAnswer, "aotscope.config/1")

namespace {

std::string configText(const CompileConfig& shown, const std::string& rules) {
    Table table({"option", "value", "default of " + rules, "", "can change"});
    for (const ShownOption& option : shown.options) {
        const std::string usual = option.default_.value_or("unknown");
        const std::string changes = option.canChange.value_or("unknown");
        table.add({option.name, option.value, option.value == option.default_ ? "the same" : usual,
                   changes == aot::touchesText(aot::touches::nothing) ? "changes nothing here"
                   : option.followed                                  ? "followed"
                                                                      : "not followed",
                   changes});
    }
    return shown.compile +
           (shown.logged ? ""
                         : ": the file does not tell its options; these are the defaults of torch " + rules) +
           "\n" + table.shown();
}
CompileConfig configAnswer(const session::CompileOptions& shown, std::string title) {
    CompileConfig answer{std::move(title), aot::torchVersionText(shown.release), shown.isLogged};
    const aot::FunctorchConfig defaults = aot::defaultConfig(shown.release);
    for (const aot::ConfigOption* option : aot::shownOptions(shown.config, shown.release)) {
        answer.options.push_back(
            {std::string(option->name), aot::optionText(shown.config, *option),
             aot::optionText(defaults, *option), aot::isDefault(shown.config, *option, shown.release),
             aot::isFollowed(shown.config, *option, shown.release), aot::touchesText(option->touches)});
    }
    for (const auto& [name, text] : shown.config.unknown) {
        answer.options.push_back({.name = name, .value = text});
    }
    return answer;
}

} // namespace

int showConfig(Program& program, const std::vector<std::filesystem::path>& files, const std::string& id,
               bool json) {
    ConfigAnswer answer;
    bool first = true;
    for (const TargetChoice& choice : selectTargets(program.open(files), id)) {
        for (const session::RetraceTarget& target : choice.targets) {
            const auto& graph = target.program ? target.program : target.logged;
            if (!graph || graph->log != choice.log->log) {
                continue;
            }
            const session::CompileOptions options = session::compileOptionsOf(*choice.log, *graph);
            answer.compiles.push_back(configAnswer(options, targetTitle(choice, target)));
            if (!json) {
                const std::string rules = aot::torchVersionText(aot::rulesVersion(options.release));
                program.console.result((first ? "" : "\n") + configText(answer.compiles.back(), rules));
            }
            first = false;
        }
    }
    if (first) {
        throw usageFailure("There is no compile with a graph here.");
    }
    if (json) {
        program.console.result(answerText(answer));
    }
    return ExitYes;
}

} // namespace aotscope::cli
