#pragma once

#include "aot/retrace.h"

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::evidence {

/// What a golden JSON file tells of one compiled graph besides the graphs themselves.
struct GoldenUnit {
    /// From `example_inputs`, one per input of the program; empty where the file has none. `isLeaf` is a
    /// guess there: only whether a gradient is wanted is told.
    std::vector<aot::RetraceInput> inputs;
    /// Values of the symbols among the inputs.
    ir::SymbolBindings symbolHints;
    /// In AOTAutograd's order, parameters that the program holds itself first; none where the file has no
    /// configuration of the unit.
    std::optional<std::vector<std::size_t>> staticInputs;
    bool needsAutograd = true;
    /// The program was called for inference: without grad mode.
    bool calledForInference = false;
    bool keepInputMutations = true;
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    /// `fw_metadata` of the unit as JSON text; empty: none.
    std::string metadata;
};

/// Reads the facts of a unit ("units/0"). Errors: session.open, ir.json_syntax, session.no_such_artifact.
[[nodiscard]] base::Result<GoldenUnit> readGoldenUnit(const std::filesystem::path& path,
                                                      std::string_view unit);

} // namespace aotscope::evidence
