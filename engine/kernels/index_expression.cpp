#include "kernels/index_expression.h"

#include <algorithm>
#include <utility>

namespace aotscope::kernels {

struct IndexExpression::Atom {
    enum class Kind : std::uint8_t { Variable, Quotient, Remainder };
    Kind kind = Kind::Variable;
    std::string text;
    /// Number of values of a variable.
    std::int64_t size = 0;
    /// The operand of a quotient or remainder.
    IndexExpression inner;
    std::int64_t divisor = 1;

    /// The largest value if `upper`, else the smallest.
    [[nodiscard]] std::int64_t bound(bool upper) const {
        if (kind == Kind::Quotient) {
            return inner.bound(upper) / divisor;
        }
        return !upper ? 0 : kind == Kind::Variable ? size - 1 : std::min(divisor - 1, inner.largest());
    }
};

IndexExpression IndexExpression::ofAtom(std::shared_ptr<const Atom> atom) {
    IndexExpression result;
    const std::string key = atom->text;
    result.m_terms.emplace(key, Term{1, std::move(atom)});
    return result;
}

IndexExpression IndexExpression::variable(const std::string& name, std::int64_t size) {
    if (size == 1) {
        return 0;
    }
    auto atom = std::make_shared<Atom>();
    atom->text = name;
    atom->size = size;
    return ofAtom(std::move(atom));
}

void IndexExpression::add(const std::string& key, std::int64_t factor,
                          const std::shared_ptr<const Atom>& atom) {
    const auto [term, isNew] = m_terms.try_emplace(key, Term{factor, atom});
    if (!isNew) {
        term->second.factor += factor;
    }
    if (term->second.factor == 0) {
        m_terms.erase(term);
    }
}

/// Makes `e` of `(e / c) * c + e % c`.
void IndexExpression::joinQuotients() {
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [key, term] : m_terms) {
            if (term.atom->kind != Atom::Kind::Remainder) {
                continue;
            }
            const std::int64_t divisor = term.atom->divisor;
            const IndexExpression quotient = term.atom->inner.dividedBy(divisor);
            if (quotient.m_terms.size() != 1 || quotient.m_constant != 0 ||
                quotient.m_terms.begin()->second.factor != 1) {
                continue;
            }
            const auto other = m_terms.find(quotient.m_terms.begin()->first);
            if (other == m_terms.end() || other->second.factor != term.factor * divisor) {
                continue;
            }
            const IndexExpression whole = term.atom->inner * term.factor;
            const std::string remainderKey = key;
            m_terms.erase(other);
            m_terms.erase(remainderKey);
            m_constant += whole.m_constant;
            for (const auto& [wholeKey, wholeTerm] : whole.m_terms) {
                add(wholeKey, wholeTerm.factor, wholeTerm.atom);
            }
            changed = true;
            break;
        }
    }
}

IndexExpression IndexExpression::operator+(const IndexExpression& other) const {
    IndexExpression sum = *this;
    sum.m_constant += other.m_constant;
    for (const auto& [key, term] : other.m_terms) {
        sum.add(key, term.factor, term.atom);
    }
    sum.joinQuotients();
    return sum;
}

IndexExpression IndexExpression::operator*(std::int64_t factor) const {
    if (factor == 0) {
        return 0;
    }
    IndexExpression result = *this;
    result.m_constant *= factor;
    for (auto& [key, term] : result.m_terms) {
        term.factor *= factor;
    }
    return result;
}

IndexExpression IndexExpression::divided(char sign, std::int64_t divisor) const {
    auto atom = std::make_shared<Atom>();
    atom->kind = sign == '/' ? Atom::Kind::Quotient : Atom::Kind::Remainder;
    atom->inner = *this;
    atom->divisor = divisor;
    atom->text = "(" + (m_terms.size() == 1 && m_constant == 0 ? text() : "(" + text() + ")") + " " + sign +
                 " " + std::to_string(divisor) + ")";
    return ofAtom(std::move(atom));
}

IndexExpression IndexExpression::dividedBy(std::int64_t divisor) const {
    if (divisor == 1) {
        return *this;
    }
    if (isConstant()) {
        return m_constant / divisor;
    }
    // What the divisor divides leaves the quotient, if the rest stays below the divisor.
    IndexExpression whole = m_constant / divisor;
    IndexExpression rest = m_constant % divisor;
    for (const auto& [key, term] : m_terms) {
        if (term.factor % divisor == 0) {
            whole.add(key, term.factor / divisor, term.atom);
        } else {
            rest.add(key, term.factor, term.atom);
        }
    }
    if (m_constant >= 0 && rest.smallest() >= 0) {
        if (rest.largest() < divisor) {
            whole.joinQuotients();
            return whole;
        }
        if (!whole.isConstant() || whole.m_constant != 0) {
            return whole + rest.dividedBy(divisor);
        }
    }
    if (m_terms.size() == 1 && m_constant == 0 && m_terms.begin()->second.factor == 1 &&
        m_terms.begin()->second.atom->kind == Atom::Kind::Quotient) {
        const Atom& inner = *m_terms.begin()->second.atom;
        return inner.inner.dividedBy(inner.divisor * divisor);
    }
    return divided('/', divisor);
}

IndexExpression IndexExpression::modulo(std::int64_t divisor) const {
    if (divisor == 1) {
        return 0;
    }
    if (isConstant()) {
        return m_constant % divisor;
    }
    if (smallest() >= 0 && largest() < divisor) {
        return *this;
    }
    IndexExpression rest = m_constant >= 0 ? m_constant % divisor : m_constant;
    for (const auto& [key, term] : m_terms) {
        if (term.factor % divisor != 0) {
            rest.add(key, term.factor, term.atom);
        }
    }
    if (m_constant >= 0 && rest.smallest() >= 0) {
        if (rest.largest() < divisor) {
            return rest;
        }
        if (rest.m_terms.size() < m_terms.size()) {
            return rest.modulo(divisor);
        }
    }
    return divided('%', divisor);
}

