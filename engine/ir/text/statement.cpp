#include "ir/text/forward.h"

#include "ir/notes.h"
#include "ir/python_operators.h"
#include "ir/text/annotation.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

constexpr int deepestPath = 64;

/// Functions of Python's own modules, whose dots FX turns into underscores to make a global name.
std::string pythonModuleTarget(std::string_view name) {
    for (const std::string_view module : {"_operator", "math", "builtins"}) {
        if (name.size() > module.size() + 1 && name.starts_with(module) && name[module.size()] == '_') {
            return std::string(module) + '.' + std::string(name.substr(module.size() + 1));
        }
    }
    return std::string(name);
}

} // namespace

void ForwardReader::statement() {
    const std::size_t first = m_cursor.position();
    if (m_returned) {
        m_cursor.fail("a statement after 'return'");
    }
    const std::string_view name = m_cursor.identifier();
    if (name == "return" && (m_cursor.peek() == ' ' || m_cursor.atLineEnd())) {
        output();
        return;
    }
    if (name == "pass" && m_cursor.atLineEnd()) {
        return;
    }
    const bool takesName =
        !name.empty() && (m_cursor.startsWith(" = ") || m_cursor.peek() == ':' || m_cursor.startsWith(" : "));
    if (!takesName) {
        if (!name.empty() && m_cursor.peek() == ',' && !m_placeholdersAdded) {
            flattenSpec(first);
            endOfStatement();
            return;
        }
        addPlaceholders();
        m_cursor.moveTo(first);
        inPlace(first);
        return;
    }
    Node node;
    if (m_cursor.peek() != ' ' || m_cursor.peek(1) == ':') {
        annotation(node.value, node.extra);
        const bool declaration = m_cursor.atLineEnd() || m_cursor.peek() == ';' || m_cursor.startsWith("  #");
        if (declaration && !m_placeholdersAdded) {
            Parameter read{name, std::move(node.value), {}, {}, std::move(node.extra)};
            m_cursor.skipSpaces();
            read.descriptor = m_cursor.comment();
            m_cursor.skipSpaces();
            (void)m_cursor.take(';');
            m_declared[name] = std::move(read);
            return;
        }
    }
    m_cursor.expect(" = ", "after the name");
    if (name == "args_iter" && !m_placeholdersAdded && m_cursor.startsWith("iter(args_list)")) {
        boxedParameters();
        return;
    }
    assignment(std::move(node), name);
}

void ForwardReader::assignment(Node&& node, std::string_view name) {
    addPlaceholders();
    const std::size_t first = m_cursor.position();
    const std::string_view source = m_cursor.identifier();
    if (m_cursor.atLineEnd() && !source.empty()) {
        const NodeId id = m_names.find(source);
        if (id.valid() && m_graph.node(id).op == Opcode::Placeholder) {
            renamePlaceholder(id, name, source);
            return;
        }
    }
    m_cursor.moveTo(first);
    rightHandSide(node);
    endOfStatement();
    append(std::move(node), name);
}

void ForwardReader::rightHandSide(Node& node) {
    const std::size_t first = m_cursor.position();
    const char c = m_cursor.peek();
    if (isIdentifierStart(c)) {
        if (pathForm(node)) {
            return;
        }
        m_cursor.moveTo(first);
        if (functionCall(node)) {
            return;
        }
        m_cursor.moveTo(first);
    }
    operatorForm(node);
}

/// Whether a constant that is written as a call is the left side of an operator: `complex(0.0, 1.0) * y`.
bool ForwardReader::isConstantOperand(std::size_t first) {
    const std::size_t place = m_cursor.position();
    m_cursor.moveTo(first);
    Argument constant;
    const bool isOperand = m_cursor.startsWith("complex(") && m_arguments.operand(constant) &&
                           constant.as<std::complex<double>>() != nullptr &&
                           (m_cursor.peek() == ' ' || m_cursor.peek() == '[');
    m_cursor.moveTo(place);
    return isOperand;
}

/// `torch.ops.aten.mm.default(x, y)`, `global_function(x)`.
bool ForwardReader::functionCall(Node& node) {
    const std::size_t first = m_cursor.position();
    while (isIdentifierPart(m_cursor.peek()) || m_cursor.peek() == '.') {
        m_cursor.advance();
    }
    std::string_view target = m_cursor.since(first);
    if (!m_cursor.take('(')) {
        return false;
    }
    constexpr std::string_view operators = "torch.ops.";
    if (target.starts_with(operators)) {
        node.target = std::string(target.substr(operators.size()));
    } else if (target.starts_with("torch.")) {
        node.target = std::string(target);
    } else if (target == "slice" || target == "device" || isConstantOperand(first)) {
        return false; // A constant, the left side of an operator.
    } else {
        node.target = pythonModuleTarget(target);
    }
    node.op = Opcode::CallFunction;
    m_arguments.callArguments(node.args, node.kwargs);
    return true;
}

/// `self.a.b` or `getattr(self.a, "0").b` (a path from the module), or the same from a node: the target of
/// get_attr and call_module, a method call, or an attribute.
bool ForwardReader::pathForm(Node& node) {
    NodeId base;
    if (!path(node.target, base, 0) || node.target.empty()) {
        node.target.clear();
        return false;
    }
    const bool called = m_cursor.take('(');
    if (!base.valid()) {
        node.op = called ? Opcode::CallModule : Opcode::GetAttr;
    } else if (called) {
        node.op = Opcode::CallMethod;
        node.args.push_back(base);
    } else {
        node.op = Opcode::CallFunction;
        node.args = {base, std::exchange(node.target, "getattr")};
    }
    if (called) {
        m_arguments.callArguments(node.args, node.kwargs);
    }
    return true;
}

