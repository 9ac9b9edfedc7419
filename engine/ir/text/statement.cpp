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
        if (!m_placeholdersAdded) {
            addPlaceholders();
        }
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
            if (m_cursor.take('#')) {
                m_cursor.skipSpaces();
                read.descriptor = m_cursor.restOfLine();
            }
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
    if (!m_placeholdersAdded) {
        addPlaceholders();
    }
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
    } else if (target == "slice" || target == "device") {
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
        const auto found =
            std::find_if(inPlaceOperators.begin(), inPlaceOperators.end(),
                         [this](const PythonOperator& candidate) { return m_cursor.take(candidate.sign); });
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

void ForwardReader::output() {
    if (!m_placeholdersAdded) {
        addPlaceholders();
    }
    Node node;
    node.op = Opcode::Output;
    node.target = "output";
    node.name = unusedOutputName(m_names);
    m_cursor.skipSpaces();
    const bool unflattened = m_cursor.take("pytree.tree_unflatten(");
    const char open = m_cursor.peek();
    if ((open == '(' || open == '[') && m_cursor.peek(1) == '\n') {
        m_cursor.advance();
        returnedItems(node, open == '(' ? ')' : ']');
    } else if (m_cursor.atLineEnd()) {
        m_cursor.fail("expected a value after 'return'");
    } else {
        node.args.push_back(m_arguments.argument());
    }
    TextStyle& style = m_graph.editStyle();
    if (unflattened) {
        m_cursor.expect(", self._out_spec)", "after the returned values");
        style.notes.emplace(notes::unflattened, "1");
    }
    endOfStatement();
    learnFromDeletions(node);
    m_returned = true;
    m_graph.append(std::move(node));
}

/// One returned value per line with its descriptor.
void ForwardReader::returnedItems(Node& node, char close) {
    Arguments items;
    m_cursor.skipBlanks();
    while (!m_cursor.take(close)) {
        if (m_cursor.atEnd()) {
            m_cursor.fail("the returned values are not closed");
        }
        items.push_back(m_arguments.argument());
        const bool more = m_cursor.take(',');
        m_cursor.skipSpaces();
        std::string_view descriptor;
        if (m_cursor.take('#')) {
            m_cursor.skipSpaces();
            descriptor = m_cursor.restOfLine();
        }
        node.descriptors.push_back(parseReturnedDescriptor(descriptor));
        m_cursor.skipBlanks();
        if (!more && m_cursor.peek() != close) {
            m_cursor.fail(std::string("expected ',' or '") + close + "'");
        }
    }
    if (items.empty()) {
        m_graph.editStyle().notes.emplace(notes::emptyReturnList, "1");
    }
    if (close == ')') {
        node.args.emplace_back(TupleArgument{std::move(items)});
    } else {
        node.args.emplace_back(ListArgument{std::move(items)});
    }
}

/// What the deletions tell beyond the graph. PyTorch prints as many returned values as there are descriptors:
/// a graph to which a pass added outputs without descriptors (inlined saved-tensors hooks) lacks them in the
/// text, and they show by never being set to None. Older versions leave values nobody uses alone.
void ForwardReader::learnFromDeletions(Node& output) {
    std::vector<bool> ended(m_graph.idBound(), false);
    std::vector<bool> used(m_graph.idBound(), false);
    for (const NodeId id : m_deleted) {
        ended[id.index()] = true;
    }
    for (const std::string_view name : m_deletedAtOnce) {
        if (const NodeId id = m_names.find(name); id.valid()) {
            ended[id.index()] = true;
        }
    }
    forEachNode(output.args[0], [&ended](NodeId id) { ended[id.index()] = true; });
    const auto use = [&used](NodeId id) { used[id.index()] = true; };
    for (const NodeId id : m_graph.order()) {
        for (const Argument& argument : m_graph.node(id).args) {
            forEachNode(argument, use);
        }
        for (const KeywordArgument& keyword : m_graph.node(id).kwargs) {
            forEachNode(keyword.value, use);
        }
    }
    std::vector<NodeId> living;
    for (const NodeId id : m_graph.order()) {
        const bool counts = m_graph.node(id).op != Opcode::Placeholder || used[id.index()];
        if (counts && !ended[id.index()]) {
            living.push_back(id);
        }
    }
    if (living.empty()) {
        return;
    }
    if (m_deleted.empty() && m_deletedAtOnce.empty()) {
        m_graph.editStyle().notes.emplace(notes::deletions, "none");
    } else if (!output.descriptors.empty()) {
        addHiddenOutputs(output, living);
    } else {
        m_graph.editStyle().notes.emplace(notes::deletions, "used");
    }
}

void ForwardReader::addHiddenOutputs(Node& output, const std::vector<NodeId>& hidden) {
    Argument& returned = output.args[0];
    auto* tuple = std::get_if<TupleArgument>(&returned.value);
    Arguments& items = tuple != nullptr ? tuple->items : std::get<ListArgument>(returned.value).items;
    // Saved symbolic integers follow the saved tensors, and those that hooks made come before the others.
    const auto rank = [this](NodeId id) {
        const Node& node = m_graph.node(id);
        const bool symbolic = std::holds_alternative<SymbolicMeta>(node.value);
        return !symbolic ? 0 : (node.name.find("_hook_") != std::string::npos ? 1 : 2);
    };
    for (int wanted = 0; wanted <= 2; ++wanted) {
        for (const NodeId id : hidden) {
            if (rank(id) == wanted) {
                items.emplace_back(id);
            }
        }
    }
}

} // namespace aotscope::ir
