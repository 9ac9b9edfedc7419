#pragma once

#include "command_line.h"

#include "contract/partition_snapshot.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// Adds `--solver`, `--runtime`, `--config` and `--torch`. `choices` must outlive the command.
void addBudgetOptions(Command command, session::PartitionChoices& choices);

/// What `--partitioner` ("auto": nothing), `--save` and `--recompute` choose.
void chooseSplit(session::PartitionChoices& choices, const std::string& partitioner,
                 const std::vector<std::string>& save = {}, const std::vector<std::string>& recompute = {});

/// The value of `--runtime` and of PyTorch's activation_memory_budget_runtime_estimator: what was chosen,
/// else what the configuration says.
[[nodiscard]] std::string_view runtimeName(const std::optional<session::RuntimeSource>& chosen,
                                           const aot::FunctorchConfig& config);

} // namespace aotscope::cli
