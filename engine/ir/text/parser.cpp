#include "ir/text/parser.h"

#include "ir/graph_builder.h"
#include "ir/notes.h"
#include "ir/text/forward.h"
#include "ir/text/percent.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aotscope::ir {
namespace {

constexpr std::size_t deepestClass = 64;

/// `class NAME(torch.nn.Module):` in a line, with what stands before it.
struct ClassLine {
    std::string_view before;
    std::string_view name;
    std::string_view base;
};

std::optional<ClassLine> classLine(std::string_view line) {
    constexpr std::string_view keyword = "class ";
    constexpr std::string_view usualBase = "(torch.nn.Module):";
    const bool usual = line.ends_with(usualBase);
    // A comment or a section's name may be glued to the class; then only the usual base is taken for one.
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || !line.ends_with("):")) {
        return std::nullopt;
    }
    const std::size_t start = line.substr(first).starts_with(keyword) ? first
                              : usual                                 ? line.rfind(keyword)
                                                                      : std::string_view::npos;
    if (start == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t nameStart = start + keyword.size();
    const std::size_t parenthesis = line.find('(', nameStart);
    if (parenthesis == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view before = line.substr(0, start).find_first_not_of(" \t") == std::string_view::npos
                                        ? std::string_view()
                                        : line.substr(0, start);
    return ClassLine{before, line.substr(nameStart, parenthesis - nameStart),
                     line.substr(parenthesis + 1, line.size() - parenthesis - 3)};
}

/// The function of a graph whose class is not printed: `GraphModule.code`, or what was traced up to a
/// failure.
bool startsFunction(std::string_view line) {
    return line.starts_with("def forward(");
}

/// The first line of a printed module, before whose function its modules are listed: "Sequential(",
/// "GraphModule()".
bool startsModuleList(std::string_view line) {
    const std::size_t parenthesis = line.find('(');
    return parenthesis != std::string_view::npos && (line.ends_with('(') || line.ends_with("()")) &&
           (isIdentifier(line.substr(0, parenthesis)) || line.starts_with("<lambda>("));
}

/// The text as it is where a terminal's colours are left out: `print_readable(colored=True)`.
std::string withoutColors(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const std::size_t escape = text.find("\x1b[");
        plain += text.substr(0, escape);
        if (escape == std::string_view::npos) {
            break;
        }
        const std::size_t end = text.find_first_not_of("0123456789;", escape + 2);
        const bool isColor = end != std::string_view::npos && text[end] == 'm';
        if (!isColor) {
            plain += text.substr(escape, 2);
        }
        text.remove_prefix(isColor ? end + 1 : escape + 2);
    }
    return plain;
}

class ModuleReader {
public:
    ModuleReader(std::string_view text, base::Progress& progress)
        : m_text(text), m_cursor(text), m_progress(progress) {}

    GraphPtr read() {
        leading();
        if (m_cursor.startsWith("graph(")) {
            return finish(readPercentForm(m_cursor, m_symbols, m_progress));
        }
        if (m_isFunction) {
            return function();
        }
        classes();
        if (m_open.empty()) {
            m_cursor.fail("the text ends before a graph begins");
        }
        while (m_open.size() > 1) {
            closeInnermost();
        }
        return finish(std::move(m_open.front().graph));
    }

private:
    struct OpenClass {
        std::size_t indent = 0;
        std::string name;
        GraphBuilder graph;
    };

    /// A function alone: no class, no graphs inside.
    GraphPtr function() {
        GraphBuilder graph = ForwardReader(m_cursor, m_symbols, m_progress).read(4);
        graph.editStyle().notes.emplace(notes::form, notes::functionForm);
        const std::span<const NodeId> order = graph.order();
        if (order.empty() || graph.node(order.back()).op != Opcode::Output) {
            graph.editStyle().notes.emplace(notes::deletions, "all");
        }
        if (!m_cursor.atEnd()) {
            const std::size_t lineStart = m_cursor.position();
            m_cursor.skipSpaces();
            trailing(lineStart, m_cursor.position() - lineStart);
        }
        return finish(std::move(graph));
    }

    /// Up to the class, the function or `graph():`: comments, a wrapper's line, a section's name.
    void leading() {
        bool moduleList = false;
        for (;;) {
            const std::size_t lineStart = m_cursor.position();
            const auto beginsAt = [&](std::size_t column) {
                m_leading = m_text.substr(0, lineStart + column);
                m_cursor.moveTo(lineStart + column);
            };
            m_cursor.skipSpaces();
            if (m_cursor.startsWith("graph(")) {
                m_leading = m_text.substr(0, lineStart);
                return;
            }
            const char first = m_cursor.peek();
            m_cursor.moveTo(lineStart);
            const std::string_view line = m_cursor.restOfLine();
            if (const std::optional<ClassLine> found = classLine(line)) {
                return beginsAt(found->before.size());
            }
            if (line.ends_with(":graph():")) {
                return beginsAt(line.size() - std::string_view("graph():").size());
            }
            m_isFunction = startsFunction(line);
            if (m_isFunction) {
                return beginsAt(0);
            }
            const bool wrapperLine =
                first != '#' && line.ends_with(':') && isIdentifier(line.substr(0, line.size() - 1));
            if (wrapperLine && m_wrapper.empty()) {
                m_wrapper = line;
            } else if (startsModuleList(line)) {
                moduleList = true;
            } else if (!moduleList && first != '#' && !line.empty() && !line.starts_with("wrap(")) {
                m_cursor.failAt(lineStart, "expected 'class NAME(torch.nn.Module):' or 'graph():'");
            }
            if (m_cursor.atEnd()) {
                m_cursor.fail("the text ends before a graph begins");
            }
            m_cursor.advance();
        }
    }

