#include "ir/text/arguments.h"

#include "ir/python_literal.h"

#include <charconv>

/// Numbers and strings among arguments.
namespace aotscope::ir {

bool ArgumentReader::number(Argument& out) {
    const std::size_t first = m_cursor.position();
    bool real = false;
    if (m_cursor.peek() == '-') {
        m_cursor.advance();
        if (m_cursor.take("inf")) {
            out = -std::numeric_limits<double>::infinity();
            return !isIdentifierPart(m_cursor.peek());
        }
    }
    for (;; m_cursor.advance()) {
        const char c = m_cursor.peek();
        if (isDigit(c)) {
            continue;
        }
        const bool exponentSign = real && (c == '-' || c == '+') && m_cursor.since(first).back() == 'e';
        if (c != '.' && c != 'e' && !exponentSign) {
            break;
        }
        real = true;
    }
    const std::string_view text = m_cursor.since(first);
    if (m_cursor.peek() == 'j') {
        m_cursor.advance();
        const std::optional<std::complex<double>> value = parsePythonComplex(m_cursor.since(first));
        out = value.value_or(std::complex<double>());
        return value.has_value() && !isIdentifierPart(m_cursor.peek());
    }
    if (isIdentifierPart(m_cursor.peek())) {
        return false;
    }
    if (real) {
        const std::optional<double> value = parsePythonFloat(text);
        out = value.value_or(0);
        return value.has_value();
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) {
        return false;
    }
    // Python's integers have no end.
    out = error == std::errc() ? Argument(value) : Argument(OpaqueArgument{std::string(text), {}});
    return true;
}

bool ArgumentReader::string(Argument& out) {
    const std::size_t first = m_cursor.position();
    const char quote = m_cursor.peek();
    m_cursor.advance();
    while (!m_cursor.atEnd() && m_cursor.peek() != quote && m_cursor.peek() != '\n') {
        m_cursor.advance(m_cursor.peek() == '\\' ? 2 : 1);
    }
    if (!m_cursor.take(quote)) {
        m_cursor.failAt(first, "a string is not closed");
    }
    std::optional<std::string> value = parsePythonString(m_cursor.since(first));
    if (!value) {
        return false;
    }
    out = *std::move(value);
    return true;
}

/// Items up to `close`, as a list.

} // namespace aotscope::ir
