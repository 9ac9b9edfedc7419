#pragma once

#include "evidence/log_evidence.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace aotscope::evidence {

/// What Dynamo found out about a compile's symbols before it gave its graph away.
struct SymbolFacts {
    /// "s77 <= 25"
    std::vector<std::string> guards;
    /// Values of the symbols that stand for floats ("zf0").
    std::map<std::string, double> floats;
    /// Symbols of whole numbers that the program was called with, which may have any sign.
    std::set<std::string> numbers;
    /// How many symbols it made for numbers and for floats that only the data tell ("u0", "zuf0").
    std::size_t unbackedNumbers = 0;
    std::size_t unbackedFloats = 0;
};

/// From the records of the same attempt that come before the graph.
[[nodiscard]] SymbolFacts loggedSymbolFacts(const LogEvidence& evidence);

} // namespace aotscope::evidence
