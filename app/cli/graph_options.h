#pragma once

#include "command_line.h"
#include "selection.h"

#include "ir/symbolic/expression.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// Adds `--id`. `id` must outlive the command.
void addIdOption(Command command, std::string& id);

/// Adds `FILE…`, `--id`, `--kind` (also `--graph`) and `--section`. `request` must outlive the command.
void addGraphOptions(Command command, GraphRequest& request);

/// The values that `--symbol` gives ("s0=8"). Throws Failure for any other text.
[[nodiscard]] ir::SymbolBindings symbolsFrom(const std::vector<std::string>& texts);

} // namespace aotscope::cli
