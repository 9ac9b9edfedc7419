#pragma once

#include "selection.h"

namespace CLI {
class App;
}

namespace aotscope::cli {

/// Adds `FILE…`, `--id`, `--kind` (also `--graph`) and `--section`. `request` must outlive the command.
void addGraphOptions(CLI::App& command, GraphRequest& request);

} // namespace aotscope::cli
