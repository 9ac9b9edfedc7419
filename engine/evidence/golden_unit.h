#pragma once

#include "aot/retrace.h"

#include "base/result.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::evidence {

/// What a golden JSON file says of one compiled graph besides the graphs themselves: what was known before
/// AOTAutograd ran.
struct GoldenUnit {
    /// From `example_inputs`, one per input of the program; empty if the file has none. `isLeaf` is a guess:
    /// the file only says whether an input requires grad.
    std::vector<aot::RetraceInput> inputs;
    /// Values of the symbols among the inputs.
    ir::SymbolBindings symbolHints;
    /// Positions in AOTAutograd's order, which begins with the parameters that the program holds; nothing if
    /// the file has no configuration for the unit.
    std::optional<std::vector<std::size_t>> staticInputs;
    /// Grad mode when the program was called, off in inference mode (`grad_mode`, `inference_mode`; in files
    /// without these, off if `features` has "inference"); nothing: the file does not say.
    std::optional<bool> gradEnabled;
    /// The release that wrote the file (`torch`); files without it are older than PyTorch's naming it.
    aot::TorchVersion torch = aot::unnamedVersion();
    bool keepInputMutations = true;
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    /// The options that the file has, as in LoggedConfig::options.
    std::map<std::string, std::string> options = {};
};

/// Reads the facts of a unit ("units/0"). Errors: session.open, session.no_such_artifact.
[[nodiscard]] base::Result<GoldenUnit> readGoldenUnit(const std::filesystem::path& path,
                                                      std::string_view unit);

} // namespace aotscope::evidence
