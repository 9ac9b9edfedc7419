#include "fake/shape_environment.h"

#include "base/joined.h"
#include "base/mapped.h"
#include "ir/symbolic/symbol_values.h"

#include <algorithm>
#include <array>
#include <iterator>

/// The values that a ShapeEnvironment's symbols have in the samples and checks.
namespace aotscope::torch {

namespace {

/// Factors of a symbol's hint in the second and third sample: primes, so that no two symbols and no two
/// samples grow in proportion; ascending, so that larger sizes stay larger.
constexpr std::int64_t kFactors[12][ShapeEnvironment::sampleCount - 1] = {
    {7, 11},  {11, 19}, {17, 29}, {19, 31}, {23, 41}, {31, 47},
    {37, 53}, {41, 61}, {47, 67}, {53, 71}, {59, 79}, {61, 83}};

using Values = std::vector<std::int64_t>;

/// A symbol's value in another sample. A number may be 0, and 0 and 1 would tell nothing of how sizes follow
/// from it.
std::int64_t scaled(std::int64_t hint, std::int64_t factor) {
    constexpr std::int64_t ordinary = 2;
    return (hint == 0 || hint == 1 ? ordinary : hint) * factor;
}

/// A symbol's value in a check: near the hint and near twice the hint, and at last a multiple of it. Symbols
/// with equal hints get different values.
std::int64_t checkedValue(std::int64_t seen, std::size_t rank, std::size_t check) {
    const auto apart = static_cast<std::int64_t>(rank);
    const std::array<std::int64_t, ShapeEnvironment::checkCount> values = {
        seen + 1 + apart, 2 * seen + 1 + 2 * apart, std::max<std::int64_t>(2, seen - 1 - apart),
        seen + 3 + 2 * apart, seen * (2 + apart)};
    return values[check];
}

} // namespace

void ShapeEnvironment::announceSymbols(std::vector<std::pair<std::string, std::int64_t>> hints,
                                       const SymbolChoice& choice,
                                       const std::vector<ir::SymExpr>& inputSizes) {
    const ir::SymbolBindings seen(hints.begin(), hints.end());
    m_hints = seen;
    std::ranges::stable_sort(hints,
                             [](const auto& left, const auto& right) { return left.second < right.second; });
    std::map<std::string, std::size_t, std::less<>> ranks;
    for (const auto& [name, hint] : hints) {
        ranks.emplace(name, ranks.size());
    }
    const auto wanted = [&](std::size_t sample) {
        ir::SymbolBindings bindings;
        for (const auto& [name, hint] : seen) {
            bindings[name] = scaled(hint, kFactors[ranks.at(name) % std::size(kFactors)][sample - 1]);
        }
        return bindings;
    };
    const auto tieSymbols = [&](const std::vector<std::string>& names) {
        std::map<std::int64_t, std::size_t> rankOfValue;
        for (const std::string& name : names) {
            if (const auto value = seen.find(name); value != seen.end()) {
                const std::size_t rank = ranks.at(name);
                ranks[name] = rankOfValue.try_emplace(value->second, rank).first->second;
            }
        }
    };
    if (choice.tiesEqualHints) {
        const auto names = base::mapped(hints, [](const auto& each) { return each.first; });
        tieSymbols(names);
    }
    for (const ir::SymExpr& guard : m_knownGuards) {
        for (std::size_t k = 1; k < sampleCount; ++k) {
            if (guard.evaluateBool(wanted(k)) == false) {
                tieSymbols(guard.symbols());
            }
        }
    }
    ir::SymbolValues values(m_knownGuards, choice.withinGuards);
    for (const ir::SymExpr& size : inputSizes) {
        // A size of 0 or 1 would tell nothing of how others follow from it.
        constexpr std::int64_t ordinary = 2;
        values.keepAtLeast(size, std::clamp<std::int64_t>(size.evaluateInt(seen).value_or(0), 0, ordinary));
    }
    values.avoid(seen);
    for (const auto& [name, hint] : seen) {
        m_announced[name] = {hint};
    }
    for (std::size_t k = 1; k < sampleCount; ++k) {
        const ir::SymbolBindings found = values.find(seen, wanted(k));
        for (const auto& [name, value] : found) {
            m_announced[name].push_back(value);
        }
        values.avoid(found);
    }
    for (std::size_t check = 0; check < checkCount; ++check) {
        ir::SymbolBindings bindings;
        for (const auto& [name, hint] : seen) {
            bindings[name] = checkedValue(hint, ranks.at(name), check);
        }
        for (const auto& [name, value] : values.find(seen, bindings)) {
            m_announced[name].push_back(value);
        }
    }
}

std::vector<std::size_t> ShapeEnvironment::checksWithinGuards() {
    std::vector<std::size_t> checks;
    for (std::size_t check = 0; check < checkCount; ++check) {
        const std::size_t place = sampleCount + check;
        const bool anyNew =
            m_guardsLookedAt < m_guards.size() || m_knownGuardsLookedAt < m_knownGuards.size();
        const ir::SymbolBindings values = anyNew ? bindings(place) : ir::SymbolBindings();
        const auto isViolated = [&](const ir::SymExpr& guard) { return guard.evaluateBool(values) == false; };
        bool& out = m_ruledOut[check];
        for (std::size_t i = m_guardsLookedAt; !out && i < m_guards.size(); ++i) {
            out = isViolated(m_guards[i].expression);
        }
        for (std::size_t i = m_knownGuardsLookedAt; !out && i < m_knownGuards.size(); ++i) {
            out = isViolated(m_knownGuards[i]);
        }
        if (!out) {
            checks.push_back(place);
        }
    }
    m_guardsLookedAt = m_guards.size();
    m_knownGuardsLookedAt = m_knownGuards.size();
    return checks;
}

c10::SymInt ShapeEnvironment::symbol(const std::string& name, std::int64_t hint) {
    const Replacement replacement = resolved(name);
    if (const auto* number = std::get_if<std::int64_t>(&replacement)) {
        return c10::SymInt(*number);
    }
    if (const auto& other = std::get<std::string>(replacement); other != name) {
        return symbol(other, hint);
    }
    if (const auto made = m_made.find(name); made != m_made.end()) {
        return made->second;
    }
    Values values = {hint};
    if (const auto announced = m_announced.find(name); announced != m_announced.end()) {
        values = announced->second;
    } else {
        for (const std::int64_t factor : kFactors[m_symbols.size() % std::size(kFactors)]) {
            values.push_back(scaled(hint, factor));
        }
        for (std::size_t check = 0; check < checkCount; ++check) {
            values.push_back(checkedValue(hint, m_symbols.size(), check));
        }
    }
    m_symbols.emplace_back(name, values);
    c10::SymInt made = make(ir::SymExpr::symbol(name, m_numberSymbols),
                            std::vector<double>(values.begin(), values.end()), {});
    m_made.emplace(name, made);
    return made;
}

std::string ShapeEnvironment::symbolValues() const {
    std::string text;
    for (const auto& [name, values] : m_symbols) {
        text += (text.empty() ? "" : "; ") + name + " = " +
                base::joined(Values(values.begin(), values.begin() + sampleCount));
    }
    return text;
}

} // namespace aotscope::torch
