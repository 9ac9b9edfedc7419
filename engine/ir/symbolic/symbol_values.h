#pragma once

#include "ir/symbolic/expression.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::ir {

/// Searches values of symbols that fulfil guards.
class SymbolValues {
public:
    /// `all`: every guard must hold. Otherwise only equalities must; other guards restrict just the symbols
    /// that are changed to fulfil them.
    SymbolValues(const std::vector<SymExpr>& guards, bool all);

    /// Only values are found for which the expression is at least `least`.
    void keepAtLeast(const SymExpr& expression, std::int64_t least);

    /// Values to avoid if possible, because another sample has them.
    void avoid(SymbolBindings values) { m_avoided.push_back(std::move(values)); }

    /// Starts from `wanted` and changes the symbols of violated guards, and those tied to them by other
    /// guards that must hold. Tries for each symbol what an equality dictates, then the wanted value, then
    /// values near the hint in `seen`. Symbols keep their wanted values if none are found within a limited
    /// number of trials.
    [[nodiscard]] SymbolBindings find(const SymbolBindings& seen, const SymbolBindings& wanted);

private:
    struct Guard {
        SymExpr expression;
        std::vector<std::string> symbols;
        /// Both sides, if it is an equality.
        std::optional<std::pair<SymExpr, SymExpr>> sides;
        /// Whether symbols are changed to fulfil it.
        bool wanted = false;
    };

    [[nodiscard]] static bool holds(const Guard& guard, const SymbolBindings& values);
    /// The symbols of a violated guard and those tied to them by guards that must hold.
    [[nodiscard]] std::vector<std::string> boundTo(const Guard& violated) const;
    [[nodiscard]] bool assign(const std::vector<std::string>& symbols, std::size_t next);
    /// For an equality that is linear in this open symbol and whose other symbols have values: its only
    /// solution, or an empty list if there is none. Nothing: the guard does not decide the value.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> dictated(const Guard& guard,
                                                                    const std::string& symbol);
    [[nodiscard]] std::vector<std::int64_t> candidates(const std::string& symbol);
    /// Whether no guard of a symbol is violated; guards with open symbols count as fulfilled.
    [[nodiscard]] bool isAllowed(const std::string& symbol) const;

    std::vector<Guard> m_guards;
    std::vector<SymbolBindings> m_avoided;
    SymbolBindings m_seen;
    SymbolBindings m_wanted;
    /// The values so far; symbols without an entry are still open.
    SymbolBindings m_values;
    std::size_t m_trials = 0;
};

} // namespace aotscope::ir