std::int64_t IndexExpression::bound(bool upper) const {
    std::int64_t sum = m_constant;
    for (const auto& [key, term] : m_terms) {
        sum += term.factor * term.atom->bound(upper == (term.factor > 0));
    }
    return sum;
}

std::string IndexExpression::text() const {
    if (m_terms.empty()) {
        return std::to_string(m_constant);
    }
    // The largest factor first, as people write addresses.
    std::vector<std::pair<std::int64_t, std::string>> sorted;
    for (const auto& [key, term] : m_terms) {
        sorted.emplace_back(term.factor, key);
    }
    std::ranges::stable_sort(sorted,
                             [](const auto& left, const auto& right) { return left.first > right.first; });
    std::string result;
    for (const auto& [factor, key] : sorted) {
        const std::int64_t size = factor < 0 ? -factor : factor;
        if (result.empty()) {
            result = factor < 0 ? "-" : "";
        } else {
            result += factor < 0 ? " - " : " + ";
        }
        result += size == 1 ? key : key + " * " + std::to_string(size);
    }
    if (m_constant != 0) {
        result +=
            (m_constant < 0 ? " - " : " + ") + std::to_string(m_constant < 0 ? -m_constant : m_constant);
    }
    return result;
}

bool IndexExpression::uses(std::string_view variable) const {
    return coefficient(variable) != 0 || hides(variable);
}

std::int64_t IndexExpression::coefficient(std::string_view variable) const {
    const auto term = m_terms.find(std::string(variable));
    return term == m_terms.end() ? 0 : term->second.factor;
}

bool IndexExpression::hides(std::string_view variable) const {
    return std::ranges::any_of(m_terms, [&](const auto& entry) {
        const Atom& atom = *entry.second.atom;
        return atom.kind != Atom::Kind::Variable && atom.inner.uses(variable);
    });
}

IndexExpression IndexExpression::without(std::string_view variable) const {
    IndexExpression result = *this;
    result.m_terms.erase(std::string(variable));
    return result;
}

bool IndexExpression::isMultipleOf(std::int64_t factor) const {
    return m_constant % factor == 0 && std::ranges::all_of(m_terms, [factor](const auto& entry) {
               return entry.second.factor % factor == 0;
           });
}

bool IndexExpression::covers(std::int64_t count) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> digits;
    for (const auto& [key, term] : m_terms) {
        if (term.atom->kind != Atom::Kind::Variable) {
            return false;
        }
        digits.emplace_back(term.factor, term.atom->size);
    }
    std::ranges::sort(digits);
    std::int64_t reached = 1;
    for (const auto& [factor, size] : digits) {
        if (factor != reached) {
            return false;
        }
        reached *= size;
    }
    return m_constant == 0 && reached == count;
}

std::int64_t product(const Sizes& sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        count *= size;
    }
    return count;
}

std::int64_t countOf(const Sizes& sizes, const std::vector<bool>& marked) {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        count *= marked[i] ? sizes[i] : 1;
    }
    return count;
}

Sizes contiguousStrides(const Sizes& sizes) {
    Sizes strides(sizes.size());
    std::int64_t next = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = next;
        next *= std::max<std::int64_t>(sizes[i], 1);
    }
    return strides;
}

IndexExpression addressOf(const Coordinates& coordinates, const Sizes& strides) {
    IndexExpression address;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        address = address + coordinates[i] * strides[i];
    }
    return address;
}

Coordinates reshaped(const Coordinates& coordinates, const Sizes& from, const Sizes& to) {
    Coordinates result(to.size());
    std::size_t fromBegin = 0;
    std::size_t toBegin = 0;
    // Blocks of dimensions with equally many elements are translated one by one.
    while (fromBegin < from.size() || toBegin < to.size()) {
        std::size_t fromEnd = fromBegin;
        std::size_t toEnd = toBegin;
        std::int64_t fromCount = 1;
        std::int64_t toCount = 1;
        do {
            if (toEnd == to.size() || (fromEnd < from.size() && fromCount <= toCount)) {
                fromCount *= from[fromEnd++];
            } else {
                toCount *= to[toEnd++];
            }
        } while (fromCount != toCount && (fromEnd < from.size() || toEnd < to.size()));
        const Sizes fromSizes(from.begin() + static_cast<std::ptrdiff_t>(fromBegin),
                              from.begin() + static_cast<std::ptrdiff_t>(fromEnd));
        const Coordinates fromCoordinates(coordinates.begin() + static_cast<std::ptrdiff_t>(fromBegin),
                                          coordinates.begin() + static_cast<std::ptrdiff_t>(fromEnd));
        const IndexExpression linear = addressOf(fromCoordinates, contiguousStrides(fromSizes));
        std::int64_t stride = toCount;
        for (std::size_t i = toBegin; i < toEnd; ++i) {
            stride /= to[i];
            result[i] = linear.dividedBy(stride).modulo(to[i]);
        }
        fromBegin = fromEnd;
        toBegin = toEnd;
    }
    return result;
}

std::string coordinatesKey(const Coordinates& coordinates) {
    std::string key;
    for (const IndexExpression& coordinate : coordinates) {
        key += coordinate.text();
        key += ',';
    }
    return key;
}

} // namespace aotscope::kernels
