#pragma once

#include "ir/symbolic.h"

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Relations between symbols, as guards have them and as a person may state them.
namespace aotscope::torch {

/// A relation of one symbol to a number or another symbol: `s0 < 10`, `Eq(s0, s1)`.
struct SymbolRelation {
    enum class Kind : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    Kind kind = Kind::Equal;
    std::string symbol;
    /// Empty: `number`.
    std::string otherSymbol;
    std::int64_t number = 0;
};

/// Reads what guards print (`Eq(s0, 8)`, `s0 < 10`, `Not(s0 < 10)`) and Python's operators, a number on
/// either side. Nothing for what relates more than that.
[[nodiscard]] std::optional<SymbolRelation> symbolRelation(std::string_view text);

/// Checks a fact that a person states of a trace whose symbols have these hints. It must be a relation in
/// known symbols that the hints fulfil, since the trace goes the way the hints go. Errors: trace.fact.
[[nodiscard]] base::Result<void> checkFact(const std::string& fact, const ir::SymbolBindings& hints);

/// What facts say of symbols' values.
class KnownRanges {
public:
    void add(SymbolRelation relation) { m_relations.push_back(std::move(relation)); }
    /// Whether the facts leave no other answer than yes.
    [[nodiscard]] bool imply(const SymbolRelation& question) const;
    /// The least that a symbol can be; nothing: not known.
    [[nodiscard]] std::optional<std::int64_t> least(std::string_view symbol) const;
    /// Whether a symbol is at most some number.
    [[nodiscard]] bool isBounded(std::string_view symbol) const;

private:
    std::vector<SymbolRelation> m_relations;
};

} // namespace aotscope::torch
