#pragma once

#include "ir/symbolic.h"

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Relations between symbols, as in guards and in facts that the user states.
namespace aotscope::torch {

/// A relation of one symbol to a number or another symbol: `s0 < 10`, `Eq(s0, s1)`.
struct SymbolRelation {
    enum class Kind : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    Kind kind = Kind::Equal;
    std::string symbol;
    /// Empty: compared with `number`.
    std::string otherSymbol;
    std::int64_t number = 0;
};

/// Parses a relation as guards print it (`Eq(s0, 8)`, `s0 < 10`, `Not(s0 < 10)`) or with Python's operators;
/// the number may be on either side. A bound of a symbol plus a number is solved for the symbol (PyTorch's
/// try_solve). Nothing for any other text.
[[nodiscard]] std::optional<SymbolRelation> symbolRelation(std::string_view text);

/// Whether a guard pins a computed float: `Eq(FloatPow(ToFloat(s0), -0.5), 0.25)`. PyTorch specializes the
/// float but learns nothing of the sizes it was computed from. Follows torch 2.11,
/// torch/fx/experimental/symbolic_shapes.py: _maybe_guard_rel (a solution must consist of integers).
[[nodiscard]] bool pinsFloat(std::string_view guard);

/// Checks a fact that the user states for a trace whose symbols have these hints. It must be a relation of
/// known symbols that holds for the hints, because the trace takes the branches of the hints. Errors:
/// trace.fact.
[[nodiscard]] base::Result<void> checkFact(const std::string& fact, const ir::SymbolBindings& hints);

/// What facts imply for the values of symbols.
class KnownRanges {
public:
    void add(SymbolRelation relation) { m_relations.push_back(std::move(relation)); }
    /// Whether the facts imply a relation.
    [[nodiscard]] bool imply(const SymbolRelation& question) const;
    /// The least value of a symbol; nothing: not known.
    [[nodiscard]] std::optional<std::int64_t> least(std::string_view symbol) const;
    /// Whether a symbol has an upper bound.
    [[nodiscard]] bool isBounded(std::string_view symbol) const;

private:
    std::vector<SymbolRelation> m_relations;
};

} // namespace aotscope::torch
