#include "ir/text/forward.h"

#include "base/joined.h"
#include "ir/cursor.h"
#include "ir/notes.h"
#include "ir/text/annotation.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

/// Where the unquoted annotation that starts `text` ends: before ` = `, a comma, a bracket or the line's end.
std::size_t unquotedEnd(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '(') {
            ++depth;
        } else if (depth > 0 && (c == ']' || c == ')')) {
            --depth;
        } else if (c == '\n' ||
                   (depth == 0 && (c == ',' || c == ')' || c == ';' || text.substr(i, 3) == " = "))) {
            return i;
        }
    }
    return text.size();
}

} // namespace

GraphBuilder ForwardReader::read(std::size_t bodyColumn) {
    signature();
    m_bodyStart = m_cursor.position();
    while (!m_cursor.atEnd()) {
        const std::size_t lineStart = m_cursor.position();
        m_cursor.skipSpaces();
        if (m_cursor.atLineEnd()) {
            m_cursor.advance();
            continue;
        }
        const std::size_t indent = m_cursor.position() - lineStart;
        if (indent + 4 <= bodyColumn) {
            m_cursor.moveTo(lineStart);
            break;
        }
        if (m_cursor.peek() == '#') {
            comment(m_cursor.comment(), indent > bodyColumn);
        } else {
            // Several declarations may share a line.
            do {
                statement();
                m_cursor.skipSpaces();
            } while (!m_cursor.atLineEnd());
            if (m_progress.stopRequested()) {
                throw ParseFailure{base::canceledError()};
            }
        }
    }
    addPlaceholders();
    if (m_arguments.hasReadComplexCall()) {
        m_graph.editStyle().notes.emplace(notes::complexCalls, "1");
    }
    return std::move(m_graph);
}

void ForwardReader::comment(std::string_view text, bool indented) {
    if (text == m_originText && m_origin) {
        return;
    }
    m_originText = text;
    auto origin = std::make_shared<NodeOrigin>(parseOrigin(text));
    if (indented && origin->source) {
        m_graph.editStyle().notes.emplace(notes::indentedComments, "1");
    }
    m_origin = std::move(origin);
}

void ForwardReader::signature() {
    m_cursor.expect("def ", "before the function's name");
    const std::string_view name = m_cursor.identifier();
    if (name != "forward") {
        m_graph.editStyle().notes.emplace(notes::functionName, name);
    }
    m_cursor.expect("(", "after the function's name");
    m_graph.editStyle().expandedDefinition = m_cursor.atLineEnd();
    m_cursor.skipBlanks();
    while (!m_cursor.take(')')) {
        if (m_cursor.atEnd()) {
            m_cursor.fail("the signature is not closed");
        }
        parameter();
        m_cursor.skipBlanks();
    }
    if (m_cursor.take(" -> ")) {
        const std::string_view line = trimmedRight(m_cursor.restOfLine());
        if (!line.ends_with(':')) {
            m_cursor.fail("expected ':' after the signature");
        }
        m_graph.editStyle().notes.emplace(notes::returnType, line.substr(0, line.size() - 1));
        return;
    }
    m_cursor.expect(":", "after the signature");
    if (!m_cursor.restOfLine().empty()) {
        m_cursor.fail("unexpected text after the signature");
    }
}

void ForwardReader::parameter() {
    Parameter read;
    const std::size_t first = m_cursor.position();
    while (m_cursor.take('*')) {
    }
    if (m_cursor.identifier().empty()) {
        m_cursor.fail("expected a parameter's name");
    }
    read.name = m_cursor.since(first);
    annotation(read.value, read.extra);
    if (m_cursor.take(" = ") || m_cursor.take('=')) {
        read.standard = m_arguments.argument();
    }
    const bool more = m_cursor.take(',');
    m_cursor.skipSpaces();
    read.descriptor = m_cursor.comment();
    if (read.name != "self" || !m_parameters.empty()) {
        m_parameters.push_back(std::move(read));
    }
    m_cursor.skipBlanks();
    if (!more && m_cursor.peek() != ')') {
        m_cursor.fail("expected ',' or ')' in the signature");
    }
}

/// `: "f32[8][1]cpu"` or ` : torch.Tensor`, if one stands here.
void ForwardReader::annotation(ValueMeta& value, std::vector<std::pair<std::string, std::string>>& extra) {
    if (!m_cursor.take(": \"")) {
        unquotedAnnotation(value, extra);
        return;
    }
    const std::size_t first = m_cursor.position();
    while (m_cursor.peek() != '"' && !m_cursor.atLineEnd()) {
        m_cursor.advance();
    }
    const std::string_view text = m_cursor.since(first);
    if (!m_cursor.take('"')) {
        m_cursor.moveTo(first);
        m_cursor.fail("an annotation is not closed");
    }
    if (!parseAnnotation(text, m_symbols, value)) {
        value = OtherMeta{std::string(text)};
        extra.emplace_back(notes::annotationKey, jsonString(text));
    }
}

