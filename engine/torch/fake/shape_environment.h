#pragma once

#include "fake/shape_fact.h"
#include "fake/size_source.h"
#include "fake/sym_expression.h"

#include "torch_headers.h"

#include "aot/retrace_guard.h"

#include <c10/core/SymInt.h>
#include <c10/core/SymNodeImpl.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace aotscope::torch {

class ShapeEnvironment;

/// What is wanted of the values that symbols have in the samples: an attempt to trace may need more than the
/// one before.
struct SymbolChoice {
    /// All that is known of the symbols (`s27 <= 6`) holds in each sample; else equalities alone.
    bool withinGuards = false;
    /// Symbols that PyTorch saw equal are equal in each sample, too.
    bool alike = false;
    /// What an earlier attempt found to hold. Of two symbols that are equal (`Eq(s2, s77)`) one gives way to
    /// the other.
    std::vector<std::string> found;
    /// What a person takes for granted.
    std::vector<std::string> given;
};

/// How a symbolic number came about, so that a graph can compute it again.
struct SymProvenance {
    /// "mul", "add", "floordiv"…, as in `_operator.mul`; empty: a symbol, or a size found by solving.
    std::string operation;
    std::vector<c10::SymNode> operands;
    /// By the program or by autograd, whose arithmetic a graph repeats; false: while a shape was computed.
    bool tracked = false;
};

/// A symbolic integer, float or bool: PyTorch's SymNode. Knows its value for every sample of the symbols.
class SymbolicNode final : public c10::SymNodeImpl {
public:
    enum class Kind : std::uint8_t { Int, Float, Bool };

    SymbolicNode(ShapeEnvironment& environment, Kind kind, SymExpression expression,
                 std::vector<double> values, SymProvenance provenance)
        : m_environment(environment),
          m_kind(kind),
          m_expression(std::move(expression)),
          m_values(std::move(values)),
          m_provenance(std::move(provenance)) {}

    [[nodiscard]] const SymExpression& expression() const { return m_expression; }
    [[nodiscard]] double value(std::size_t sample) const {
        return m_values[std::min(sample, m_values.size() - 1)];
    }
    [[nodiscard]] const SymProvenance& provenance() const { return m_provenance; }
    /// Where it can be read, of the recording that noted it last; no part of its value.
    [[nodiscard]] const SizeSource& source() const { return m_source; }
    void setSource(const SizeSource& source) const { m_source = source; }
    [[nodiscard]] ShapeEnvironment& environment() const { return m_environment; }
    [[nodiscard]] Kind kind() const { return m_kind; }

