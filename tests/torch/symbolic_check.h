#pragma once

#include "shape_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Calls operators on fake tensors with symbolic sizes, and on meta tensors with values for the symbols. In a
/// file of its own, because LibTorch and doctest both define CHECK.
namespace aotscope::test {

struct SymbolicOutcome {
    enum class Kind {
        /// At all sizes that were drawn the expressions say what the operator returns.
        Agrees,
        /// At some they do not: a wrong expression.
        Differs,
        /// The call with symbols is refused although the operator takes the sizes.
        Refused,
        /// No size of the arguments became a symbol.
        NoSymbols,
        /// None of the sizes drawn fulfils the guards and is one that the operator takes.
        NoSizes,
        /// The call cannot be made from what was recorded, or the operator does not take its sizes.
        NotCalled,
    };
    Kind kind = Kind::NotCalled;
    std::string detail;
    /// How many sizes were compared.
    int sizes = 0;
    int symbols = 0;
};

/// Gives one size of the sample another value, as a number and not a symbol: PyTorch specializes sizes 0 and
/// 1.
struct SpecializedSize {
    /// Which of the sample's different sizes, counted as they occur.
    std::size_t which = 0;
    std::int64_t value = 1;
};

/// Equal sizes from 2 on become one symbol, as in PyTorch ("duck shaping"). The symbols then get 20 random
/// sets of values that satisfy the call's guards, one set with all values equal. Values that the operator
/// refuses are drawn again.
[[nodiscard]] SymbolicOutcome checkSymbolicShape(const ShapeQuestion& question,
                                                 std::optional<SpecializedSize> specialized = {});

/// The sizes of the results of `aotscope_test::NAME` on a tensor with s0 elements and the hint `seen`, or why
/// it is refused. These operators have a meta kernel but no shape function on symbols: `part` returns
/// int(0.34 * s0) elements, `root` the square root of s0, `even_and_all` an even number of elements and all,
/// `all_and_all` all elements, flat and as a square.
[[nodiscard]] std::string symbolicAnswer(const std::string& name, std::int64_t seen);

/// The notes of a trace with two symbols whose first attempt needs a guard, and which then fails until both
/// symbols have equal sample values.
[[nodiscard]] std::vector<std::string> notesOfAttempts();

} // namespace aotscope::test
