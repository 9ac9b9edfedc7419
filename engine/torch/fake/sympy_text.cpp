#include "fake/sympy_text.h"

#include "base/characters.h"
#include "base/numbers.h"

#include <cstddef>
#include <system_error>
#include <utility>

namespace aotscope::torch {

SympyTerm sympyNumber(double number) {
    return {SympyTerm::Kind::Number, {}, number, {}};
}

namespace {

/// Far deeper than PyTorch's expressions. The text is from a log: its brackets must not use up the stack.
constexpr int kDeepestBrackets = 128;

class SympyReader {
public:
    explicit SympyReader(std::string_view text) : m_text(text) {}

    [[nodiscard]] std::optional<SympyTerm> whole() {
        SympyTerm term = sum();
        return !m_failed && m_at == m_text.size() ? std::optional(std::move(term)) : std::nullopt;
    }

private:
    SympyTerm sum() {
        SympyTerm result{SympyTerm::Kind::Sum, {}, 0, {}};
        bool negative = take("-");
        for (;;) {
            SympyTerm next = product();
            result.parts.push_back(negative ? negated(std::move(next)) : std::move(next));
            if (take(" + ")) {
                negative = false;
            } else if (take(" - ")) {
                negative = true;
            } else {
                break;
            }
        }
        return result.parts.size() == 1 ? std::move(result.parts.front()) : result;
    }

    static SympyTerm negated(SympyTerm term) {
        if (term.kind == SympyTerm::Kind::Number) {
            term.number = -term.number;
            return term;
        }
        if (term.kind != SympyTerm::Kind::Product) {
            return {SympyTerm::Kind::Product, {}, 0, {sympyNumber(-1), std::move(term)}};
        }
        if (term.parts.front().kind == SympyTerm::Kind::Number) {
            term.parts.front().number = -term.parts.front().number;
        } else {
            term.parts.insert(term.parts.begin(), sympyNumber(-1));
        }
        return term;
    }

    SympyTerm product() {
        SympyTerm result{SympyTerm::Kind::Product, {}, 0, {}};
        do {
            result.parts.push_back(power());
        } while (m_text.substr(m_at, 2) != "**" && take("*"));
        return result.parts.size() == 1 ? std::move(result.parts.front()) : result;
    }

    SympyTerm power() {
        SympyTerm base = part();
        if (!take("**")) {
            return base;
        }
        SympyTerm exponent = part();
        return {SympyTerm::Kind::Power, {}, 0, {std::move(base), std::move(exponent)}};
    }

    SympyTerm part() {
        if (take("(")) {
            return bracketed();
        }
        const std::size_t start = m_at;
        while (m_at < m_text.size() && (base::isWordCharacter(m_text[m_at]) || m_text[m_at] == '.')) {
            ++m_at;
        }
        const std::string_view name = m_text.substr(start, m_at - start);
        if (name.empty()) {
            return failed();
        }
        if (base::isDigit(name.front())) {
            return number(name);
        }
        return take("(") ? call(name) : SympyTerm{SympyTerm::Kind::Symbol, std::string(name), 0, {}};
    }

    /// Behind an opening bracket: `a)`, `a//b)`.
    SympyTerm bracketed() {
        if (++m_depth > kDeepestBrackets) {
            return failed();
        }
        SympyTerm inner = sum();
        if (take("//")) {
            SympyTerm divisor = sum();
            inner = {SympyTerm::Kind::Function, "FloorDiv", 0, {std::move(inner), std::move(divisor)}};
        }
        --m_depth;
        return take(")") ? std::move(inner) : failed();
    }

    SympyTerm number(std::string_view digits) {
        SympyTerm term = sympyNumber(0);
        term.isFloat = digits.find('.') != std::string_view::npos;
        const auto number = base::wholeNumber<decltype(term.number)>(digits);
        term.number = number.value_or(0);
        return number ? std::move(term) : failed();
    }

    /// Behind the name and the bracket of a call: `a, b)`.
    SympyTerm call(std::string_view name) {
        if (++m_depth > kDeepestBrackets) {
            return failed();
        }
        SympyTerm term{SympyTerm::Kind::Function, std::string(name), 0, {}};
        do {
            term.parts.push_back(sum());
        } while (take(", "));
        --m_depth;
        return take(")") ? std::move(term) : failed();
    }

    /// The text is no expression. Nothing more of it is read.
    SympyTerm failed() {
        m_failed = true;
        m_at = m_text.size();
        return {};
    }

    bool take(std::string_view text) {
        if (!m_text.substr(m_at).starts_with(text)) {
            return false;
        }
        m_at += text.size();
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    bool m_failed = false;
};

} // namespace

std::optional<SympyTerm> readSympy(std::string_view text) {
    return SympyReader(text).whole();
}

} // namespace aotscope::torch
