#pragma once

#include "shape_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Calls operators on fake tensors whose sizes are symbols, and on meta tensors of the sizes that values of
/// the symbols give. Apart from the test's own file, because LibTorch and doctest both define CHECK.
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

/// One size of the sample gets another value, a number and no symbol, as PyTorch has it with 0 and 1.
struct SpecializedSize {
    /// Which of the sample's different sizes, counted as they occur.
    std::size_t which = 0;
    std::int64_t value = 1;
};

/// Equal sizes from 2 on become one symbol each, as PyTorch assumes ("duck shaping"). The symbols then get 20
/// values at random under the guards of the call, one that all share among them; what the operator does not
/// take is drawn again.
[[nodiscard]] SymbolicOutcome checkSymbolicShape(const ShapeQuestion& question,
                                                 std::optional<SpecializedSize> specialized = {});

/// What a call of `aotscope_test::NAME` on a tensor of s0 elements gives, where `seen` is what s0 was: the
/// sizes of the results, or why it is refused. These operators have a kernel that computes shapes, and no
/// shape function on symbols: `part` returns int(0.34 * s0) elements, `root` the square root of s0,
/// `even_and_all` an even number of them and all, `all_and_all` all, once and in a square.
[[nodiscard]] std::string symbolicAnswer(const std::string& name, std::int64_t seen);

/// What a trace of two symbols tells of its attempts, that first needs a guard and then goes through where
/// symbols that were seen equal are equal.
[[nodiscard]] std::vector<std::string> notesOfAttempts();

} // namespace aotscope::test
