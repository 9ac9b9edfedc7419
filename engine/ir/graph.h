#pragma once

#include "ir/argument.h"
#include "ir/descriptor.h"
#include "ir/value.h"

#include "base/describe.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aotscope::ir {

/// The kind of a node (torch/fx/node.py: Node.op).
enum class Opcode : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };
AOTSCOPE_WORDS(Opcode, "placeholder", "get_attr", "call_function", "call_method", "call_module", "output")

/// The user's source line that a node came from, as print_readable shows it:
/// `# File: model.py:118 in forward, code: x = self.fc(x)`.
struct SourceLocation {
    std::string file;
    int line = 0;
    std::string function;
    std::string code;
    friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};
AOTSCOPE_MEMBERS(SourceLocation, file, line, function, code)

/// Everything that print_readable writes in the comment above a group of nodes, which share one object.
struct NodeOrigin {
    /// Nothing: print_readable writes "No stacktrace found for following nodes".
    std::optional<SourceLocation> source;
    /// torch 2.15: the node is the backward of a forward node at `source`.
    bool backwardOfForward = false;
    /// The tag of activation checkpointing, node.meta["recompute"] ("PREFER_RECOMPUTE"); empty: none.
    std::string recompute;
    std::optional<std::int64_t> acGraphId;
    /// The printed dictionary of `# Annotation: {…}`; empty: none.
    std::string annotation;
    /// The whole text of a comment in another format; empty: none.
    std::string other;
    friend bool operator==(const NodeOrigin&, const NodeOrigin&) = default;
};
AOTSCOPE_MEMBERS(NodeOrigin, source, backwardOfForward, recompute, acGraphId, annotation, other)

/// AOTAutograd's node.meta["partitioner_tag"]: the half a node was traced in (`is_forward`), or the one that
/// the partitioner must keep it in (`must_be_in_forward`). Follows torch 2.11,
/// torch/_functorch/partitioners.py: _has_tag_is_forward, _has_tag_must_be_in_forward and the others.
enum class PartitionerTag : std::uint8_t { None, Forward, Backward, Both, MustBeInForward, MustBeInBackward };
AOTSCOPE_WORDS(PartitionerTag, "", "is_forward", "is_backward", "is_both", "must_be_in_forward",
               "must_be_in_backward")

struct KeywordArgument {
    std::string name;
    Argument value;
    friend bool operator==(const KeywordArgument&, const KeywordArgument&) = default;
};

/// What is known of a node, torch.fx's Node.meta: no other node depends on it.
struct NodeMeta {
    ValueMeta value;
    /// Shared between neighbouring nodes; null: unknown (as for most placeholders and outputs).
    std::shared_ptr<const NodeOrigin> origin;
    /// `meta["desc"]`: one AOTInput for a placeholder; for the output, one AOTOutput or None per returned
    /// value. Empty: unknown.
    std::vector<Descriptor> descriptors;
    /// Dynamo's source of a placeholder ("L['self']._modules['fc1']._parameters['weight']"); empty: unknown.
    std::string inputSource;
    /// nn_module_stack as dotted path; empty: unknown.
    std::string modulePath;
    std::optional<std::int64_t> sequenceNumber;
    PartitionerTag partitionerTag = PartitionerTag::None;
    /// The ATen operator that a decomposed node came from; empty: unknown.
    std::string originalAten;
    /// Further JSON keys of the node (is_gradient_acc, …) as compact JSON text by key.
    std::vector<std::pair<std::string, std::string>> extra;

    /// Null: it has no such key.
    [[nodiscard]] const std::string* tryExtra(std::string_view key) const;
};

/// An FX node. Follows torch 2.11, torch/fx/node.py: Node. Targets are spelled without "torch.ops.":
/// "aten.addmm.default", "prims.convert_element_type.default", "higher_order.cond", "torch._C._nn.linear",
/// "_operator.add" (infix and subscript forms), "getattr"; for call_method, get_attr and call_module the name
/// of the method or attribute.
struct Node : NodeMeta {
    std::string name;
    Opcode op = Opcode::CallFunction;
    std::string target;
    Arguments args;
    std::vector<KeywordArgument> kwargs;

    /// A positional argument as a value of that kind; null: there is none, or it is of another kind.
    template<typename T>
    [[nodiscard]] const T* tryArg(std::size_t position) const {
        return position < args.size() ? args[position].as<T>() : nullptr;
    }
};

/// Calls `visit` for each positional argument of a node, then for each keyword's.
template<typename AnyNode, typename Visit>
void forEachArgument(AnyNode& node, const Visit& visit) {
    for (auto& argument : node.args) {
        visit(argument);
    }
    for (auto& keyword : node.kwargs) {
        visit(keyword.value);
    }
}

/// Calls `visit` for each node in the arguments of a node, then in its keywords; repeats are not left out.
template<typename Visit>
void forEachNode(const Node& node, const Visit& visit) {
    forEachArgument(node, [&](const Argument& argument) { forEachNode(argument, visit); });
}

/// The result of a call that a node picks.
struct PickedResult {
    NodeId call;
    std::size_t index = 0;
};
/// Nothing: it is no getitem with the number of one.
[[nodiscard]] std::optional<PickedResult> pickedResult(const Node& node);
/// The descriptor of a placeholder; null: unknown, or not a placeholder.
[[nodiscard]] const AOTInput* inputDescriptor(const Node& node);
/// The descriptor of returned value `position` of the output node; null: unknown.
[[nodiscard]] const AOTOutput* outputDescriptor(const Node& output, std::size_t position);
/// Whether the node is a placeholder for a tangent or for the backward's effect token.
[[nodiscard]] bool isTangentOrBackwardToken(const Node& node);

