#pragma once

#include "command_line.h"

#include "session/explore/partition_snapshot.h"

namespace aotscope::cli {

/// Adds `--solver`, `--runtime` and `--torch`. `choices` must outlive the command.
void addBudgetOptions(Command command, session::PartitionChoices& choices);

/// The value of `--runtime` and of PyTorch's activation_memory_budget_runtime_estimator.
[[nodiscard]] const char* runtimeName(session::RuntimeSource runtime);

} // namespace aotscope::cli
