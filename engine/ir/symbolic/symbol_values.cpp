#include "ir/symbolic/symbol_values.h"

#include "ir/symbolic/relation.h"

#include <algorithm>
#include <set>

namespace aotscope::ir {

namespace {

/// How far from the hints values are tried, and how many trials there are.
constexpr std::int64_t kFarthest = 64;
constexpr std::size_t kMostTrials = 4000;

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

SymbolValues::SymbolValues(const std::vector<SymExpr>& guards, bool all) {
    for (const SymExpr& expression : guards) {
        Guard guard{expression, expression.symbols(), {}, all};
        const auto relation = relationOf(expression);
        if (relation && relation->kind == SymRelation::Kind::Equal) {
            guard.sides.emplace(relation->left, relation->right);
            guard.wanted = true;
        }
        m_guards.push_back(std::move(guard));
    }
}

void SymbolValues::keepAtLeast(const SymExpr& expression, std::int64_t least) {
    const SymExpr guard("(" + expression.text() + ") >= " + std::to_string(least));
    m_guards.push_back({guard, guard.symbols(), {}, true});
}

bool SymbolValues::holds(const Guard& guard, const SymbolBindings& values) {
    return guard.expression.evaluateBool(values).value_or(true);
}

std::vector<std::string> SymbolValues::boundTo(const Guard& violated) const {
    std::vector<std::string> bound;
    const auto add = [&](const Guard& guard) {
        const std::size_t before = bound.size();
        for (const std::string& symbol : guard.symbols) {
            if (m_wanted.contains(symbol) && !contains(bound, symbol)) {
                bound.push_back(symbol);
            }
        }
        return bound.size() != before;
    };
    bool grown = add(violated);
    while (grown) {
        grown = false;
        for (const Guard& guard : m_guards) {
            const bool shares = std::ranges::any_of(
                guard.symbols, [&](const std::string& name) { return contains(bound, name); });
            grown = (guard.wanted && shares && add(guard)) || grown;
        }
    }
    // Symbols that an equality determines come last.
    std::stable_partition(bound.begin(), bound.end(), [&](const std::string& symbol) {
        return std::ranges::none_of(m_guards, [&](const Guard& guard) {
            return guard.sides &&
                   (guard.sides->first.text() == symbol || guard.sides->second.text() == symbol);
        });
    });
    return bound;
}

std::optional<std::vector<std::int64_t>> SymbolValues::dictated(const Guard& guard,
                                                                const std::string& symbol) {
    if (!guard.sides || !contains(guard.symbols, symbol)) {
        return std::nullopt;
    }
    // The difference of both sides as a line in the symbol, and two more points at which it must be that.
    std::vector<std::int64_t> differences;
    const std::int64_t points[] = {2, 3, 5, 67};
    for (const std::int64_t point : points) {
        m_values[symbol] = point;
        const auto left = guard.sides->first.evaluateInt(m_values);
        const auto right = guard.sides->second.evaluateInt(m_values);
        if (left && right) {
            differences.push_back(*left - *right);
        }
    }
    m_values.erase(symbol);
    if (differences.size() != std::size(points)) {
        return std::nullopt;
    }
    const std::int64_t slope = differences[1] - differences[0];
    const bool isLine =
        differences[2] == differences[0] + 3 * slope && differences[3] == differences[0] + 65 * slope;
    if (slope == 0 || !isLine) {
        return std::nullopt;
    }
    const std::int64_t zero = 2 - differences[0] / slope;
    // 0 and 1 are specialized.
    const bool isSize =
        differences[0] % slope == 0 && zero >= std::clamp<std::int64_t>(m_seen.at(symbol), 0, 2);
    return isSize ? std::vector{zero} : std::vector<std::int64_t>();
}

std::vector<std::int64_t> SymbolValues::candidates(const std::string& symbol) {
    for (const Guard& guard : m_guards) {
        if (const auto only = dictated(guard, symbol)) {
            return *only;
        }
    }
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> taken;
    const auto add = [&](std::int64_t value) {
        const bool again = std::ranges::any_of(m_avoided, [&](const SymbolBindings& others) {
            const auto other = others.find(symbol);
            return other != others.end() && other->second == value;
        });
        // 0 and 1 are specialized.
        if (value >= 2) {
            (again ? taken : values).push_back(value);
        }
    };
    add(m_wanted.at(symbol));
    const std::int64_t seen = m_seen.at(symbol);
    // From coarse to fine: sizes that a quotient rounds to the same number differ within narrow bounds, too.
    for (std::int64_t width = kFarthest; width >= 1; width /= 2) {
        for (std::int64_t step = width; step <= kFarthest; step += 2 * width) {
            add(seen + step);
            add(seen - step);
        }
    }
    add(seen);
    values.insert(values.end(), taken.begin(), taken.end());
    return values;
}

bool SymbolValues::isAllowed(const std::string& symbol) const {
    return std::ranges::all_of(m_guards, [&](const Guard& guard) {
        return !contains(guard.symbols, symbol) || holds(guard, m_values);
    });
}

bool SymbolValues::assign(const std::vector<std::string>& symbols, std::size_t next) {
    if (next == symbols.size()) {
        return true;
    }
    const std::string& symbol = symbols[next];
    for (const std::int64_t value : candidates(symbol)) {
        if (++m_trials > kMostTrials) {
            break;
        }
        m_values[symbol] = value;
        if (isAllowed(symbol) && assign(symbols, next + 1)) {
            return true;
        }
        m_values.erase(symbol);
    }
    return false;
}

SymbolBindings SymbolValues::find(const SymbolBindings& seen, const SymbolBindings& wanted) {
    m_seen = seen;
    m_wanted = wanted;
    m_values = wanted;
    for (const Guard& guard : m_guards) {
        if (!guard.wanted || holds(guard, m_values)) {
            continue;
        }
        const std::vector<std::string> symbols = boundTo(guard);
        const SymbolBindings before = m_values;
        for (const std::string& symbol : symbols) {
            m_values.erase(symbol);
        }
        m_trials = 0;
        if (!assign(symbols, 0)) {
            m_values = before;
        }
    }
    return m_values;
}

} // namespace aotscope::ir
