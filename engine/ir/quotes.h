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

} // namespace aotscope::ir