    bool is_int() override { return m_kind == Kind::Int; }
    bool is_float() override { return m_kind == Kind::Float; }
    bool is_bool() override { return m_kind == Kind::Bool; }
    c10::SymNode add(const c10::SymNode& other) override;
    c10::SymNode sub(const c10::SymNode& other) override;
    c10::SymNode mul(const c10::SymNode& other) override;
    c10::SymNode truediv(const c10::SymNode& other) override;
    c10::SymNode pow(const c10::SymNode& other) override;
    c10::SymNode floordiv(const c10::SymNode& other) override;
    c10::SymNode mod(const c10::SymNode& other) override;
    c10::SymNode eq(const c10::SymNode& other) override;
    c10::SymNode ne(const c10::SymNode& other) override;
    c10::SymNode gt(const c10::SymNode& other) override;
    c10::SymNode lt(const c10::SymNode& other) override;
    c10::SymNode le(const c10::SymNode& other) override;
    c10::SymNode ge(const c10::SymNode& other) override;
    c10::SymNode ceil() override;
    c10::SymNode floor() override;
    c10::SymNode neg() override;
    c10::SymNode sym_min(const c10::SymNode& other) override;
    c10::SymNode sym_max(const c10::SymNode& other) override;
    c10::SymNode sym_or(const c10::SymNode& other) override;
    c10::SymNode sym_and(const c10::SymNode& other) override;
    c10::SymNode sym_not() override;
    c10::SymNode sym_ite(const c10::SymNode& thenValue, const c10::SymNode& elseValue) override;
    c10::SymNode is_contiguous(c10::ArrayRef<c10::SymNode> sizes,
                               c10::ArrayRef<c10::SymNode> strides) override;
    c10::SymNode is_channels_last_contiguous_2d(c10::ArrayRef<c10::SymNode> sizes,
                                                c10::ArrayRef<c10::SymNode> strides) override;
    c10::SymNode is_channels_last_contiguous_3d(c10::ArrayRef<c10::SymNode> sizes,
                                                c10::ArrayRef<c10::SymNode> strides) override;
    c10::SymNode is_channels_last_strides_2d(c10::ArrayRef<c10::SymNode> sizes,
                                             c10::ArrayRef<c10::SymNode> strides) override;
    c10::SymNode is_channels_last_strides_3d(c10::ArrayRef<c10::SymNode> sizes,
                                             c10::ArrayRef<c10::SymNode> strides) override;
    c10::SymNode is_non_overlapping_and_dense(c10::ArrayRef<c10::SymNode> sizes,
                                              c10::ArrayRef<c10::SymNode> strides) override;
    c10::SymNode clone() override;
    c10::SymNode sym_float() override;
    /// `math.trunc`
    [[nodiscard]] c10::SymInt truncated();
    c10::SymNode wrap_int(std::int64_t number) override;
    c10::SymNode wrap_float(double number) override;
    c10::SymNode wrap_bool(bool flag) override;
    std::int64_t guard_int(const char* file, std::int64_t line) override;
    bool guard_bool(const char* file, std::int64_t line) override;
    /// Yes of what only the data tell, from here on.
    bool expect_true(const char* file, std::int64_t line) override;
    double guard_float(const char* file, std::int64_t line) override;
    /// Of sizes that may be any: true only where no size could make it false; no guard.
    bool statically_known_true(const char* file, std::int64_t line) override;
    std::int64_t int_() override { return guard_int(__FILE__, __LINE__); }
    bool bool_() override { return guard_bool(__FILE__, __LINE__); }
    bool has_hint() override { return true; }
    std::string str() override { return m_expression.text(); }
    std::optional<std::int64_t> constant_int() override;
    std::optional<std::int64_t> maybe_as_int() override { return constant_int(); }
    bool is_constant() override { return m_kind == Kind::Int && m_expression.constant().has_value(); }
    bool is_symbolic() override { return true; }

private:
    template<typename Compute>
    [[nodiscard]] c10::SymNode combine(const char* operation, Kind kind, SymExpression expression,
                                       const c10::SymNode& other, Compute compute);
    /// A function of this number alone, told as it is computed.
    [[nodiscard]] c10::SymNode told(const char* operation, Kind kind, SymExpression expression,
                                    std::vector<double> values);
    template<typename Compute>
    [[nodiscard]] c10::SymNode compare(const char* operation, const char* relation, const c10::SymNode& other,
                                       Compute compute);
    [[nodiscard]] c10::SymNode layoutQuestion(const char* name, c10::ArrayRef<c10::SymNode> sizes,
                                              c10::ArrayRef<c10::SymNode> strides,
                                              bool (*answer)(c10::IntArrayRef, c10::IntArrayRef)) const;

    ShapeEnvironment& m_environment;
    Kind m_kind;
    SymExpression m_expression;
    std::vector<double> m_values;
    SymProvenance m_provenance;
    mutable SizeSource m_source;
};

/// The symbolic node behind a SymInt; null for a plain integer.
[[nodiscard]] const SymbolicNode* asSymbolic(const c10::SymInt& value);

/// The value of a number in one sample.
[[nodiscard]] std::int64_t sampledValue(const c10::SymInt& value, std::size_t sample);

/// The symbols of one trace: their values in each sample, the guards taken, and the solving of sizes that an
/// operator computed into expressions of the symbols (PyTorch's ShapeEnv, by another way: see FACTS.md).
class ShapeEnvironment {
public:
    ShapeEnvironment() = default;
    ShapeEnvironment(const ShapeEnvironment&) = delete;
    ShapeEnvironment& operator=(const ShapeEnvironment&) = delete;

    /// Says which symbols come, with what PyTorch saw. The samples' values then keep the order of those, so
    /// that what is compared comes out the same in each sample wherever it can, and guards that were taken
    /// as known hold in each.
    void announceSymbols(std::vector<std::pair<std::string, std::int64_t>> hints,
                         const SymbolChoice& choice = {});

    /// For so many values of the symbols operators are computed: the first are those that PyTorch saw.
    static constexpr std::size_t sampleCount = 3;
    /// Further values, of no common divisor with those: what was found among an operator's arguments as a
    /// size of its result must be that size for them, too.
    static constexpr std::size_t checkCount = 5;

