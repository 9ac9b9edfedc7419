#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::base {

/// One line of a line-by-line comparison (Myers 1986, linear space).
struct DiffLine {
    enum class Kind { Same, Removed, Added };
    Kind kind = Kind::Same;
    /// 0-based line numbers; on the side without this line, the number of its next line.
    std::size_t leftLine = 0;
    std::size_t rightLine = 0;
    std::string_view text;
};

/// Compares two texts line by line, in display order. The views point into `left` and `right`, which must
/// outlive the result. After `maxEdits` differences the rest is reported as removed, then added.
[[nodiscard]] std::vector<DiffLine> diffLines(std::string_view left, std::string_view right,
                                              std::size_t maxEdits = 20'000);

/// The unified text form ("--- a", "+++ b", "@@ … @@") with `context` lines around each change; empty when
/// the texts are equal.
[[nodiscard]] std::string unifiedDiff(std::string_view left, std::string_view right,
                                      std::string_view leftName, std::string_view rightName,
                                      std::size_t context = 3);

} // namespace aotscope::base
