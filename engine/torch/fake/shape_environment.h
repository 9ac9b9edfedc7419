#pragma once

#include "fake/size_source.h"

#include "torch_headers.h"

#include "aot/retrace_guard.h"
#include "aot/versions/trace_rules.h"
#include "ir/symbolic/range.h"
#include "ir/symbolic/relation.h"

#include <c10/core/SymInt.h>
#include <c10/core/SymNodeImpl.h>

#include <algorithm>
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

/// Requirements on the values that symbols have in the samples. A trace that fails may be tried again with
/// stricter ones.
struct SymbolChoice {
    /// Whether each sample fulfils all known guards (`s27 <= 6`); otherwise only the equalities.
    bool withinGuards = false;
    /// Whether symbols with equal hints are equal in each sample.
    bool tiesEqualHints = false;
    /// Relations that an earlier attempt needed. Of two equal symbols (`Eq(s2, s77)`) one is replaced by the
    /// other.
    std::vector<std::string> required;
    /// Relations that the user states.
    std::vector<std::string> stated;
};

/// How a symbolic number was computed, so that a graph can compute it again.
struct SymProvenance {
    /// "mul", "add", "floordiv"…, as in `_operator.mul`; empty: not computed (a symbol or a copy).
    std::string operation;
    std::vector<c10::SymNode> operands;
    /// Whether the program or autograd computed it, so that a graph repeats the arithmetic; false: it was
    /// computed for a shape.
    bool tracked = false;
};

/// A symbolic integer, float or bool with its value in every sample and check. Follows torch 2.11,
/// torch/fx/experimental/sym_node.py: SymNode.
class SymbolicNode final : public c10::SymNodeImpl {
public:
    enum class Kind : std::uint8_t { Int, Float, Bool };

    SymbolicNode(ShapeEnvironment& environment, Kind kind, ir::SymExpr expression, std::vector<double> values,
                 SymProvenance provenance)
        : m_environment(environment),
          m_kind(kind),
          m_expression(std::move(expression)),
          m_values(std::move(values)),
          m_provenance(std::move(provenance)) {}

    /// The symbolic number behind a node; throws c10::Error for a node of another kind.
    [[nodiscard]] static const SymbolicNode& of(const c10::SymNode& node);

