#include "fake/sympy_text.h"

#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace aotscope::torch {

SympyTerm sympyNumber(double number) {
    return {SympyTerm::Kind::Number, {}, number, {}};
}

namespace {

class SympyReader {
public:
    explicit SympyReader(std::string_view text) : m_text(text) {}

    [[nodiscard]] SympyTerm sum() {
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
    [[nodiscard]] bool atEnd() const { return m_at == m_text.size(); }

private:
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
            SympyTerm inner = sum();
            if (take("//")) {
                SympyTerm divisor = sum();
                inner = {SympyTerm::Kind::Function, "FloorDiv", 0, {std::move(inner), std::move(divisor)}};
            }
            take(")");
            return inner;
        }
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isWord(m_text[m_at])) {
            ++m_at;
        }
        std::string name(m_text.substr(start, m_at - start));
        if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
            SympyTerm number = sympyNumber(std::strtod(name.c_str(), nullptr));
            number.isFloat = name.find('.') != std::string::npos;
            return number;
        }
        if (!take("(")) {
            return {SympyTerm::Kind::Symbol, std::move(name), 0, {}};
        }
        SympyTerm call{SympyTerm::Kind::Function, std::move(name), 0, {}};
        do {
            call.parts.push_back(sum());
        } while (take(", "));
        take(")");
        return call;
    }

    static bool isWord(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
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
};

} // namespace

std::optional<SympyTerm> readSympy(std::string_view text) {
    SympyReader reader(text);
    SympyTerm term = reader.sum();
    return reader.atEnd() ? std::optional(std::move(term)) : std::nullopt;
}

} // namespace aotscope::torch
