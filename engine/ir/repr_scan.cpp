#include "ir/repr_scan.h"

#include <algorithm>
#include <cctype>

namespace aotscope::ir::detail {
namespace {

bool opens(char c) {
    return c == '(' || c == '[' || c == '{';
}

bool closes(char c) {
    return c == ')' || c == ']' || c == '}';
}

/// The last character of the string that begins at `at`; `at` if none does.
std::size_t skipString(std::string_view text, std::size_t at) {
    const std::size_t end = endOfReprString(text, at);
    return end == std::string_view::npos ? at : end - 1;
}

} // namespace

bool isWordStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

bool isExpression(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return isWord(c) || std::string_view("+-*/%() ,").find(c) != std::string_view::npos;
    });
}

std::string_view withoutEndBlanks(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.remove_suffix(1);
    }
    return text;
}

std::size_t endOfReprString(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == quote) {
            return i + 1;
        }
        i += text[i] == '\\' ? 1 : 0;
    }
    return std::string_view::npos;
}

std::size_t endOfValue(std::string_view text, std::size_t at, ValueEnd end) {
    int depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\') {
            ++i;
        } else if (c == '\'' || c == '"') {
            i = skipString(text, i);
        } else if (opens(c)) {
            ++depth;
        } else if (closes(c)) {
            if (depth-- == 0) {
                return i;
            }
        } else if (depth == 0 && (c == ',' || (c == '\n' && end == ValueEnd::Line))) {
            return i;
        }
    }
    return text.size();
}

std::optional<std::size_t> Angles::closing(std::size_t at) {
    if (!m_known) {
        m_known = true;
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < m_text.size(); ++i) {
            if (m_text[i] == '<') {
                open.push_back(i);
            } else if (m_text[i] == '>' && !open.empty()) {
                m_pairs.emplace_back(open.back(), i);
                open.pop_back();
            }
        }
        std::ranges::sort(m_pairs);
    }
    const auto found = std::ranges::lower_bound(m_pairs, at, {}, &std::pair<std::size_t, std::size_t>::first);
    return found != m_pairs.end() && found->first == at ? std::optional(found->second) : std::nullopt;
}

} // namespace aotscope::ir::detail
