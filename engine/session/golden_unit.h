#pragma once

#include "session/retrace.h"

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// What a golden JSON file tells of one compiled graph besides the graphs themselves.
struct GoldenUnit {
    /// From `example_inputs`, one per input of the program; empty where the file has none. `isLeaf` is a
    /// guess there: only whether a gradient is wanted is told.
    std::vector<RetraceInput> inputs;
    /// Values of the symbols among the inputs.
    ir::SymbolBindings symbolHints;
    /// Inputs want gradients and the unit was compiled without autograd: grad mode was off.
    bool gradEnabled = true;
    bool keepInputMutations = true;
    DecompositionTable decompositions = DecompositionTable::None;
    /// `fw_metadata` of the unit as JSON text; empty: none.
    std::string metadata;
};

/// Reads the facts of a unit ("units/0"). Errors: session.open, ir.json_syntax, session.no_such_artifact.
[[nodiscard]] base::Result<GoldenUnit> readGoldenUnit(const std::filesystem::path& path,
                                                      std::string_view unit);

} // namespace aotscope::session
