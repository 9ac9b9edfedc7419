#pragma once

#include "ir/graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <string_view>

namespace aotscope::ir {

/// The scripts that PyTorch writes to run one graph again, alone: the artifact fx_graph_runnable, and
/// repro.py and minifier_launcher.py of its minifier. A class Repro with the graph's code, and a function
/// load_args that makes the inputs.
[[nodiscard]] bool looksLikeReproScript(std::string_view text);

/// Reads the graph of such a script. Its inputs get the dtype, shape, strides and device that load_args gives
/// them, its parameters and buffers those of the constructor, its symbols the values at the script's head.
/// Values are not read: the script holds those of small buffers alone. Nothing of the script is executed.
///
/// Errors: ir.repro_script where it has no class Repro with a function; those of parseGraphText.
[[nodiscard]] base::Result<GraphPtr> parseReproScript(std::string_view text, base::Progress progress = {});

/// Either of the two, as the text looks: a graph as PyTorch prints it, or a script.
[[nodiscard]] base::Result<GraphPtr> parseGraphOrScript(std::string_view text, base::Progress progress = {});

} // namespace aotscope::ir