    [[nodiscard]] const ir::SymExpr& expression() const { return m_expression; }
    [[nodiscard]] double value(std::size_t sample) const {
        return m_values[std::min(sample, m_values.size() - 1)];
    }
    [[nodiscard]] const SymProvenance& provenance() const { return m_provenance; }
    /// Where the latest recording can read it off a tensor; not part of its value.
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
    using Nodes = c10::ArrayRef<c10::SymNode>;
    c10::SymNode is_contiguous(Nodes sizes, Nodes strides) override;
    c10::SymNode is_channels_last_contiguous_2d(Nodes sizes, Nodes strides) override;
    c10::SymNode is_channels_last_contiguous_3d(Nodes sizes, Nodes strides) override;
    c10::SymNode is_channels_last_strides_2d(Nodes sizes, Nodes strides) override;
    c10::SymNode is_channels_last_strides_3d(Nodes sizes, Nodes strides) override;
    c10::SymNode is_non_overlapping_and_dense(Nodes sizes, Nodes strides) override;
    c10::SymNode clone() override;
    c10::SymNode sym_float() override;
    /// `math.trunc`
    [[nodiscard]] c10::SymInt truncated();
    /// `round(number)`: to the nearest integer, of two the even one.
    [[nodiscard]] c10::SymInt rounded();
    /// `torch._sym_sqrt` and its like, by that name; nothing: there is none of that name.
    /// Follows torch 2.15, torch/fx/experimental/sym_node.py: math_op_names.
    [[nodiscard]] std::optional<c10::SymFloat> mathFunction(std::string_view name);
    c10::SymNode wrap_int(std::int64_t number) override;
    c10::SymNode wrap_float(double number) override;
    c10::SymNode wrap_bool(bool flag) override;
    std::int64_t guard_int(const char* file, std::int64_t line) override;
    bool guard_bool(const char* file, std::int64_t line) override;
    /// Adds a guard. A condition on unbacked symbols is assumed to hold instead (ShapeEnvironment::assume).
    bool expect_true(const char* file, std::int64_t line) override;
    double guard_float(const char* file, std::int64_t line) override;
    /// Guards, or answers false (true) where the data decide. Follow torch 2.15,
    /// torch/fx/experimental/symbolic_shapes.py: guard_or_false, guard_or_true.
    bool guard_or_false(const char* file, std::int64_t line) override;
    bool guard_or_true(const char* file, std::int64_t line) override;
    /// Whether the condition holds for all values of its symbols; adds no guard.
    bool statically_known_true(const char* file, std::int64_t line) override;
    std::int64_t int_() override { return guard_int(__FILE__, __LINE__); }
    bool bool_() override { return guard_bool(__FILE__, __LINE__); }
    /// False for a number that only the data tell.
    bool has_hint() override { return !isUnbacked(); }
    std::string str() override { return m_expression.text(); }
    std::optional<std::int64_t> constant_int() override;
    std::optional<std::int64_t> maybe_as_int() override { return constant_int(); }
    bool is_constant() override { return m_kind == Kind::Int && m_expression.constant().has_value(); }
    bool is_symbolic() override { return true; }

private:
    [[nodiscard]] bool isUnbacked() const;
    [[nodiscard]] bool guardOr(bool fallback);
    template<typename Compute>
    [[nodiscard]] c10::SymNode combine(const char* operation, Kind kind, ir::SymExpr expression,
                                       const c10::SymNode& other, Compute compute);
    /// A function of this number alone.
    template<typename Compute>
    [[nodiscard]] c10::SymNode apply(const char* operation, Kind kind, ir::SymExpr expression,
                                     Compute compute);
    template<typename Compute>
    [[nodiscard]] c10::SymNode compare(const char* operation, ir::SymRelation::Kind relation,
                                       const c10::SymNode& other, Compute compute);
    /// A new number, which ShapeEnvironment::onComputed gets.
    [[nodiscard]] c10::SymNode reported(const char* operation, Kind kind, ir::SymExpr expression,
                                        std::vector<double> values, std::vector<c10::SymNode> operands);
    /// A condition on the layout, which has no text.
    [[nodiscard]] c10::SymNode layoutQuestion(Nodes sizes, Nodes strides,
                                              bool (*answer)(c10::IntArrayRef, c10::IntArrayRef)) const;

    ShapeEnvironment& m_environment;
    Kind m_kind;
    ir::SymExpr m_expression;
    std::vector<double> m_values;
    SymProvenance m_provenance;
    mutable SizeSource m_source;
};

/// The symbolic node behind a SymInt; null for a plain integer. The SymInt owns it.
[[nodiscard]] const SymbolicNode* asSymbolic(const c10::SymInt& value);

[[nodiscard]] ir::SymExpr expressionOf(const c10::SymInt& value);

/// The value of a number that is not symbolic.
[[nodiscard]] std::optional<std::int64_t> plainNumber(const c10::SymInt& value);

/// The value of a number in one sample or check; -1 if it is not finite there (a division by zero).
[[nodiscard]] std::int64_t sampledValue(const c10::SymInt& value, std::size_t sample);
[[nodiscard]] std::vector<std::int64_t> sampledValues(c10::SymIntArrayRef values, std::size_t sample);

/// The symbols of one trace, their values in each sample, the guards taken, and the rules that the trace
/// follows. Stands in for torch 2.11,
/// torch/fx/experimental/symbolic_shapes.py: ShapeEnv, but checks an operator's sizes against several values
/// of the symbols.
class ShapeEnvironment {
public:
    /// `rules`: those of the release that the trace follows.
    explicit ShapeEnvironment(const aot::TraceRules& rules) : m_rules(rules) {}
    ShapeEnvironment(const ShapeEnvironment&) = delete;
    ShapeEnvironment& operator=(const ShapeEnvironment&) = delete;

