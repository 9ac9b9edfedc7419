// Index expressions beside plain counting.
#include "kernels/index_expression.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope::kernels;

namespace {

/// The value of a text of +, -, *, /, % and parentheses over small variables, as C++ counts it.
class Evaluator {
public:
    Evaluator(const std::string& text, std::int64_t i, std::int64_t j, std::int64_t k)
        : m_text(text), m_values{i, j, k} {}
    std::int64_t value() { return sum(); }

private:
    std::int64_t sum() {
        std::int64_t result = product();
        while (m_at < m_text.size() && (peek() == '+' || peek() == '-')) {
            result = m_text[m_at++] == '+' ? result + product() : result - product();
        }
        return result;
    }
    std::int64_t product() {
        std::int64_t result = factor();
        while (m_at < m_text.size() && (peek() == '*' || peek() == '/' || peek() == '%')) {
            const char operation = m_text[m_at++];
            const std::int64_t right = factor();
            result = operation == '*' ? result * right : operation == '/' ? result / right : result % right;
        }
        return result;
    }
    std::int64_t factor() {
        const char next = peek();
        ++m_at;
        if (next == '(') {
            const std::int64_t inner = sum();
            (void)peek();
            ++m_at;
            return inner;
        }
        if (next == '-') {
            return -factor();
        }
        if (next >= 'i' && next <= 'k') {
            return m_values[static_cast<std::size_t>(next - 'i')];
        }
        std::int64_t number = next - '0';
        while (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9') {
            number = number * 10 + (m_text[m_at++] - '0');
        }
        return number;
    }
    char peek() {
        while (m_at < m_text.size() && m_text[m_at] == ' ') {
            ++m_at;
        }
        return m_at < m_text.size() ? m_text[m_at] : ' ';
    }
    const std::string& m_text;
    std::int64_t m_values[3];
    std::size_t m_at = 0;
};

std::int64_t valueOf(const IndexExpression& expression, std::int64_t i, std::int64_t j, std::int64_t k) {
    const std::string text = expression.text();
    return Evaluator(text, i, j, k).value();
}

} // namespace

TEST_CASE("quotients and remainders that ranges decide disappear") {
    const IndexExpression i = IndexExpression::variable("i", 4);
    const IndexExpression j = IndexExpression::variable("j", 6);
    const IndexExpression linear = i * 6 + j;
    CHECK(linear.dividedBy(6).text() == "i");
    CHECK(linear.modulo(6).text() == "j");
    CHECK(linear.dividedBy(24).text() == "0");
    CHECK((linear.dividedBy(5) * 5 + linear.modulo(5)).text() == linear.text());
    CHECK(IndexExpression::variable("i", 1).text() == "0");
}

TEST_CASE("reshaped coordinates name the same element") {
    const std::vector<std::pair<Sizes, Sizes>> shapes = {
        {{4, 6, 5}, {24, 5}},   {{4, 6, 5}, {4, 30}}, {{4, 6, 5}, {8, 3, 5}},
        {{4, 6, 5}, {5, 6, 4}}, {{4, 6, 5}, {120}},   {{4, 6, 5}, {1, 4, 2, 3, 1, 5}},
        {{4, 6, 5}, {10, 12}},
    };
    for (const auto& [from, to] : shapes) {
        const Coordinates at = {IndexExpression::variable("i", 4), IndexExpression::variable("j", 6),
                                IndexExpression::variable("k", 5)};
        const Coordinates there = reshaped(at, from, to);
        const Coordinates back = reshaped(there, to, from);
        for (std::int64_t element = 0; element < 120; ++element) {
            const std::int64_t i = element / 30;
            const std::int64_t j = element / 5 % 6;
            const std::int64_t k = element % 5;
            CHECK(valueOf(addressOf(there, contiguousStrides(to)), i, j, k) == element);
            for (std::size_t dimension = 0; dimension < to.size(); ++dimension) {
                const std::int64_t value = valueOf(there[dimension], i, j, k);
                CHECK(value == element / contiguousStrides(to)[dimension] % to[dimension]);
            }
            CHECK(valueOf(back[0], i, j, k) == i);
            CHECK(valueOf(back[1], i, j, k) == j);
            CHECK(valueOf(back[2], i, j, k) == k);
        }
    }
}

TEST_CASE("whether all elements are covered") {
    const IndexExpression i = IndexExpression::variable("i", 4);
    const IndexExpression j = IndexExpression::variable("j", 6);
    CHECK((i * 6 + j).covers(24));
    CHECK((j * 4 + i).covers(24));
    CHECK_FALSE((i * 6 + j).covers(25));
    CHECK_FALSE((i * 12 + j).covers(24));
    CHECK_FALSE((i * 6 + j + 1).covers(24));
    CHECK(j.covers(6));
}
