#pragma once

namespace aotscope::ir {

/// Follows Python's quotes through a text, a character at a time.
class QuoteScanner {
public:
    /// Whether the character belongs to a quoted string, its quotes with it.
    bool take(char c) {
        if (m_quote == '\0') {
            m_quote = c == '\'' || c == '"' ? c : '\0';
            return m_quote != '\0';
        }
        if (m_escaped) {
            m_escaped = false;
        } else if (c == '\\') {
            m_escaped = true;
        } else if (c == m_quote) {
            m_quote = '\0';
        }
        return true;
    }
    [[nodiscard]] bool isInside() const { return m_quote != '\0'; }
    /// Ends a string that was not closed.
    void reset() {
        m_quote = '\0';
        m_escaped = false;
    }

private:
    char m_quote = '\0';
    bool m_escaped = false;
};

/// Follows brackets, too, which do not count inside quotes.
class Nesting {
public:
    void pass(char c) {
        if (!m_quotes.take(c)) {
            m_depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        }
    }
    [[nodiscard]] int depth() const { return m_depth; }
    [[nodiscard]] bool outside() const { return !m_quotes.isInside() && m_depth == 0; }

private:
    int m_depth = 0;
    QuoteScanner m_quotes;
};

} // namespace aotscope::ir