    void classes() {
        for (;;) {
            const std::size_t lineStart = m_cursor.position();
            m_cursor.skipSpaces();
            if (m_cursor.atEnd()) {
                return;
            }
            if (m_cursor.atLineEnd()) {
                m_cursor.advance();
                continue;
            }
            const std::size_t indent = m_cursor.position() - lineStart;
            const std::optional<ClassLine> found = classLine(m_cursor.restOfLine());
            if (!found) {
                trailing(lineStart, indent);
                return;
            }
            open(*found, lineStart, indent);
        }
    }

    void open(const ClassLine& line, std::size_t lineStart, std::size_t indent) {
        while (!m_open.empty() && m_open.back().indent >= indent) {
            if (m_open.size() == 1) {
                m_cursor.failAt(lineStart, "a second graph begins; open each of them by itself");
            }
            closeInnermost();
        }
        if (m_open.size() >= deepestClass) {
            m_cursor.failAt(lineStart,
                            "classes are nested more than " + std::to_string(deepestClass) + " deep",
                            "ir.text_too_deep");
        }
        m_cursor.advance();
        const std::string_view wrapped = statementsBeforeFunction();
        OpenClass entry{indent, std::string(line.name),
                        ForwardReader(m_cursor, m_symbols, m_progress).read(indent + 8)};
        TextStyle& style = entry.graph.editStyle();
        style.className = entry.name;
        if (line.base != "torch.nn.Module") {
            style.notes.emplace(notes::baseClass, line.base);
        }
        if (!wrapped.empty()) {
            style.notes.emplace(notes::wrapStatements, wrapped);
        }
        m_open.push_back(std::move(entry));
    }

    /// Lines `wrap("name")` or `torch.fx._symbolic_trace.wrap("name")`; the cursor moves to `def`.
    std::string_view statementsBeforeFunction() {
        m_cursor.skipBlanks();
        const std::size_t first = m_cursor.position();
        std::size_t end = first;
        while (m_cursor.startsWith("wrap(") || m_cursor.startsWith("torch.fx._symbolic_trace.wrap(")) {
            (void)m_cursor.restOfLine();
            end = m_cursor.position();
            m_cursor.skipBlanks();
        }
        return m_text.substr(first, end - first);
    }

    void closeInnermost() {
        OpenClass inner = std::move(m_open.back());
        m_open.pop_back();
        m_open.back().graph.addSubgraph(std::move(inner.name), inner.graph.finish());
    }

    /// What may follow a graph: comments, and of an exported program its signature and range constraints.
    void trailing(std::size_t lineStart, std::size_t indent) {
        const bool comment = m_text[lineStart + indent] == '#';
        if (!comment && (m_wrapper.empty() || indent > 0)) {
            m_cursor.failAt(lineStart + indent, "unexpected text after the graph");
        }
        // With the blank lines before it.
        const std::size_t lastOfGraph = m_text.substr(0, lineStart).find_last_not_of(" \t\r\n");
        m_trailing = m_text.substr(m_text.find('\n', lastOfGraph) + 1);
    }

    GraphPtr finish(GraphBuilder graph) {
        std::map<std::string, std::string>& found = graph.editStyle().notes;
        if (!m_wrapper.empty()) {
            found.emplace(notes::wrapper, m_wrapper);
        } else if (!m_leading.empty()) {
            found.emplace(notes::leadingText, m_leading);
        }
        if (!m_trailing.empty()) {
            found.emplace(notes::trailingText, m_trailing);
        }
        const std::size_t last = m_text.find_last_not_of(' ');
        if (last != std::string_view::npos && m_text[last] != '\n') {
            found.emplace(notes::noFinalNewline, "1");
        }
        return graph.finish();
    }

    std::string_view m_text;
    TextCursor m_cursor;
    base::Progress& m_progress;
    SymbolCache m_symbols;
    std::string_view m_leading;
    std::string_view m_wrapper;
    std::string_view m_trailing;
    bool m_isFunction = false;
    std::vector<OpenClass> m_open;
};

} // namespace

base::Result<GraphPtr> parseGraphText(std::string_view text, base::Progress progress) {
    std::string plain;
    if (text.find("\x1b[") != std::string_view::npos) {
        plain = withoutColors(text);
        text = plain;
    }
    try {
        return ModuleReader(text, progress).read();
    } catch (ParseFailure& failure) {
        return std::move(failure.error);
    }
}

bool looksLikeGraphText(std::string_view text) {
    constexpr std::size_t examined = 4096;
    TextCursor cursor(text.substr(0, examined));
    bool wrapped = false;
    while (!cursor.atEnd()) {
        cursor.skipBlanks();
        const std::string_view line = cursor.restOfLine();
        if (classLine(line) || line.starts_with("graph(") || startsFunction(line)) {
            return true;
        }
        if (startsModuleList(line)) {
            return text.find("\ndef forward(") != std::string_view::npos;
        }
        const bool wrapper = !wrapped && line.ends_with(':') && isIdentifier(line.substr(0, line.size() - 1));
        if (!wrapper && !line.starts_with('#')) {
            return false;
        }
        wrapped = wrapped || wrapper;
    }
    return false;
}

} // namespace aotscope::ir
