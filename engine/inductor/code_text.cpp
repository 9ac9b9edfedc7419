#include "inductor/code_text.h"

#include "base/characters.h"
#include "base/trimmed.h"

#include <algorithm>

namespace aotscope::inductor {

std::optional<CodeLine> CodeLines::peek() const {
    if (m_position >= m_text.size()) {
        return std::nullopt;
    }
    const std::size_t end = std::min(m_text.find('\n', m_position), m_text.size());
    std::string_view line = m_text.substr(m_position, end - m_position);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return CodeLine{line, m_position, m_number + 1};
}

std::optional<CodeLine> CodeLines::next() {
    const std::optional<CodeLine> line = peek();
    if (line) {
        m_position = std::min(m_text.find('\n', m_position), m_text.size() - 1) + 1;
        ++m_number;
    }
    return line;
}

void CodeLines::skipTo(std::size_t byte) {
    while (m_position < m_text.size()) {
        const std::size_t end = std::min(m_text.find('\n', m_position), m_text.size());
        if (end >= byte) {
            return;
        }
        m_position = std::min(end, m_text.size() - 1) + 1;
        ++m_number;
    }
}

std::optional<std::pair<std::string_view, std::string_view>> splitOnce(std::string_view text,
                                                                       std::string_view separator) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    return std::pair{text.substr(0, at), text.substr(at + separator.size())};
}

std::vector<std::string_view> splitItems(std::string_view text) {
    std::vector<std::string_view> items;
    ir::Nesting nesting;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == ',' && nesting.outside()) {
            items.push_back(base::trimmed(text.substr(begin, at - begin)));
            begin = at + 1;
        }
        nesting.pass(text[at]);
    }
    if (const std::string_view last = base::trimmed(text.substr(begin)); !last.empty()) {
        items.push_back(last);
    }
    return items;
}

int openBrackets(std::string_view text) {
    ir::Nesting nesting;
    for (const char c : text) {
        nesting.pass(c);
    }
    return nesting.depth();
}

std::optional<std::string_view> bracketContent(std::string_view text, std::size_t open) {
    ir::Nesting nesting;
    for (std::size_t at = open; at < text.size(); ++at) {
        nesting.pass(text[at]);
        if (nesting.depth() == 0 && at > open) {
            return text.substr(open + 1, at - open - 1);
        }
    }
    return std::nullopt;
}

std::string_view valueOf(const std::vector<std::string_view>& items, std::string_view name) {
    for (const std::string_view item : items) {
        const std::string_view key = base::unquoted(base::trimmed(item.substr(0, item.find_first_of("=:"))));
        if (key == name && key.size() < item.size()) {
            return base::trimmed(item.substr(item.find_first_of("=:") + 1));
        }
    }
    return {};
}

bool isName(std::string_view text) {
    return !text.empty() && (text.front() < '0' || text.front() > '9') &&
           std::ranges::all_of(text, base::isWordCharacter);
}

} // namespace aotscope::inductor
