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

/// What a golden JSON file tells of one compiled graph besides the graphs themselves. All but `metadata` was
/// known before AOTAutograd ran.
struct GoldenUnit {
    /// From `example_inputs`, one per input of the program; empty where the file has none. `isLeaf` is a
    /// guess there: only whether a gradient is wanted is told.
    std::vector<aot::RetraceInput> inputs;
    /// Values of the symbols among the inputs.
    ir::SymbolBindings symbolHints;
    /// In AOTAutograd's order, parameters that the program holds itself first; none where the file has no
    /// configuration of the unit.
    std::optional<std::vector<std::size_t>> staticInputs;
    /// Gradient mode when the program was called, off under inference mode (`grad_mode`, `inference_mode`; in
    /// files without them off where `features` has "inference"); nothing: the file does not tell.
    std::optional<bool> gradEnabled;
    bool keepInputMutations = true;
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    /// `fw_metadata` of the unit as JSON text; empty: none.
    std::string metadata;
    /// The same as the partition left it, by partitioner ("default", "min_cut").
    std::map<std::string, std::string> partitionMetadata;
};

/// Reads the facts of a unit ("units/0"). Errors: session.open, ir.json_syntax, session.no_such_artifact.
[[nodiscard]] base::Result<GoldenUnit> readGoldenUnit(const std::filesystem::path& path,
                                                      std::string_view unit);

} // namespace aotscope::evidence
