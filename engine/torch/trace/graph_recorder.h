#pragma once

#include "fake/fake_tensor.h"
#include "trace/value_meta.h"

#include "ir/fx_names.h"
#include "ir/graph.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::torch {

/// What is true of the nodes recorded now: the source they came from and the order of autograd.
struct RecordingState {
    std::shared_ptr<const ir::NodeOrigin> origin;
    ir::PartitionerTag partitionerTag = ir::PartitionerTag::None;
    /// The partitioner may not move it out of that half: "must_be_in_forward", "must_be_in_backward". Empty:
    /// it may.
    std::string placement = {};
    /// The backward node that runs now, by its sequence number; nothing outside of one.
    std::optional<std::int64_t> gradSequenceNumber;
    /// The ATen operator that is being decomposed, empty outside of a decomposition.
    std::string originalAten;
};

/// Builds the FX graph of a trace: one node for each operator called on fake tensors (proxy tensor tracing).
/// Tensors of other kinds are known by their identity.
class GraphRecorder {
public:
    GraphRecorder();

    /// Adds a placeholder that stands for a fake tensor or a number.
    ir::NodeId placeholder(std::string_view name, ir::AOTInput descriptor, const c10::IValue& value);
    /// Adds a node for a call; arguments that equal the schema's trailing defaults are left out.
    ir::NodeId call(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
    /// Adds a node for a function that sets the thread's state; it comes from no source line.
    ir::NodeId stateCall(std::string_view name, std::string target, ir::Arguments args,
                         std::vector<ir::KeywordArgument> kwargs);
    /// Makes the results of a node its proxies; several results get a `getitem` node each.
    void bindResults(ir::NodeId node, const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> results,
                     bool updateTensors = true);
    /// Ends the graph: values are fake tensors, numbers or None.
    void output(c10::ArrayRef<c10::IValue> values, std::vector<ir::Descriptor> descriptors);

    /// Records arithmetic of the traced program on symbolic numbers at once, used later or not.
    void computed(const c10::SymNode& number);

    /// Tells nodes of floats that turned out to have one value that value.
    void settleFloats();

    /// Tags every node so far: tangents backward, all others forward, as after PyTorch's forward.
    void tagForward();
    /// Called with each call, item and output before it is recorded, its arguments recorded already; throws
    /// to end the trace (cancel, breakpoints). Placeholders and arithmetic on symbols go without.
    std::function<void(const ir::Node&)> beforeNode;
    [[nodiscard]] RecordingState& state() { return m_state; }
    [[nodiscard]] const RecordingState& state() const { return m_state; }
    [[nodiscard]] std::size_t size() const { return m_graph.size(); }
    [[nodiscard]] ir::Graph& graph() { return m_graph; }
    /// Real tensors that are attributes of the graph, with their names.
    [[nodiscard]] const std::vector<std::pair<at::Tensor, std::string>>& constants() const {
        return m_constants;
    }
    [[nodiscard]] const ir::Graph& graph() const { return m_graph; }
    /// The node of a value in this recording, if it has one.
    [[nodiscard]] std::optional<ir::NodeId> tryNode(const at::Tensor& tensor) const;

private:
    [[nodiscard]] ir::Argument argument(const c10::IValue& value, const c10::TypePtr& type);
    [[nodiscard]] ir::Argument tensorArgument(const at::Tensor& tensor);
    /// A real tensor that the program made becomes an attribute of the graph (`_tensor_constant0`).
    [[nodiscard]] ir::NodeId constant(const at::Tensor& tensor);
    /// The node that computes a symbolic number: one that has its value already, else new ones that repeat
    /// how it came about.
    [[nodiscard]] ir::Argument symbolArgument(const c10::SymNodeImpl* node);
    /// The node that computes a number from others.
    ir::NodeId recordArithmetic(const SymbolicNode& number);
    ir::NodeId appendSymbol(ir::Node node, const SymbolicNode& number);
    void bindSymbol(const c10::SymNodeImpl* number, ir::NodeId node);
    /// The node that reads a number off the tensor it was noted at.
    ir::NodeId readSize(const SymbolicNode& number);
    /// Notes where the numbers of a tensor that a node makes can be read; known ones keep their place.
    void noteNumbers(const at::Tensor& tensor, ir::NodeId node);
    void noteNumber(const c10::SymInt& number, const SizeSource& source);
    ir::NodeId record(ir::Node node);
    [[nodiscard]] ir::Node makeNode(std::string_view candidate, ir::Opcode op, std::string target);
    void bind(ir::NodeId node, const c10::IValue& value, bool updateTensors);
    void noteSize(const std::string& expression, ir::NodeId node, std::int64_t dimension);
    ir::NodeId getItem(ir::NodeId sequence, std::size_t index, const c10::IValue& value, bool updateTensors);

    std::uint64_t m_id;
    /// Nodes of tensors that are no fake ones, which are kept alive, so that no other takes their address.
    std::unordered_map<const c10::TensorImpl*, std::pair<at::Tensor, ir::NodeId>> m_others;
    ir::Graph m_graph;
    ir::FxNames m_names;
    RecordingState m_state;
    /// Nodes of symbolic numbers, each number by its identity as in PyTorch, where equal ones computed twice
    /// are two nodes.
    std::unordered_map<const c10::SymNodeImpl*, ir::NodeId> m_symbols;
    std::vector<c10::SymNode> m_keptSymbols;
    /// The first node of each expression, for sizes that came out of a shape computation.
    std::unordered_map<std::string, ir::NodeId> m_expressions;
    /// Where a size found by solving can be read: a tensor's node and dimension, by expression.
    std::unordered_map<std::string, std::pair<ir::NodeId, std::int64_t>> m_sizes;
    /// Real tensors that are attributes, kept alive.
    std::vector<std::pair<at::Tensor, std::string>> m_constants;
};

} // namespace aotscope::torch
