#include "budget_options.h"

#include "config_option.h"
#include "torch_option.h"

#include "aot/functorch_config.h"

#include <string>

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
    command.addOption(option, TakeText(take), help)
        .oneOf({words.begin(), words.end()})
        .showDefault("as the file says, else " + std::string(words.front()));
}

} // namespace

void addBudgetOptions(Command command, session::PartitionChoices& choices) {
    addNamed(command, "--solver", choices.solver, "Knapsack solver of the budget");
    addNamed(command, "--runtime", choices.runtime,
             "Cost of computing a value again: flops, testing (the same for every value), or profile (time "
             "measured here, by running the joint graph on synthetic inputs)");
    addConfigOption(command, choices.config);
    addTorchOption(command, choices.torch);
}

void chooseSplit(session::PartitionChoices& choices, const std::string& partitioner,
                 const std::vector<std::string>& save, const std::vector<std::string>& recompute) {
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
}

std::string_view runtimeName(const std::optional<session::RuntimeSource>& chosen,
                             const aot::FunctorchConfig& config) {
    const session::RuntimeSource otherwise =
        config.budgetRuntimeEstimator == "testing" ? RuntimeSource::Testing : RuntimeSource::Flops;
    return base::wordOf(chosen.value_or(otherwise));
}

} // namespace aotscope::cli