    [[nodiscard]] const aot::TraceRules& rules() const { return m_rules; }
    /// Sets which symbols stand for integer inputs of the program; call it before the first symbol.
    void setNumberSymbols(ir::NumberSymbols numbers) { m_numberSymbols = std::move(numbers); }
    [[nodiscard]] const ir::NumberSymbols& numberSymbols() const { return m_numberSymbols; }
    /// Announces the symbols with their hints and chooses their values in the samples. These fulfil known
    /// guards and keep the order of the hints, so that comparisons have the same answer in each sample where
    /// possible. `inputSizes`: sizes of inputs that are computed from symbols, which are never negative.
    void announceSymbols(std::vector<std::pair<std::string, std::int64_t>> hints,
                         const SymbolChoice& choice = {}, const std::vector<ir::SymExpr>& inputSizes = {});

    /// Operators are computed for this many values of the symbols; the first are the hints.
    static constexpr std::size_t sampleCount = 3;
    /// Further values of the symbols. A number among an operator's arguments becomes a size of its result
    /// only if it has the right value for these as well.
    static constexpr std::size_t checkCount = 5;

    /// Adds a fact that holds for the hints as a guard; call it before there are symbols. A symbol that
    /// equals a number or another symbol is replaced by it everywhere; conditions that follow from the fact
    /// add no guards. `byUser`: false for a fact that an earlier attempt needed.
    void takeFact(const ir::SymExpr& fact, bool byUser = true);
    /// Adds a guard of the program from before this trace (`s77 <= 25`). Conditions that follow from it add
    /// no guards.
    void takeKnown(const ir::SymExpr& guard);
    /// Sets what the program asserts of unbacked symbols (`Eq(u0 + u1, 7)`); their values in each sample
    /// fulfil it.
    void takeAsserted(std::vector<ir::SymExpr> asserted);
    /// Sets how many unbacked integers and floats there were before this trace. Names continue from there, as
    /// Dynamo counts.
    void setUnbackedCounts(std::size_t numbers, std::size_t floats) {
        m_unbackedNumbers = numbers;
        m_unbackedFloats = floats;
    }
    /// Integers whose names no log shows are named from this number on.
    void nameUnbackedFrom(std::size_t number) { m_firstUnbackedName = number; }
    /// The symbol with its hint, or what a fact replaced it by. Unless guards forbid it, its values in the
    /// other samples are multiples of the hint. Follows ShapeEnv.create_symbol.
    [[nodiscard]] c10::SymInt symbol(const std::string& name, std::int64_t hint);
    /// The values of the input symbols in one sample or check, replaced symbols included.
    [[nodiscard]] ir::SymbolBindings bindings(std::size_t sample) const;
    /// What a fact replaced a symbol by, as text; empty: not replaced.
    [[nodiscard]] std::string replacementOf(const std::string& name) const;
    [[nodiscard]] bool hasSymbols() const { return !m_symbols.empty(); }
    [[nodiscard]] std::size_t samples() const { return m_symbols.empty() ? 1 : sampleCount; }
    /// How many values a number has: one for each sample, then one for each check.
    [[nodiscard]] std::size_t valueCount() const { return m_symbols.empty() ? 1 : sampleCount + checkCount; }
    /// The checks that fulfil all guards, as indices into a number's values.
    [[nodiscard]] std::vector<std::size_t> checksWithinGuards();
    /// The values of the symbols in each sample, for messages: "s0 = 3, 21, 33".
    [[nodiscard]] std::string symbolValues() const;

