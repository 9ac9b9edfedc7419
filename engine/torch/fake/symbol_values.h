#pragma once

#include "ir/symbolic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Finds values of symbols under which guards hold.
class SymbolValues {
public:
    /// `all`: every guard must hold; else the equalities, and of the others those about symbols that
    /// equalities leave no other choice but to change.
    SymbolValues(const std::vector<ir::SymExpr>& guards, bool all);

    /// Values that symbols have in another sample: others are taken where they can be.
    void avoid(ir::SymbolBindings values) { m_avoided.push_back(std::move(values)); }

    /// `wanted`, with other values of the symbols that violated guards are about and of those that guards
    /// bind to them: what follows from the others first, then the wanted ones, then those nearest to what
    /// PyTorch saw. Symbols for which none are found, in a bounded number of trials, keep the wanted ones.
    [[nodiscard]] ir::SymbolBindings find(const ir::SymbolBindings& seen, const ir::SymbolBindings& wanted);

private:
    struct Guard {
        ir::SymExpr expression;
        std::vector<std::string> symbols;
        /// The sides of an equality.
        std::optional<std::pair<ir::SymExpr, ir::SymExpr>> sides;
        /// Whether symbols are changed to make it hold.
        bool wanted = false;
    };

    [[nodiscard]] static bool holds(const Guard& guard, const ir::SymbolBindings& values);
    /// The symbols that a violated guard is about, with those that guards bind to them.
    [[nodiscard]] std::vector<std::string> boundTo(const Guard& violated) const;
    [[nodiscard]] bool assign(const std::vector<std::string>& symbols, std::size_t next);
    [[nodiscard]] std::vector<std::int64_t> candidates(const std::string& symbol) const;
    /// Whether every guard about a symbol holds as far as its other symbols have values.
    [[nodiscard]] bool isAllowed(const std::string& symbol) const;

    std::vector<Guard> m_guards;
    std::vector<ir::SymbolBindings> m_avoided;
    ir::SymbolBindings m_seen;
    ir::SymbolBindings m_wanted;
    /// What is assigned so far; symbols without an entry are still open.
    ir::SymbolBindings m_values;
    std::size_t m_trials = 0;
};

} // namespace aotscope::torch