/// Reads a path; `base` stays invalid for one that starts at the module. False: no path stands here.
bool ForwardReader::path(std::string& target, NodeId& base, int depth) {
    if (depth > deepestPath) {
        m_cursor.failAt(m_cursor.position(), "getattr is nested too deeply", "ir.text_too_deep");
    }
    const std::string_view first = m_cursor.identifier();
    if (first == "getattr" && m_cursor.peek() == '(') {
        m_cursor.advance();
        if (!path(target, base, depth + 1) || !m_cursor.take(", \"")) {
            return false;
        }
        const std::string_view rest = m_cursor.rest();
        const std::size_t length = std::min(rest.find_first_of("\"\n"), rest.size());
        m_cursor.advance(length);
        if (!m_cursor.take("\")")) {
            return false;
        }
        target.append(target.empty() ? "" : ".").append(rest.substr(0, length));
    } else if (const NodeId node = m_names.find(first); node.valid()) {
        base = node;
    } else if (first != "self") {
        return false;
    }
    while (m_cursor.peek() == '.' && isIdentifierStart(m_cursor.peek(1))) {
        m_cursor.advance();
        target.append(target.empty() ? "" : ".").append(m_cursor.identifier());
    }
    return true;
}

/// `a + b`, `-a`, `a[b]`, with nodes or constants as operands.
void ForwardReader::operatorForm(Node& node) {
    const std::size_t first = m_cursor.position();
    node.op = Opcode::CallFunction;
    node.target = "_operator.";
    node.args.resize(1);
    if (!m_arguments.operand(node.args[0])) {
        for (const PythonOperator& prefix : prefixOperators) {
            if (m_cursor.take(prefix.sign) && m_arguments.operand(node.args[0])) {
                node.target += prefix.function;
                return;
            }
            m_cursor.moveTo(first);
        }
        m_cursor.fail("expected a call, an operator, an attribute or a subscript");
    }
    if (m_cursor.take('[')) {
        node.target += "getitem";
        node.args.push_back(m_arguments.argument());
        m_cursor.expect("]", "after the subscript");
        return;
    }
    if (m_cursor.take(' ')) {
        for (const PythonOperator& infix : infixOperators) {
            if (m_cursor.startsWith(infix.sign) && m_cursor.peek(infix.sign.size()) == ' ') {
                m_cursor.advance(infix.sign.size() + 1);
                node.target += infix.function;
                node.args.emplace_back();
                if (!m_arguments.operand(node.args[1])) {
                    m_cursor.fail("expected a value after the operator");
                }
                return;
            }
        }
    }
    // The negation of a constant reads like a negative constant.
    if (m_cursor.atLineEnd() || m_cursor.peek() == ';') {
        m_cursor.moveTo(first);
        if (m_cursor.take('-') && m_arguments.operand(node.args[0])) {
            node.target += "neg";
            return;
        }
    }
    m_cursor.moveTo(first);
    m_cursor.fail("expected a call, an operator, an attribute or a subscript");
}

/// `x += y;  name = x` and `x[i] = y;  name = x`.
void ForwardReader::inPlace(std::size_t statementStart) {
    Node node;
    node.args.resize(1);
    if (!m_arguments.operand(node.args[0])) {
        m_cursor.failAt(statementStart, "expected a statement");
    }
    const std::size_t leftEnd = m_cursor.position();
    if (m_cursor.take('[')) {
        node.target = "_operator.setitem";
        node.args.push_back(m_arguments.argument());
        m_cursor.expect("] = ", "after the subscript");
        node.args.push_back(m_arguments.argument());
    } else {
        (void)m_cursor.take(' ');
        const auto found = std::ranges::find_if(inPlaceOperators, [this](const PythonOperator& candidate) {
            return m_cursor.take(candidate.sign);
        });
        if (found == inPlaceOperators.end()) {
            m_cursor.failAt(statementStart, "expected a statement");
        }
        node.target = std::string("_operator.").append(found->function);
        m_cursor.skipSpaces();
        node.args.push_back(m_arguments.argument());
    }
    m_cursor.expect(";", "after an assignment in place");
    m_cursor.skipSpaces();
    const std::string_view name = m_cursor.identifier();
    if (name.empty()) {
        m_cursor.fail("expected the name of the result");
    }
    annotation(node.value, node.extra);
    m_cursor.expect(" = ", "after the name");
    TextCursor left = m_cursor;
    left.moveTo(statementStart);
    const std::string_view expected = left.rest().substr(0, leftEnd - statementStart);
    m_cursor.expect(expected, "as the result of the assignment in place");
    endOfStatement();
    append(std::move(node), name);
}

/// Nothing but `;  a = b = None`, which the printer computes: kept is only which values end before the
/// output.
void ForwardReader::endOfStatement() {
    m_cursor.skipSpaces();
    if (m_cursor.atLineEnd()) {
        return;
    }
    const std::size_t first = m_cursor.position();
    if (m_cursor.take(';')) {
        m_cursor.skipSpaces();
        std::string_view name = m_cursor.identifier();
        while (name != "None" && !name.empty() && m_cursor.take(" = ")) {
            // Known but for a value that ends with its own statement; looked up while its name was just read.
            const NodeId id = m_names.find(name);
            id.valid() ? m_deleted.push_back(id) : m_deletedAtOnce.push_back(name);
            name = m_cursor.identifier();
        }
        m_cursor.skipSpaces();
        if (m_cursor.atLineEnd() && (name == "None" || name.empty())) {
            return;
        }
    }
    m_cursor.failAt(first, "unexpected text after the statement");
}

} // namespace aotscope::ir
