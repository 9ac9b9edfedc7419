#pragma once

#include "session/explore/partition_snapshot.h"

namespace CLI {
class App;
}

namespace aotscope::cli {

/// Adds `--solver` and `--runtime`: how a budget finds what to save. `choices` outlives the command.
void addBudgetOptions(CLI::App& command, session::PartitionChoices& choices);

/// As `--runtime` and PyTorch's activation_memory_budget_runtime_estimator name it.
[[nodiscard]] const char* runtimeName(session::RuntimeSource runtime);

} // namespace aotscope::cli
