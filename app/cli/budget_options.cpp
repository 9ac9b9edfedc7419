#include "budget_options.h"

#include "config_option.h"
#include "torch_option.h"

#include "aot/partition_config.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace aotscope::cli {

namespace {

using session::RuntimeSource;

// The names of PyTorch's options.
constexpr std::array<std::pair<const char*, RuntimeSource>, 3> runtimes = {
    {{"flops", RuntimeSource::Flops},
     {"testing", RuntimeSource::Testing},
     {"profile", RuntimeSource::Profile}}};

/// Adds an option whose value is one of the names.
template<typename Named, typename Value>
void addNamed(Command command, const char* option, const Named& named, std::optional<Value>& value,
              const char* help) {
    std::vector<std::string> names;
    names.reserve(named.size());
    for (const auto& [name, meant] : named) {
        names.emplace_back(name);
    }
    const auto take = [&named, &value](const std::string& wanted) -> std::optional<base::Error> {
        value = std::ranges::find(named, wanted, [](const auto& each) {
                    return std::string(each.first);
                })->second;
        return std::nullopt;
    };
    command.addOption(option, TakeText(take), help)
        .oneOf(names)
        .showDefault("as the file says, else " + names.front());
}

} // namespace

void addBudgetOptions(Command command, session::PartitionChoices& choices) {
    addNamed(command, "--solver", aot::budgetSolvers, choices.solver, "Knapsack solver of the budget");
    addNamed(command, "--runtime", runtimes, choices.runtime,
             "Cost of computing a value again: flops, testing (the same for every value), or profile (time "
             "measured here, by running the joint graph on synthetic inputs)");
    addConfigOption(command, choices.config);
    addTorchOption(command, choices.torch);
}

const char* runtimeName(const std::optional<session::RuntimeSource>& chosen,
                        const aot::FunctorchConfig& config) {
    const session::RuntimeSource otherwise =
        config.budgetRuntimeEstimator == "testing" ? RuntimeSource::Testing : RuntimeSource::Flops;
    return std::ranges::find(runtimes, chosen.value_or(otherwise),
                             [](const auto& each) { return each.second; })
        ->first;
}

} // namespace aotscope::cli
