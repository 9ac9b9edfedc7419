#pragma once

#include "evidence/log_evidence.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace aotscope::evidence {

/// What Dynamo learned about a compile's symbols before it passed its graph to the backend. The records are
/// written by torch/fx/experimental/symbolic_shapes.py: ShapeEnv.
struct SymbolFacts {
    /// "s77 <= 25"
    std::vector<std::string> guards;
    /// Values of the symbols that stand for floats ("zf0").
    std::map<std::string, double> floats;
    /// Symbols for integer arguments of the program; they may have any sign.
    std::set<std::string> numbers;
    /// Number of unbacked symbols created for integers and floats ("u0", "zuf0").
    std::size_t unbackedNumbers = 0;
    std::size_t unbackedFloats = 0;
};

/// From the records of the same attempt before the graph.
[[nodiscard]] SymbolFacts loggedSymbolFacts(const LogEvidence& evidence);

} // namespace aotscope::evidence