void ForwardReader::unquotedAnnotation(ValueMeta& value,
                                       std::vector<std::pair<std::string, std::string>>& extra) {
    const bool spaced = m_cursor.take(" : ");
    if (!spaced && !m_cursor.take(": ")) {
        return;
    }
    const std::string_view text = m_cursor.rest().substr(0, unquotedEnd(m_cursor.rest()));
    m_cursor.advance(text.size());
    const std::string_view type = trimmedRight(text);
    if (!spaced && parseAnnotation(type, m_symbols, value)) {
        m_graph.editStyle().notes.emplace(notes::unquotedAnnotations, "1");
    } else if (!type.empty()) {
        extra.emplace_back(notes::typeKey, jsonString(type));
    } else {
        m_cursor.fail("expected a type");
    }
}

void ForwardReader::addPlaceholders() {
    if (std::exchange(m_placeholdersAdded, true)) {
        return;
    }
    for (Parameter& read : m_parameters) {
        addPlaceholder(std::move(read));
    }
}

void ForwardReader::addPlaceholder(Parameter parameter) {
    Node node;
    node.op = Opcode::Placeholder;
    node.target = std::string(parameter.name);
    node.value = std::move(parameter.value);
    node.extra = std::move(parameter.extra);
    if (!parameter.descriptor.empty()) {
        node.descriptors.push_back(parsePlaceholderDescriptor(parameter.descriptor));
    }
    if (parameter.standard) {
        node.args.push_back(*std::move(parameter.standard));
    }
    std::string_view name = parameter.name;
    name.remove_prefix(std::min(name.find_first_not_of('*'), name.size()));
    node.name = std::string(name);
    m_names.insert(name, m_graph.append(std::move(node)));
}

/// `l_x_ = L_x_`: FX gives a placeholder whose parameter is spelled otherwise its own line.
void ForwardReader::renamePlaceholder(NodeId id, std::string_view name, std::string_view parameter) {
    m_graph.rename(id, std::string(name));
    m_names.forget(parameter);
    m_names.insert(name, id);
}

/// `a, b, = fx_pytree.tree_flatten_spec([x, y], self._in_spec)`: the parameters are a tree of inputs.
void ForwardReader::flattenSpec(std::size_t statementStart) {
    TextStyle& style = m_graph.editStyle();
    style.pytree = true;
    for (const Parameter& read : m_parameters) {
        style.pytreeInputs.emplace_back(read.name);
    }
    m_placeholdersAdded = true;
    m_cursor.moveTo(statementStart);
    while (!m_cursor.startsWith("= ")) {
        const std::string_view name = m_cursor.identifier();
        if (name.empty()) {
            m_cursor.fail("expected a name before fx_pytree.tree_flatten_spec");
        }
        const auto declared = m_declared.find(name);
        Parameter read;
        if (declared != m_declared.end()) {
            read = std::move(declared->second);
        }
        read.name = name;
        addPlaceholder(std::move(read));
        m_cursor.skipSpaces();
        m_cursor.expect(",", "after a name before fx_pytree.tree_flatten_spec");
        m_cursor.skipSpaces();
    }
    m_cursor.expect("= fx_pytree.tree_flatten_spec(", "after the names");
    const std::string_view call = m_cursor.restOfLine();
    constexpr std::string_view tail = ", self._in_spec)";
    if (!call.ends_with(tail)) {
        m_cursor.fail("expected ', self._in_spec)'");
    }
    const std::string usual = "[" + base::joined(style.pytreeInputs) + ']';
    if (const std::string_view given = call.substr(0, call.size() - tail.size()); given != usual) {
        style.notes.emplace(notes::flattenCall, given);
    }
}

/// The boxed calling convention: `args_iter = iter(args_list)`, then one `name = next(args_iter)` per input.
void ForwardReader::boxedParameters() {
    m_graph.editStyle().notes.emplace(notes::boxed, "1");
    m_placeholdersAdded = true;
    (void)m_cursor.restOfLine();
    for (;;) {
        m_cursor.skipBlanks();
        if (m_cursor.take("args_list.clear()")) {
            return;
        }
        Parameter read;
        read.name = m_cursor.identifier();
        if (read.name.empty() || !m_cursor.take(" = next(args_iter)")) {
            m_cursor.fail("expected a line 'name = next(args_iter)' or 'args_list.clear()'");
        }
        addPlaceholder(std::move(read));
    }
}

NodeId ForwardReader::append(Node&& node, std::string_view name) {
    node.name = std::string(name);
    node.origin = m_origin;
    if (m_graph.size() >= m_expected) {
        expectMoreNodes();
    }
    const NodeId id = m_graph.append(std::move(node));
    m_names.insert(name, id);
    return id;
}

/// Reserves room for the nodes that the rest of the text will hold at the present density: moving nodes while
/// the graph grows is much of the time to read a large one. At most four times the present size, because the
/// text may end here.
void ForwardReader::expectMoreNodes() {
    constexpr std::size_t fewest = 64;
    const std::size_t nodes = std::max(m_graph.size(), fewest);
    const std::size_t read = std::max<std::size_t>(m_cursor.position() - m_bodyStart, 1);
    // In quarters: a text with half as much to come does not need twice the room.
    const std::size_t quartersLeft = std::min<std::size_t>(m_cursor.rest().size() * 4 / read + 1, 12);
    m_expected = nodes + std::max<std::size_t>(nodes * quartersLeft / 4, 1);
    m_graph.reserve(m_expected);
}

} // namespace aotscope::ir
