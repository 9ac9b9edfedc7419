#pragma once

#include "ir/argument.h"
#include "ir/descriptor.h"
#include "ir/value.h"

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

/// torch.fx.Node.op
enum class Opcode : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };

/// "call_function"
[[nodiscard]] std::string_view opcodeName(Opcode opcode);
[[nodiscard]] std::optional<Opcode> opcodeFromName(std::string_view name);

/// The user's line a node came from, as print_readable shows it:
/// `# File: model.py:118 in forward, code: x = self.fc(x)`.
struct SourceLocation {
    std::string file;
    int line = 0;
    std::string function;
    std::string code;
    friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// Everything print_readable writes in the comment above a group of nodes. Neighbours share one object.
struct NodeOrigin {
    /// Nothing: "No stacktrace found for following nodes".
    std::optional<SourceLocation> source;
    /// torch 2.15: the node is the backward of a forward node at `source`.
    bool backwardOfForward = false;
    /// `recompute` tag of activation checkpointing ("PREFER_RECOMPUTE"); empty: none.
    std::string recompute;
    std::optional<std::int64_t> acGraphId;
    /// The printed dictionary of `# Annotation: {…}`; empty: none.
    std::string annotation;
    /// Text of a comment of another shape, kept whole; empty: none.
    std::string other;
    friend bool operator==(const NodeOrigin&, const NodeOrigin&) = default;
};

/// torch._functorch's `partitioner_tag`.
enum class PartitionerTag : std::uint8_t { None, Forward, Backward, Both };

struct KeywordArgument {
    std::string name;
    Argument value;
    friend bool operator==(const KeywordArgument&, const KeywordArgument&) = default;
};

/// An FX node. Targets are spelled as in the golden JSON of the corpus: "aten.addmm.default",
/// "prims.convert_element_type.default", "higher_order.cond" (the text's "torch.ops." is dropped),
/// "torch._C._nn.linear", "_operator.add" (infix and subscript forms), "getattr", a method's or attribute's
/// name for call_method, get_attr and call_module.
struct Node {
    std::string name;
    Opcode op = Opcode::CallFunction;
    std::string target;
    Arguments args;
    std::vector<KeywordArgument> kwargs;
    ValueMeta value;
    /// Shared between neighbours; null: nothing known (placeholders and outputs usually).
    std::shared_ptr<const NodeOrigin> origin;
    /// `meta["desc"]`: one AOTInput for a placeholder, one AOTOutput or None per returned value for the
    /// output; empty: nothing is known.
    std::vector<Descriptor> descriptors;
    /// Dynamo's source of a placeholder ("L['self']._modules['fc1']._parameters['weight']"); empty: unknown.
    std::string inputSource;
    /// nn_module_stack as dotted path; empty: unknown.
    std::string modulePath;
    std::optional<std::int64_t> sequenceNumber;
    PartitionerTag partitionerTag = PartitionerTag::None;
    /// The ATen op a decomposed node came from; empty: unknown.
    std::string originalAten;
    /// Further JSON keys of the node (is_gradient_acc, …) as compact JSON text by key.
    std::vector<std::pair<std::string, std::string>> extra;
};

/// What a placeholder is to the compiled function; null: nothing tells, or it is no placeholder.
[[nodiscard]] const AOTInput* inputDescriptor(const Node& node);
/// What value `position` of those the output node returns is; null: nothing tells.
[[nodiscard]] const AOTOutput* outputDescriptor(const Node& output, std::size_t position);
/// Whether the node is an input that is a tangent, or the token of the backward.
[[nodiscard]] bool isTangentOrBackwardToken(const Node& node);

/// How the graph was printed: the choices of print_readable that the nodes do not tell.
struct TextStyle {
    /// Class name of the generated module: "GraphModule", "inner_f", "<lambda>".
    std::string className = "GraphModule";
    /// One parameter or returned value per line with its descriptor (`expanded_def`).
    bool expandedDefinition = false;
    /// The signature of a pytree codegen: parameter names as printed ("primals", "tangents"); empty: plain.
    std::vector<std::string> pytreeInputs;
    /// Inputs bound by `fx_pytree.tree_flatten_spec`, output by `tree_unflatten`.
    bool pytree = false;
    /// Further facts a printer needs, by name; the parser and printer own the names.
    std::map<std::string, std::string> notes;
    friend bool operator==(const TextStyle&, const TextStyle&) = default;
};

class Graph;
using GraphPtr = std::shared_ptr<const Graph>;

/// An FX graph: nodes in program order with unique names, nested graph modules by attribute name, constants.
///
/// Built through the editing verbs and then handed out as GraphPtr by `freeze`, after which nobody changes
/// it; whoever wants a change clones. Node ids are stable within a graph: they index `node()` and survive
/// erasure of other nodes; `order()` is the program order.
class Graph {
public:
    Graph();
    Graph(Graph&& other) noexcept;
    Graph& operator=(Graph&& other) noexcept;
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    [[nodiscard]] Graph clone() const;
    /// Computes users and the name index, derives descriptors where the graph has none (`deriveDescriptors`),
    /// and makes the graph immutable.
    [[nodiscard]] static GraphPtr freeze(Graph graph);

