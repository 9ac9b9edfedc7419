#include "options.h"

#include "aot/versions/rules_choice.h"
#include "base/numbers.h"
#include "hooks/hook_library.h"

#include <filesystem>
#include <utility>

namespace aotscope::cli {

namespace {

using session::RuntimeSource;

/// Adds an option whose value is one of the enumeration's words.
template<typename Value>
void addNamed(Command command, const char* option, std::optional<Value>& value, const char* help) {
    const auto words = base::words<Value>();
    const auto take = [&value](const std::string& wanted) -> std::optional<base::Error> {
        value = base::fromWord<Value>(wanted);
        return std::nullopt;
    };
    command.addOption(option, TakeText(take), help,
                      {.oneOf = {words.begin(), words.end()},
                       .shownDefault = "as the file says, else " + std::string(words.front())});
}

} // namespace

void addIdOption(Command command, std::string& id) {
    command.addOption("--id", &id,
                      "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
}

void addFileOptions(Command command, std::vector<std::filesystem::path>& files, std::string& id) {
    command.addOption("FILE", &files, "Trace logs, folders of logs, or graph files", {.required = true});
    addIdOption(command, id);
}

void addGraphOptions(Command command, GraphRequest& request) {
    addFileOptions(command, request.files, request.id);
    command.addOption("--kind,--graph", &request.kind,
                      "joint, forward, backward, inference, or an artifact's name");
    command.addOption("--section", &request.section, "Nested graph, by path a/b");
}

Option addDeviceOption(Command command, session::DeviceChoice& device, const std::string& help) {
    const auto take = [&device](const std::string& text) -> std::optional<base::Error> {
        AOTSCOPE_TRY(choice, session::deviceChoiceFromText(text));
        device = choice;
        return std::nullopt;
    };
    return command.addOption("--device", take,
                             help + ": cpu (default), cuda, or cuda:N; see the command devices");
}

Option addExplainOption(Command command, bool& explain) {
    return command.addFlag("--explain", &explain,
                           "After each verdict: what was compared, under which configuration and "
                           "tolerance, and what was not");
}

void addConfigOption(Command command, std::vector<aot::ConfigSetting>& settings) {
    const auto take = [&settings](const std::vector<std::string>& texts) -> std::optional<base::Error> {
        settings.clear();
        for (const std::string& text : texts) {
            AOTSCOPE_TRY(setting, aot::configSettingFrom(text));
            settings.push_back(std::move(setting));
        }
        return std::nullopt;
    };
    command.addOption(
        "--config", TakeTexts(take),
        "NAME=VALUE: an option of torch._functorch.config in place of the file's "
        "(activation_memory_budget=0.5); can be given several times. `open FILE --id ID --config` "
        "lists those of the file",
        {.takeAll = true, .oneValueEach = true});
}

void addTorchOption(Command command, std::optional<aot::TorchVersion>& torch, const std::string& help) {
    const auto take = [&torch](const std::string& text) -> std::optional<base::Error> {
        AOTSCOPE_TRY(version, aot::chosenVersion(text));
        torch = version;
        return std::nullopt;
    };
    command.addOption("--torch", take, help + " (" + aot::knownVersionsText() + ")");
}

session::PartitionChoices SplitOptions::choices() const {
    session::PartitionChoices choices = others;
    if (partitioner != "auto") {
        choices.partitioner =
            partitioner == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
    }
    for (const std::string& node : save) {
        choices.nodes.push_back({node, passes::Forced::Save});
    }
    for (const std::string& node : recompute) {
        choices.nodes.push_back({node, passes::Forced::Recompute});
    }
    return choices;
}

void addPartitionerOption(Command command, SplitOptions& split, const std::string& help) {
    command.addOption("--partitioner", &split.partitioner, help,
                      {.oneOf = {"auto", "default", "min-cut"}, .showDefault = true});
}

void addBudgetOption(Command command, SplitOptions& split, const std::string& help) {
    command.addOption("--budget", &split.others.memoryBudget, help,
                      {.between = std::pair(0.0, 1.0), .shownDefault = "as the file says"});
}

void addCostOptions(Command command, session::PartitionChoices& choices) {
    addNamed(command, "--solver", choices.solver, "Knapsack solver of the budget");
    addNamed(command, "--runtime", choices.runtime,
             "Cost of computing a value again: flops, testing (the same for every value), or profile (time "
             "measured here, by running the joint graph on synthetic inputs)");
    addConfigOption(command, choices.config);
    addTorchOption(command, choices.torch);
}

void addInputOption(Command command, std::string& input, const std::string& help) {
    command.addOption("--input", &input, help, {.oneOf = {"auto", "traced", "logged"}, .showDefault = true});
}

void addHookModeOption(Command command, std::string& mode, const std::string& help) {
    command.addOption("--mode", &mode, help, {.oneOf = {"donated", "no_static", "all"}});
}

std::string_view runtimeName(const std::optional<RuntimeSource>& chosen, const aot::FunctorchConfig& config) {
    const RuntimeSource otherwise =
        config.budgetRuntimeEstimator == "testing" ? RuntimeSource::Testing : RuntimeSource::Flops;
    return base::wordOf(chosen.value_or(otherwise));
}

std::pair<std::string, std::string> namedValue(const std::string& text, const char* wrong) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
        throw usageFailure("\"" + text + "\" " + wrong);
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

ir::SymbolBindings symbolsFrom(const std::vector<std::string>& texts) {
    ir::SymbolBindings symbols;
    constexpr const char* wrong = "does not give a symbol a value. Write --symbol s0=8.";
    for (const std::string& text : texts) {
        const auto [symbol, number] = namedValue(text, wrong);
        const auto value = base::wholeNumber<std::int64_t>(number);
        if (!value) {
            throw usageFailure("\"" + text + "\" " + wrong);
        }
        symbols[symbol] = *value;
    }
    return symbols;
}

namespace {

constexpr std::uint64_t mostHookBytes = std::uint64_t{16} << 20;

/// A hook named by a file has the file's name in the plan.
void addRule(Program& program, hooks::HookPlan& plan, const std::string& given) {
    auto rule = orFail(ExitUsage, hooks::readHookRule(given));
    const std::filesystem::path path(rule.hook);
    if (!plan.tryText(rule.hook) && path.has_extension()) {
        std::string text = program.read(path, mostHookBytes);
        rule.hook = path.filename().string();
        plan.own[rule.hook] = std::move(text);
    }
    plan.rules.push_back(std::move(rule));
}

} // namespace

std::optional<hooks::HookPlan> planOf(Program& program, const std::vector<std::string>& hooks,
                                      const std::string& mode) {
    if (hooks.empty() && mode.empty()) {
        return std::nullopt;
    }
    hooks::HookPlan plan;
    for (const std::string& hook : hooks) {
        addRule(program, plan, hook);
    }
    if (plan.rules.empty()) {
        plan.rules.push_back({{}, std::string(hooks::loggedHook)});
    }
    failWith(hooks::unknownHook(plan), ExitUsage);
    plan.filter = base::fromWord<passes::HookFilter>(mode);
    return plan;
}

std::string hookText(Program& program, const std::string& hook) {
    if (const hooks::LibraryHook* shipped = hooks::tryLibraryHook(hook)) {
        return std::string(shipped->text);
    }
    return program.read(hook, mostHookBytes);
}

} // namespace aotscope::cli