    /// An unbacked integer within these bounds: a new symbol, or on another pass over the same program node
    /// the symbol it got there before. Follows ShapeEnv.create_unbacked_symint.
    [[nodiscard]] c10::SymInt unbackedInt(std::optional<std::int64_t> least,
                                          std::optional<std::int64_t> most);
    [[nodiscard]] c10::SymFloat unbackedFloat();
    [[nodiscard]] c10::SymBool unbackedBool();
    [[nodiscard]] bool hasUnbacked() const { return !m_unbacked.empty(); }
    /// Whether a number contains an unbacked symbol.
    [[nodiscard]] bool isUnbacked(const c10::SymInt& number) const;
    /// Whether a number has this bound for all values of the symbols; false: not known.
    [[nodiscard]] bool knownAtLeast(const c10::SymInt& number, std::int64_t least) const;
    [[nodiscard]] bool knownAtMost(const c10::SymInt& number, const c10::SymInt& most) const;
    /// Whether an expression is known to be at least 0, by the bounds of its symbols and by what was assumed.
    [[nodiscard]] bool knownNonnegative(const ir::SymExpr& expression) const;
    /// The answer to a condition if it is the same for all values of its symbols that bounds and assertions
    /// allow; nothing: the values decide. Follows ShapeEnv._maybe_evaluate_static.
    [[nodiscard]] std::optional<bool> staticAnswer(const SymbolicNode& condition) const;
    /// Takes a comparison that the program asserts as true. Follows ShapeEnv.guard_or_defer_runtime_assert.
    void assume(const c10::SymNode& condition);

    /// Sets the program node that runs from now on. Guards name it, and new unbacked symbols take the names
    /// in its logged value. `node` identifies it, because names may repeat.
    void enterNode(const void* node, const std::string& name, const std::set<std::string>& unbackedNames);
    /// A known result of the current program node: a float input of the compile, which Dynamo passes as a
    /// tensor.
    struct KnownFloat {
        double value = 0;
        /// Its symbol; empty: the compile specialized on the value.
        std::string symbol;
    };
    void setKnownFloat(std::optional<KnownFloat> number) { m_knownFloat = std::move(number); }
    [[nodiscard]] std::optional<c10::SymFloat> knownFloat();
    /// The same for a size or an item that the program specialized on.
    void setKnownInt(std::optional<std::int64_t> number) { m_knownInt = number; }
    /// Sets how the program writes the value of the current node if that contains no unbacked symbol: each
    /// pass over the node then makes a new one. Empty otherwise.
    void setUnnamed(std::string symbol) { m_unnamed = std::move(symbol); }

    void addGuard(const ir::SymExpr& guard);
    /// Continues as if two sizes were equal, with a guard if that makes a symbol a number or another symbol.
    /// Does nothing if their hints differ. Throws like `requireGuard` if they differ in another sample.
    void assumeEqual(const c10::SymInt& left, const c10::SymInt& right);
    /// The trace can only continue if this holds in each sample. Throws c10::Error, so that the trace can
    /// start again with the guard; does nothing if the guard is among the known ones already.
    void requireGuard(const ir::SymExpr& guard);
    /// The guard that ended the trace; empty: none.
    [[nodiscard]] const std::string& requiredGuard() const { return m_needed.text(); }
    /// Specializes the symbol of a float on its value, with a guard.
    void specializeFloat(const SymbolicNode& number);
    /// Whether all symbols of a float were specialized.
    [[nodiscard]] bool isSpecializedFloat(const SymbolicNode& number) const;
    /// Whether a guard follows from what is known of the symbols.
    [[nodiscard]] bool alwaysHolds(const ir::SymExpr& guard) const;
    [[nodiscard]] const std::vector<aot::RetraceGuard>& guards() const { return m_guards; }
    /// Called with every new guard, to note where it came from. Must not throw: LibTorch's code is on the
    /// stack.
    std::function<void(aot::RetraceGuard&)> onGuard;
    /// Called with every number computed from symbols, if arithmetic is to be recorded as it happens; unset:
    /// it is recorded when a graph needs its result (torch/fx/experimental/proxy_tensor.py: thunkify).
    std::function<void(const c10::SymNode&)> onComputed;
    /// Off while shapes are computed: that arithmetic is not the program's.
    bool recordsArithmetic = true;
    /// The operators that were run on real zeros for their shapes (meta/real_zeros.h), in order of first use.
    std::vector<std::string> ranOnZeros;
    /// As aot::RetraceResult::changedOperators, where another release than LibTorch's is followed.
    std::set<std::string> changedOperators;
    bool notesChangedOperators = false;

