#pragma once

#include "fake/fake_tensor.h"
#include "trace/value_meta.h"

#include "ir/fx_names.h"
#include "ir/graph_builder.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// Metadata for the nodes recorded next: their origin, partitioner tags and autograd sequence number.
struct RecordingState {
    std::shared_ptr<const ir::NodeOrigin> origin;
    ir::PartitionerTag partitionerTag = ir::PartitionerTag::None;
    /// The sequence number of the running backward node; nullopt outside a backward node.
    std::optional<std::int64_t> gradSequenceNumber;
    /// The ATen operator that is being decomposed; empty outside a decomposition.
    std::string originalAten;
};

/// Builds the FX graph of a trace: one node for each operator called on fake tensors. A fake tensor holds its
/// node; other tensors are found by address. Follows torch 2.11, torch/fx/experimental/proxy_tensor.py:
/// PythonKeyTracer, proxy_call, track_tensor_tree. Recording an unknown tensor or value throws c10::Error.
class GraphRecorder {
public:
    GraphRecorder();

    /// Adds a placeholder for a fake tensor or a number.
    ir::NodeId placeholder(std::string_view name, ir::AOTInput descriptor, const c10::IValue& value);
    /// Adds a node for an operator call. Trailing positional arguments and keyword arguments equal to their
    /// defaults are left out.
    ir::NodeId call(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
    /// Adds `with_effects` of an operator without results, which takes one token and gives the next
    /// (torch/_higher_order_ops/effects.py: with_effects_proxy).
    void callEffect(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                    const at::Tensor& token, const at::Tensor& next);
    /// Adds a node that makes a token inside the graph, and one that ends the last one's way.
    void makeToken(const at::Tensor& token);
    void sinkToken(const at::Tensor& token);
    /// Adds a node for a function that sets thread state; it has no source line.
    ir::NodeId stateCall(std::string_view name, std::string target, ir::Arguments args,
                         std::vector<ir::KeywordArgument> kwargs);
    /// Binds the results of a call to its node; several results get one `getitem` node each. Without
    /// `updateTensors` tensors keep the node they had.
    void bindResults(ir::NodeId node, const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> results,
                     bool updateTensors = true);
    /// Ends the graph. Values are fake tensors, numbers or None.
    void output(c10::ArrayRef<c10::IValue> values, std::vector<ir::Descriptor> descriptors);
    /// `output` will return the node of this number in the place with this index, even where the number is
    /// known to be constant (`8*s0 // s0`), which is written as a constant elsewhere.
    void returnAsComputed(std::size_t place, const c10::SymNode& number);

    /// Records symbolic arithmetic of the traced program at once, used later or not.
    void computed(const c10::SymNode& number);

    /// Gives nodes of symbolic floats that were specialized their value.
    void specializeFloats();

    /// Tags the nodes so far: tangents as backward, all others as forward. Called after the forward.
    void tagForward();
    /// Called before a call, `getitem` or output node is recorded, after its arguments were. May throw to end
    /// the trace (cancel, breakpoints). Not called for placeholders and symbolic arithmetic.
    std::function<void(const ir::Node&)> beforeNode;
    [[nodiscard]] RecordingState& state() { return m_state; }
    [[nodiscard]] const RecordingState& state() const { return m_state; }
    [[nodiscard]] std::size_t size() const { return m_graph.size(); }
    [[nodiscard]] ir::GraphBuilder& graph() { return m_graph; }
    /// Real tensors that the graph reads by get_attr, with their names.
    [[nodiscard]] const std::vector<std::pair<at::Tensor, std::string>>& constants() const {
        return m_constants;
    }
    [[nodiscard]] const ir::GraphContents& graph() const { return m_graph; }
    /// The node of a tensor in this recording; nullopt when it has none.
    [[nodiscard]] std::optional<ir::NodeId> tryNode(const at::Tensor& tensor) const;

private:
    [[nodiscard]] ir::Argument argument(const c10::IValue& value, const c10::TypePtr& type);
    [[nodiscard]] ir::Argument tensorArgument(const at::Tensor& tensor);
    /// Makes a real tensor of the program an attribute of the graph (`_tensor_constant0`).
    [[nodiscard]] ir::NodeId constant(const at::Tensor& tensor);
    /// The node of a symbolic number: an existing one, else new nodes that repeat its computation.
    [[nodiscard]] ir::Argument symbolArgument(const c10::SymNodeImpl* node);
    /// Adds a node for the operation that computed a number.
    ir::NodeId recordArithmetic(const SymbolicNode& number);
    ir::NodeId appendSymbol(ir::Node node, const SymbolicNode& number);
    void bindSymbol(const c10::SymNodeImpl* number, ir::NodeId node);
    /// Adds a node that reads a number off its source tensor (sym_size, sym_stride…).
    ir::NodeId readSize(const SymbolicNode& number);
    /// Notes the sizes, strides, element count and offset that can be read off a node's tensor. A number with
    /// a known source keeps it.
    void noteNumbers(const at::Tensor& tensor, ir::NodeId node);
    void noteNumber(const c10::SymInt& number, const SizeSource& source);
    /// The arguments of an operator's node, without those that equal their defaults.
    void addArguments(ir::Node& node, const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
    ir::NodeId record(ir::Node node);
    [[nodiscard]] ir::Node makeNode(std::string_view candidate, ir::Opcode op, std::string target);
    void bind(ir::NodeId node, const c10::IValue& value, bool updateTensors);
    void noteSize(const std::string& expression, ir::NodeId node, std::int64_t dimension);
    ir::NodeId getItem(ir::NodeId sequence, std::size_t index, const c10::IValue& value, bool updateTensors);

    std::uint64_t m_id;
    std::map<std::size_t, ir::NodeId> m_returnedAsComputed;
    /// Nodes of other than fake tensors, by address. The tensors are kept alive so that addresses stay
    /// unique.
    std::unordered_map<const c10::TensorImpl*, std::pair<at::Tensor, ir::NodeId>> m_others;
    ir::GraphBuilder m_graph;
    ir::FxNames m_names;
    RecordingState m_state;
    /// Nodes of symbolic numbers, by address as in PyTorch: a number computed twice has two nodes.
    std::unordered_map<const c10::SymNodeImpl*, ir::NodeId> m_symbols;
    std::vector<c10::SymNode> m_keptSymbols;
    /// The first node of each expression, for sizes that a shape function computed.
    std::unordered_map<std::string, ir::NodeId> m_expressions;
    /// Node and dimension off which a size without provenance can be read, by expression.
    std::unordered_map<std::string, std::pair<ir::NodeId, std::int64_t>> m_sizes;
    /// Real tensors that are attributes of the graph, kept alive.
    std::vector<std::pair<at::Tensor, std::string>> m_constants;
};

} // namespace aotscope::torch
