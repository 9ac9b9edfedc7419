#include "ir/text/forward.h"

#include "ir/notes.h"
#include "ir/text/annotation.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>

/// The return statement, and nodes that are only known from it.
namespace aotscope::ir {

void ForwardReader::output() {
    addPlaceholders();
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
        node.descriptors.push_back(parseReturnedDescriptor(m_cursor.comment()));
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
    for (const NodeId id : m_graph.order()) {
        forEachNode(m_graph.node(id), [&used](NodeId input) { used[input.index()] = true; });
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
    // Saved symbolic integers follow the saved tensors; the hooks' integers come first among them.
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