    /// `torch.sym_sum`
    [[nodiscard]] c10::SymInt symSum(const std::vector<c10::SymInt>& terms);
    /// A number of the same value without provenance.
    [[nodiscard]] c10::SymInt copyOf(const SymbolicNode& number);
    [[nodiscard]] c10::SymInt make(ir::SymExpr expression, std::vector<double> values,
                                   SymProvenance provenance);
    /// A new number of any kind.
    [[nodiscard]] c10::SymNode node(SymbolicNode::Kind kind, ir::SymExpr expression,
                                    std::vector<double> values, SymProvenance provenance = {});
    /// The symbols by name, each with its values in samples and checks.
    [[nodiscard]] const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& symbols() const {
        return m_symbols;
    }

private:
    /// The program asserts that a number has a relation to 0.
    struct Assertion {
        ir::SymRelation::Kind relation = ir::SymRelation::Kind::Equal;
        ir::SymExpr number;
    };

    /// The next name for an unbacked symbol of the current node: the logged one, else `prefix` and a number.
    [[nodiscard]] std::string unbackedName(std::string_view prefix);
    [[nodiscard]] std::vector<double> unbackedValues(const std::string& name, const ir::SymRange& range);
    /// Whether the last of a new symbol's values is allowed in its sample: within the range, as the program
    /// asserts, and not such that another symbol has all the same values.
    [[nodiscard]] bool isPossible(const std::string& name, const std::vector<std::int64_t>& values,
                                  const ir::SymRange& range) const;
    /// The bounds of a number that follow from those of its symbols, and those that assertions tell of it.
    [[nodiscard]] ir::SymRange rangeOf(const ir::SymExpr& number) const;
    [[nodiscard]] ir::SymRange assertedRange(const ir::SymExpr& number) const;
    /// Whether a number has a relation to 0.
    [[nodiscard]] std::optional<bool> staticComparison(ir::SymRelation::Kind relation,
                                                       const ir::SymExpr& number) const;
    /// A number, or another symbol.
    using Replacement = std::variant<std::int64_t, std::string>;
    [[nodiscard]] Replacement resolved(const std::string& name) const;

    aot::TraceRules m_rules;
    ir::NumberSymbols m_numberSymbols;
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> m_symbols;
    std::map<std::string, ir::SymRange, std::less<>> m_unbacked;
    /// Unbacked symbols by the program node that created them, and how many of them the current pass over the
    /// node has used.
    std::map<const void*, std::vector<std::string>> m_unbackedOfNode;
    std::size_t m_nextOfNode = 0;
    std::size_t m_unbackedNumbers = 0;
    std::size_t m_firstUnbackedName = 0;
    std::size_t m_unbackedFloats = 0;
    const void* m_place = nullptr;
    std::string m_currentNode;
    std::map<std::string, c10::SymInt> m_made;
    std::optional<KnownFloat> m_knownFloat;
    std::optional<std::int64_t> m_knownInt;
    std::string m_unnamed;

    /// Values of the announced symbols in samples and checks.
    std::map<std::string, std::vector<std::int64_t>, std::less<>> m_announced;
    std::map<std::string, Replacement> m_replacements;
    ir::KnownRanges m_known;
    /// Hints of the announced symbols.
    ir::SymbolBindings m_hints;
    std::vector<ir::SymExpr> m_knownGuards;
    std::vector<ir::SymExpr> m_asserted;
    std::vector<Assertion> m_assertions;
    ir::SymExpr m_needed;
    std::set<std::string, std::less<>> m_specializedFloats;
    std::vector<aot::RetraceGuard> m_guards;
    /// Which checks violate a guard, and how many guards were evaluated for that.
    std::array<bool, checkCount> m_ruledOut = {};
    std::size_t m_guardsLookedAt = 0;
    std::size_t m_knownGuardsLookedAt = 0;
};

} // namespace aotscope::torch
