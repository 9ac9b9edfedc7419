#pragma once

#include "command_line.h"
#include "selection.h"

namespace aotscope::cli {

/// Adds `FILE…`, `--id`, `--kind` (also `--graph`) and `--section`. `request` must outlive the command.
void addGraphOptions(Command command, GraphRequest& request);

} // namespace aotscope::cli
