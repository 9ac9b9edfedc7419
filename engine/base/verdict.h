#pragma once

#include "base/describe.h"

#include <cstdint>
#include <string>
#include <vector>

/// The result of comparing what this program computed with PyTorch's, or with eager mode. docs/VERDICTS.md
/// describes each verdict for people.
namespace aotscope::base {

/// There are no other words. Those after the first four say that nothing could be compared.
enum class VerdictWord : std::uint8_t {
    Equal,
    /// Equal but for names.
    EqualUpToNames,
    Differs,
    /// Not equal under the partitioner that is assumed, but under the default one, which nobody chose: where
    /// any partitioner may do, equal halves are no proof.
    EqualUnderDefault,
    /// Both sides are there, but what they hold cannot decide anything: random numbers that each side draws
    /// for itself, memory that nothing wrote.
    NotComparable,
    /// One side is missing, because something is not supported.
    NotSupported
};
AOTSCOPE_WORDS(VerdictWord, "equal", "equal up to names", "differs", "equal under the default partitioner",
               "not comparable", "not supported")

/// A comparison's result with all that a person needs to judge it.
struct Verdict {
    VerdictWord word = VerdictWord::NotComparable;
    /// In one line: the first difference, why nothing can be compared, what is not supported. May be empty
    /// for the equal ones only.
    std::string reason = {};
    /// What was compared, a line each: "the saved tensors: set, bytes, order".
    std::vector<std::string> compared = {};
    /// What was not compared, and why, a line each: "output 2: random".
    std::vector<std::string> notCompared = {};
    /// Under which configuration, rules and device, a line each: "activation_memory_budget = 0.0 (from the
    /// log)". Options of the log that are not followed are said here too.
    std::vector<std::string> configuration = {};
    /// How far numbers were allowed to be apart, and where that comes from, a line each. Empty where no
    /// numbers were compared.
    std::vector<std::string> tolerances = {};

    /// Equal, with the same names or others.
    [[nodiscard]] bool isEqual() const;
    friend bool operator==(const Verdict&, const Verdict&) = default;
};
AOTSCOPE_MEMBERS(Verdict, word, reason, compared, notCompared, configuration, tolerances)

/// "differs: node 3 is aten.mul, not aten.add"
[[nodiscard]] std::string verdictText(const Verdict& verdict);
/// All of the verdict for a person who asks what is behind it: the text, then a heading and indented lines
/// for each list that is not empty.
[[nodiscard]] std::string explainedVerdict(const Verdict& verdict);

} // namespace aotscope::base
