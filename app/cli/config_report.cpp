#include "config_report.h"

#include "json_text.h"
#include "retrace_choice.h"
#include "selection.h"
#include "table.h"

#include "aot/functorch_config.h"
#include "aot/versions/versions.h"
#include "evidence/read_request.h"
#include "files/logged_config.h"

namespace aotscope::cli {

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

Json configJson(const ConfigShown& shown) {
    Json json{{"compile", shown.title},
              {"torch", aot::torchVersionText(shown.release)},
              {"logged", shown.isLogged},
              {"options", Json::array()}};
    for (const aot::ConfigOption* option : aot::shownOptions(shown.config, shown.release)) {
        json["options"].push_back({{"name", std::string(option->name)},
                                   {"value", aot::optionText(shown.config, *option)},
                                   {"default", aot::optionText(aot::defaultConfig(shown.release), *option)},
                                   {"is_default", aot::isDefault(shown.config, *option, shown.release)},
                                   {"followed", aot::isFollowed(shown.config, *option, shown.release)},
                                   {"can_change", aot::touchesText(option->touches)}});
    }
    for (const auto& [name, text] : shown.config.unknown) {
        json["options"].push_back({{"name", name},
                                   {"value", text},
                                   {"default", nullptr},
                                   {"is_default", nullptr},
                                   {"followed", false},
                                   {"can_change", nullptr}});
    }
    return json;
}

} // namespace

int showConfig(Program& program, const std::vector<std::filesystem::path>& files, const std::string& id,
               bool json) {
    Json compiles = Json::array();
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
                compiles.push_back(configJson(shown));
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
        program.console.result(
            jsonText({{"schema", "aotscope.config/1"}, {"compiles", std::move(compiles)}}));
    }
    return ExitYes;
}

} // namespace aotscope::cli