    /// Takes a fact that `checkFact` passed for granted, as a guard, before symbols are made. A symbol that
    /// it makes equal to a number or to another symbol is replaced by that everywhere; questions that follow
    /// from it become no guards. `given`: by a person, not found.
    void takeFact(const std::string& fact, bool given = true);
    /// Takes what guarded the program's symbols before this trace (`s77 <= 25`): what follows from it is no
    /// question any more.
    void takeKnown(const std::string& guard);
    /// Takes what the program asserts of numbers that only the data tell (`Eq(u0 + u1, 7)`): the values they
    /// get in each sample fulfil it.
    void takeAsserted(std::vector<ir::SymExpr> asserted) { m_asserted = std::move(asserted); }
    /// How many numbers and floats were asked of the data before this trace, which Dynamo's names count.
    void setUnbackedCounts(std::size_t numbers, std::size_t floats) {
        m_unbackedNumbers = numbers;
        m_unbackedFloats = floats;
    }
    /// A symbol with the value PyTorch saw, or what a fact put in its place; the other samples' values keep
    /// its divisibility.
    [[nodiscard]] c10::SymInt symbol(const std::string& name, std::int64_t hint);
    /// Values of the symbols of the inputs in one sample, replaced ones too.
    [[nodiscard]] ir::SymbolBindings bindings(std::size_t sample) const;
    /// What a fact put in a symbol's place, as text; empty: nothing.
    [[nodiscard]] std::string replacementOf(const std::string& name) const;
    [[nodiscard]] bool hasSymbols() const { return !m_symbols.empty(); }
    [[nodiscard]] std::size_t samples() const { return m_symbols.empty() ? 1 : sampleCount; }
    /// How many values a number has: one for each sample, then one for each check.
    [[nodiscard]] std::size_t valueCount() const { return m_symbols.empty() ? 1 : sampleCount + checkCount; }
    /// The checks whose values of the symbols fulfil all guards, as places among a number's values.
    [[nodiscard]] std::vector<std::size_t> checksWithinGuards();
    /// What the symbols are in each sample, for messages: "s0 = 3, 21, 33".
    [[nodiscard]] std::string symbolValues() const;

    /// A number that only the data tell, with what is known of its range: a fresh symbol, or on a further
    /// pass over the same program node the one it got there before.
    [[nodiscard]] c10::SymInt unbackedInt(std::optional<std::int64_t> least,
                                          std::optional<std::int64_t> most);
    [[nodiscard]] c10::SymFloat unbackedFloat();
    [[nodiscard]] c10::SymBool unbackedBool();
    [[nodiscard]] bool hasUnbacked() const { return !m_unbacked.empty(); }
    /// Whether a number mentions an unbacked symbol.
    [[nodiscard]] bool isUnbacked(const c10::SymInt& number) const;
    /// Whether a number has this bound for every value of the symbols; false: not known.
    [[nodiscard]] bool knownAtLeast(const c10::SymInt& number, std::int64_t least) const;
    [[nodiscard]] bool knownAtMost(const c10::SymInt& number, const c10::SymInt& most) const;
    /// Whether an expression is at least 0 by what is known of unbacked symbols, of sizes and by guards.
    [[nodiscard]] bool knownNonnegative(const SymExpression& expression) const;
    /// The program asserts a comparison: bounds of unbacked symbols follow.
    void assume(const c10::SymNode& condition);

    /// The program's node that runs from now on: guards name it, and the unbacked symbols that come into
    /// being take the names that its logged value shows.
    /// `node` tells nodes of one name apart.
    void enterNode(const void* node, const std::string& name, const std::set<std::string>& unbackedNames);
    /// What the program's node that runs now is known to give: a float that is an input of the compile, which
    /// Dynamo hands over as a tensor. Nothing: not known.
    struct KnownFloat {
        double value = 0;
        /// Its symbol; empty: the compile took the value for granted.
        std::string symbol;
    };
    void setKnownFloat(std::optional<KnownFloat> number) { m_knownFloat = std::move(number); }
    [[nodiscard]] std::optional<c10::SymFloat> knownFloat();
    /// The same of a size or an item that the program found to be this number.
    void setKnownInt(std::optional<std::int64_t> number) { m_knownInt = number; }
    /// Where no unbacked symbol of the program stands for what the current node asks the data: each pass over
    /// it then makes a new one. What the program calls it; empty: it has an unbacked symbol, or is none.
    void setUnnamed(std::string symbol) { m_unnamed = std::move(symbol); }

