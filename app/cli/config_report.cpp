#include "config_report.h"

#include "answer.h"
#include "retrace_choice.h"
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

struct ConfigShown : session::CompileOptions {
    std::string title;
};

std::string followedText(const ConfigShown& shown, const aot::ConfigOption& option) {
    if (option.touches == aot::touches::nothing) {
        return "changes nothing here";
    }
    return aot::isFollowed(shown.config, option, shown.release) ? "followed" : "not followed";
}

std::string configText(const ConfigShown& shown) {
    const std::string release = aot::torchVersionText(aot::rulesVersion(shown.release));
    Table table({{"option"}, {"value"}, {"default of " + release}, {""}, {"can change"}});
    const aot::FunctorchConfig defaults = aot::defaultConfig(shown.release);
    for (const aot::ConfigOption* option : aot::shownOptions(shown.config, shown.release)) {
        const std::string usual = aot::optionText(defaults, *option);
        const std::string value = aot::optionText(shown.config, *option);
        table.add({std::string(option->name), value, value == usual ? "the same" : usual,
                   followedText(shown, *option), aot::touchesText(option->touches)});
    }
    for (const auto& [name, text] : shown.config.unknown) {
        table.add({name, text, "unknown", "not followed", "unknown"});
    }
    return shown.title +
           (shown.isLogged
                ? ""
                : ": the file does not tell its options; these are the defaults of torch " + release) +
           "\n" + table.text(resultWidth());
}

CompileConfig configAnswer(const ConfigShown& shown) {
    CompileConfig answer{shown.title, aot::torchVersionText(shown.release), shown.isLogged};
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
            const ConfigShown shown{session::compileOptionsOf(*choice.log, *graph),
                                    targetTitle(choice, target)};
            if (json) {
                answer.compiles.push_back(configAnswer(shown));
            } else {
                program.console.result((first ? "" : "\n") + configText(shown));
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
