#include "ir/text/arguments.h"

#include "ir/quotes.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

/// Names that ShapeEnv gives: s77, u0, zf3, zuf1.
bool isSymbolName(std::string_view name) {
    const std::size_t digits = name.find_first_of("0123456789");
    if (digits == std::string_view::npos || digits == 0) {
        return false;
    }
    const std::string_view prefix = name.substr(0, digits);
    const std::string_view rest = name.substr(digits);
    return (prefix == "s" || prefix == "u" || prefix == "zf" || prefix == "zuf") &&
           rest.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Calls `visit(name, called)` for every identifier outside of quotes that is no attribute of another.
template<typename Visit>
void forEachName(std::string_view text, Visit&& visit) {
    QuoteScanner quotes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quotes.take(c)) {
            continue;
        }
        if (isIdentifierPart(c)) {
            const std::size_t first = i;
            while (i + 1 < text.size() && isIdentifierPart(text[i + 1])) {
                ++i;
            }
            if (isIdentifierStart(c) && (first == 0 || text[first - 1] != '.')) {
                visit(text.substr(first, i + 1 - first), i + 1 < text.size() && text[i + 1] == '(');
            }
        }
    }
}

/// Whether the text is an expression over ShapeEnv's symbols.
bool isSymbolic(std::string_view text) {
    if (text.find_first_of("'\"[]{}#:;=") != std::string_view::npos) {
        return false;
    }
    bool any = false;
    bool all = true;
    forEachName(text, [&](std::string_view name, bool called) {
        any = any || (!called && isSymbolName(name));
        all = all && (called || isSymbolName(name));
    });
    return any && all;
}

} // namespace

/// An expression of another kind: everything up to one of `stops` outside of brackets and quotes.
Argument ArgumentReader::unknown(std::string_view stops) {
    const std::size_t first = m_cursor.position();
    std::size_t depth = 0;
    QuoteScanner quotes;
    for (; !m_cursor.atEnd(); m_cursor.advance()) {
        const char c = m_cursor.peek();
        const bool isStop = depth == 0 && stops.find(c) != std::string_view::npos && !(c == '\n' && goesOn());
        if (isStop && !quotes.isInside()) {
            break;
        }
        if (m_form == ArgumentForm::Python && quotes.take(c)) {
            if (c == '\n') {
                quotes.reset();
            }
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
            --depth;
        }
    }
    if (depth > 0) {
        m_cursor.failAt(first, "a bracket is not closed");
    }
    const std::string_view text = trimmedRight(m_cursor.since(first));
    if (text.empty() && m_form == ArgumentForm::Python) {
        m_cursor.fail("expected a value");
    }
    std::vector<NodeId> nodes = mentionedNodes(text);
    if (nodes.empty() && isSymbolic(text)) {
        return SymbolArgument{m_symbols.get(text)};
    }
    if (m_form == ArgumentForm::Percent && nodes.empty()) {
        return std::string(text);
    }
    return OpaqueArgument{std::string(text), std::move(nodes)};
}

/// Whether the line end at the cursor is one of a text that `graph():` prints as it is: no node, and not the
/// end, comes behind it.
bool ArgumentReader::goesOn() const {
    if (m_form == ArgumentForm::Python) {
        return false;
    }
    std::string_view next = m_cursor.rest().substr(1);
    next.remove_prefix(std::min(next.find_first_not_of(' '), next.size()));
    return !next.empty() && !next.starts_with('%') && !next.starts_with("return ");
}

std::vector<NodeId> ArgumentReader::mentionedNodes(std::string_view text) const {
    std::vector<NodeId> nodes;
    forEachName(text, [&](std::string_view name, bool called) {
        const bool marked =
            m_form == ArgumentForm::Python || (name.data() != text.data() && *(name.data() - 1) == '%');
        if (const NodeId node = called || !marked ? NodeId() : m_names.find(name); node.valid()) {
            nodes.push_back(node);
        }
    });
    return nodes;
}

} // namespace aotscope::ir