    // Reading.
    [[nodiscard]] std::size_t size() const { return m_order.size(); }
    /// One past the largest node id index; use it to size arrays indexed by node.
    [[nodiscard]] std::size_t idBound() const { return m_nodes.size(); }
    [[nodiscard]] std::span<const NodeId> order() const { return m_order; }
    [[nodiscard]] const Node& node(NodeId id) const { return m_nodes[id.index()]; }
    /// The node of that name, if any. Only on a frozen graph.
    [[nodiscard]] std::optional<NodeId> tryFind(std::string_view name) const;
    /// Distinct users in program order. Only on a frozen graph.
    [[nodiscard]] std::span<const NodeId> users(NodeId id) const;
    /// Distinct inputs in order of appearance in args, then kwargs. Only on a frozen graph.
    [[nodiscard]] std::span<const NodeId> inputs(NodeId id) const;
    /// Position in program order. Only on a frozen graph.
    [[nodiscard]] std::uint32_t position(NodeId id) const { return m_position[id.index()]; }
    [[nodiscard]] std::vector<NodeId> placeholders() const;
    [[nodiscard]] std::optional<NodeId> output() const;
    [[nodiscard]] const std::vector<std::pair<std::string, GraphPtr>>& subgraphs() const {
        return m_subgraphs;
    }
    [[nodiscard]] GraphPtr trySubgraph(std::string_view name) const;
    [[nodiscard]] const std::vector<std::pair<std::string, ValueMeta>>& constants() const {
        return m_constants;
    }
    [[nodiscard]] const TextStyle& style() const { return m_style; }
    /// Example values of symbols ("hints"), where known.
    [[nodiscard]] const SymbolBindings& symbolHints() const { return m_symbolHints; }
    /// Every symbol that occurs in a value or argument, sorted.
    [[nodiscard]] std::vector<std::string> symbols() const;

    // Editing.
    void reserve(std::size_t nodes);
    /// Appends in program order. Names are the caller's business; the verifier reports duplicates.
    NodeId append(Node node);
    [[nodiscard]] Node& edit(NodeId id) { return m_nodes[id.index()]; }
    /// Takes a node out of the program order; its id stays unused. The caller has removed its uses.
    void erase(NodeId id);
    /// The same for many at once, in one pass.
    void erase(const std::vector<bool>& byId);
    /// Moves `id` to directly before `before`.
    void moveBefore(NodeId id, NodeId before);
    /// Replaces every use of `from` in arguments by `to`.
    void replaceAllUses(NodeId from, NodeId to);
    void addSubgraph(std::string name, GraphPtr graph) {
        m_subgraphs.emplace_back(std::move(name), std::move(graph));
    }
    void addConstant(std::string name, ValueMeta value) {
        m_constants.emplace_back(std::move(name), std::move(value));
    }
    [[nodiscard]] TextStyle& editStyle() { return m_style; }
    [[nodiscard]] SymbolBindings& editSymbolHints() { return m_symbolHints; }

private:
    void index();

    std::vector<Node> m_nodes;
    std::vector<NodeId> m_order;
    std::vector<std::pair<std::string, GraphPtr>> m_subgraphs;
    std::vector<std::pair<std::string, ValueMeta>> m_constants;
    TextStyle m_style;
    SymbolBindings m_symbolHints;

    // Made by freeze: compressed adjacency (offsets by node id) and the name index.
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_inputOffsets;
    std::vector<NodeId> m_inputs;
    std::vector<std::uint32_t> m_userOffsets;
    std::vector<NodeId> m_users;
    std::vector<NodeId> m_byName;
};

/// Deep equality of everything but ids: same nodes in the same order with the same names, targets, arguments,
/// metadata, subgraphs and style.
[[nodiscard]] bool equalGraphs(const Graph& left, const Graph& right);

} // namespace aotscope::ir