/// How the graph was printed: what print_readable's text contains beyond the nodes. Follows torch 2.11,
/// torch/fx/graph.py: CodeGen._gen_python_code, _PyTreeCodeGen.
struct TextStyle {
    /// Class name of the generated module: "GraphModule", "inner_f", "<lambda>".
    std::string className = "GraphModule";
    /// One parameter or returned value per line with its descriptor (`expanded_def`).
    bool expandedDefinition = false;
    /// The parameter names of a pytree signature ("primals", "tangents"); empty: a plain signature.
    std::vector<std::string> pytreeInputs;
    /// Inputs come from `fx_pytree.tree_flatten_spec`, the output goes through `tree_unflatten`.
    bool pytree = false;
    /// Further facts that the printer needs, by name (ir/notes.h).
    std::map<std::string, std::string> notes;

    /// Null: it has no note of that name.
    [[nodiscard]] const std::string* note(const std::string& name) const;
    friend bool operator==(const TextStyle&, const TextStyle&) = default;
};
AOTSCOPE_MEMBERS(TextStyle, className, expandedDefinition, pytree, pytreeInputs, notes)

class Graph;
class GraphBuilder;
using GraphPtr = std::shared_ptr<const Graph>;

/// What a graph consists of, finished or not: nodes in program order, nested graph modules by attribute name,
/// constants. Node ids are stable: they index `node()` and stay valid when other nodes are erased; `order()`
/// is the program order.
class GraphContents {
public:
    [[nodiscard]] std::size_t size() const { return m_order.size(); }
    /// One past the largest node id index: the size of arrays indexed by node.
    [[nodiscard]] std::size_t idBound() const { return m_nodes.size(); }
    [[nodiscard]] std::span<const NodeId> order() const { return m_order; }
    [[nodiscard]] const Node& node(NodeId id) const { return m_nodes[id.index()]; }
    [[nodiscard]] std::vector<NodeId> placeholders() const;
    [[nodiscard]] std::optional<NodeId> output() const;
    /// The items of the list or tuple that the graph returns, or the one value that it returns.
    [[nodiscard]] std::span<const Argument> returned() const;
    [[nodiscard]] const std::vector<std::pair<std::string, GraphPtr>>& subgraphs() const {
        return m_subgraphs;
    }
    [[nodiscard]] GraphPtr trySubgraph(std::string_view name) const;
    [[nodiscard]] const std::vector<std::pair<std::string, ValueMeta>>& constants() const {
        return m_constants;
    }
    [[nodiscard]] const TextStyle& style() const { return m_style; }
    /// Example values of symbols ("hints"), as far as known.
    [[nodiscard]] const SymbolBindings& symbolHints() const { return m_symbolHints; }

protected:
    std::vector<Node> m_nodes;
    std::vector<NodeId> m_order;
    std::vector<std::pair<std::string, GraphPtr>> m_subgraphs;
    std::vector<std::pair<std::string, ValueMeta>> m_constants;
    TextStyle m_style;
    SymbolBindings m_symbolHints;
};

/// An FX graph, which does not change: a GraphBuilder builds it. Follows torch 2.11, torch/fx/graph.py:
/// Graph.
class Graph : public GraphContents {
public:
    /// Computes inputs, users and the name index, and derives missing descriptors (`deriveDescriptors`).
    explicit Graph(GraphBuilder&& builder);
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    /// The node of that name, if any.
    [[nodiscard]] std::optional<NodeId> tryFind(std::string_view name) const;
    /// Distinct users in program order.
    [[nodiscard]] std::span<const NodeId> users(NodeId id) const;
    /// Distinct inputs in order of appearance in args, then kwargs.
    [[nodiscard]] std::span<const NodeId> inputs(NodeId id) const;
    /// Calls `visit` for each of the node's inputs that no later node reads, and for the node itself if none
    /// reads it.
    template<typename Visit>
    void forEachLastUse(NodeId id, Visit&& visit) const {
        for (const NodeId input : inputs(id)) {
            if (users(input).back() == id) {
                visit(input);
            }
        }
        if (users(id).empty()) {
            visit(id);
        }
    }
    /// Position in program order.
    [[nodiscard]] std::uint32_t position(NodeId id) const { return m_position[id.index()]; }
    /// Every symbol that occurs in a value or argument, sorted.
    [[nodiscard]] std::vector<std::string> symbols() const;

private:
    void index();

    // Compressed adjacency (offsets by node id) and the name index.
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_inputOffsets;
    std::vector<NodeId> m_inputs;
    std::vector<std::uint32_t> m_userOffsets;
    std::vector<NodeId> m_users;
    std::vector<NodeId> m_byName;
};

/// The graph with these example values of its symbols, and no others.
[[nodiscard]] GraphPtr withSymbolHints(const GraphPtr& graph, SymbolBindings hints);

/// What a graph returns, nested lists and tuples flattened in order; an invalid id for what is no node.
/// Descriptors of the output have the same positions.
[[nodiscard]] std::vector<NodeId> returnedNodes(const GraphContents& graph);

/// Deep equality of everything but ids: the same nodes in the same order with the same names, targets,
/// arguments, metadata, subgraphs and style.
[[nodiscard]] bool equalGraphs(const GraphContents& left, const GraphContents& right);

} // namespace aotscope::ir