    void addGuard(std::string expression);
    /// The trace goes on as if two sizes were the same; two symbols then are. Nothing where PyTorch saw them
    /// differ.
    void foundEqual(const c10::SymInt& left, const c10::SymInt& right);
    /// The trace can only go on with values of the symbols for which this holds: it fails, unless values were
    /// looked for already, and may be begun anew with the guard.
    void needGuard(const std::string& guard);
    /// The guard that the trace failed for want of; empty: none.
    [[nodiscard]] const std::string& neededGuard() const { return m_needed; }
    /// The trace goes on with the value that a float has.
    void foundFloat(const SymbolicNode& number);
    /// Whether all that a float depends on was found to be the value it has.
    [[nodiscard]] bool isFoundFloat(const SymbolicNode& number) const;
    /// Whether sizes and facts leave no other answer than yes.
    [[nodiscard]] bool alwaysHolds(std::string_view guard) const;
    [[nodiscard]] const std::vector<aot::RetraceGuard>& guards() const { return m_guards; }
    /// Told of every guard as it is added, to note where it came from. Called in the midst of LibTorch, so it
    /// does not throw.
    std::function<void(aot::RetraceGuard&)> onGuard;
    /// Told of every number computed from symbols, where arithmetic is to be recorded as it happens; unset:
    /// it is recorded when a graph needs its result (PyTorch's thunks).
    std::function<void(const c10::SymNode&)> onComputed;
    /// Off while shapes are computed: that arithmetic is nobody's program.
    bool recordsArithmetic = true;

    /// `torch.sym_sum`
    [[nodiscard]] c10::SymInt symSum(const std::vector<c10::SymInt>& terms);
    /// The same number as one of its own, that nothing computed.
    [[nodiscard]] c10::SymInt copyOf(const SymbolicNode& number);
    [[nodiscard]] c10::SymInt make(SymExpression expression, std::vector<double> values,
                                   SymProvenance provenance);
    /// Symbols by name, with their values by sample.
    [[nodiscard]] const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& symbols() const {
        return m_symbols;
    }

private:
    struct Unbacked {
        std::optional<std::int64_t> least;
        std::optional<std::int64_t> most;
    };

    /// The next name for an unbacked symbol of the current node: the logged one, else `prefix` and a number.
    [[nodiscard]] std::string unbackedName(std::string_view prefix);
    [[nodiscard]] std::vector<double> unbackedValues(const std::string& name, const Unbacked& range);
    /// Whether nothing speaks against the last of a new symbol's values, which it has in that sample: not
    /// its range, not what the program asserts; and no other symbol has them all.
    [[nodiscard]] bool isPossible(const std::string& name, const std::vector<std::int64_t>& values,
                                  const Unbacked& range) const;
    /// A number, or another symbol.
    using Replacement = std::variant<std::int64_t, std::string>;
    [[nodiscard]] Replacement resolved(const std::string& name) const;

    std::vector<std::pair<std::string, std::vector<std::int64_t>>> m_symbols;
    std::map<std::string, Unbacked, std::less<>> m_unbacked;
    /// What the program asserted of sums of them: each is at least 0.
    std::vector<SymExpression> m_nonnegative;
    /// Unbacked symbols by the program node they came into being at, and how many of them this pass over the
    /// node has met.
    std::map<const void*, std::vector<std::string>> m_unbackedOfNode;
    std::size_t m_nextOfNode = 0;
    std::size_t m_unbackedNumbers = 0;
    std::size_t m_unbackedFloats = 0;
    const void* m_place = nullptr;
    std::string m_currentNode;
    std::map<std::string, c10::SymInt> m_made;
    std::optional<KnownFloat> m_knownFloat;
    std::optional<std::int64_t> m_knownInt;
    std::string m_unnamed;

    /// Values of announced symbols by sample.
    std::map<std::string, std::vector<std::int64_t>, std::less<>> m_announced;
    std::map<std::string, Replacement> m_replacements;
    KnownRanges m_known;
    /// Of announced symbols, by what PyTorch saw.
    ir::SymbolBindings m_hints;
    std::vector<ir::SymExpr> m_knownGuards;
    std::vector<ir::SymExpr> m_asserted;
    std::string m_needed;
    std::set<std::string, std::less<>> m_foundFloats;
    std::vector<aot::RetraceGuard> m_guards;
    /// Which checks guards rule out, and how many guards were looked at for that.
    std::array<bool, checkCount> m_ruledOut = {};
    std::size_t m_guardsLookedAt = 0;
    std::size_t m_knownGuardsLookedAt = 0;
};

} // namespace aotscope::torch
