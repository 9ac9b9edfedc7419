#pragma once

#include "ir/symbolic/expression.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Relations between symbols, as in guards and in facts that the user states.
namespace aotscope::ir {

/// Two expressions that are compared, as in `s0 + 2 < 10` and `Eq(s0, s1)`.
struct SymRelation {
    enum class Kind : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    Kind kind = Kind::Equal;
    SymExpr left;
    SymExpr right;

    /// As PyTorch prints it.
    [[nodiscard]] SymExpr guard() const;
};

/// The relation that a condition consists of, also inside `Not(…)`; nothing for any other condition.
[[nodiscard]] std::optional<SymRelation> relationOf(const SymExpr& condition);
/// `Not(…)`
[[nodiscard]] SymExpr negation(const SymExpr& condition);

/// A relation of one symbol to a number or another symbol: `s0 < 10`, `Eq(s0, s1)`.
struct SymbolRelation {
    SymRelation::Kind kind = SymRelation::Kind::Equal;
    std::string symbol;
    /// Empty: compared with `number`.
    std::string otherSymbol;
    std::int64_t number = 0;

    friend bool operator==(const SymbolRelation&, const SymbolRelation&) = default;
};

/// The symbol may be on either side. A bound of a symbol plus a number is solved for the symbol (PyTorch's
/// try_solve). Nothing for any other condition.
[[nodiscard]] std::optional<SymbolRelation> symbolRelation(const SymExpr& condition);

/// Whether a guard pins a computed float: `Eq(FloatPow(ToFloat(s0), -0.5), 0.25)`. PyTorch specializes the
/// float but learns nothing of the sizes it was computed from. Follows torch 2.11,
/// torch/fx/experimental/symbolic_shapes.py: _maybe_guard_rel (a solution must consist of integers).
[[nodiscard]] bool pinsFloat(const SymExpr& guard);

/// Whether a guard holds for every size of at least 2, and so says nothing (0 and 1 are specialized):
/// `Eq(5*s0, 5*s0)`, `Not(Eq(s0*s1, 1))`, `s0 < 4*s0`. Handles relations between products of symbols and
/// numbers; returns false for all others. Unbacked symbols (`u0`) and `numbers` may have any value. Stands in
/// for torch 2.11, torch/fx/experimental/symbolic_shapes.py: ShapeEnv._maybe_evaluate_static.
[[nodiscard]] bool holdsForAllSizes(const SymExpr& guard, const NumberSymbols& numbers);

/// What facts imply for the values of symbols.
class KnownRanges {
public:
    void add(SymbolRelation relation) { m_relations.push_back(std::move(relation)); }
    /// Whether the facts imply a relation.
    [[nodiscard]] bool imply(const SymbolRelation& question) const;
    [[nodiscard]] SymRange range(std::string_view symbol) const;

private:
    std::vector<SymbolRelation> m_relations;
};

} // namespace aotscope::ir
