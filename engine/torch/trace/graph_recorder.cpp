#include "trace/graph_recorder.h"

#include "dispatch/dtypes.h"
#include "fake/symbolic_number.h"

#include "ir/higher_order.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <atomic>

namespace aotscope::torch {

namespace {

std::uint64_t nextRecording() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

/// The origin of nodes without a source line. It is not null, so that a printed graph marks where such nodes
/// begin.
const std::shared_ptr<const ir::NodeOrigin>& noOrigin() {
    static const auto none = std::make_shared<const ir::NodeOrigin>();
    return none;
}

} // namespace

GraphRecorder::GraphRecorder() : m_id(nextRecording()) {}

std::optional<ir::NodeId> GraphRecorder::tryNode(const at::Tensor& tensor) const {
    const FakeTensorImpl* fake = asFake(tensor);
    if (fake == nullptr) {
        const auto other = m_others.find(tensor.unsafeGetTensorImpl());
        return other == m_others.end() ? std::nullopt : std::optional(other->second.second);
    }
    if (fake->graphValue().recording != m_id) {
        return std::nullopt;
    }
    return fake->graphValue().node;
}

ir::Node GraphRecorder::makeNode(std::string_view candidate, ir::Opcode op, std::string target) {
    ir::Node node;
    node.name = m_names.create(candidate);
    node.op = op;
    node.target = std::move(target);
    node.origin = m_state.origin ? m_state.origin : noOrigin();
    node.partitionerTag = m_state.partitionerTag;
    if (op != ir::Opcode::Placeholder) {
        node.sequenceNumber = m_state.gradSequenceNumber
                                  ? *m_state.gradSequenceNumber
                                  : static_cast<std::int64_t>(at::sequence_number::peek()) - 1;
    }
    return node;
}

ir::NodeId GraphRecorder::placeholder(std::string_view name, ir::AOTInput descriptor,
                                      const c10::IValue& value) {
    ir::Node node = makeNode(name, ir::Opcode::Placeholder, {});
    node.target = node.name;
    node.origin = nullptr;
    node.descriptors = {{std::move(descriptor)}};
    const ir::NodeId id = m_graph.append(std::move(node));
    bind(id, value, true);
    if (value.isInt()) {
        // A symbol specialized to this number remains an input.
        m_graph.editMeta(id).value =
            ir::SymbolicMeta{ir::SymbolicMeta::Kind::Int, ir::SymExpr(std::to_string(value.toInt()))};
    }
    return id;
}

ir::NodeId GraphRecorder::constant(const at::Tensor& tensor) {
    auto known = std::find_if(m_constants.begin(), m_constants.end(),
                              [&](const auto& constant) { return constant.first.is_same(tensor); });
    if (known == m_constants.end()) {
        known = m_constants.insert(known, {tensor, "_tensor_constant" + std::to_string(m_constants.size())});
        m_graph.addConstant(known->second, tensorMeta(tensor));
    }
    ir::Node node = makeNode(known->second, ir::Opcode::GetAttr, known->second);
    node.value = tensorMeta(tensor);
    return m_graph.append(std::move(node));
}

ir::NodeId GraphRecorder::call(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    std::string_view base = op.operator_name().name;
    base.remove_prefix(base.find("::") + 2);
    // Arguments first: constants among them get nodes and names before the call does.
    ir::Node given;
    addArguments(given, op, arguments);
    ir::Node node =
        makeNode(ir::snakeCase(ir::withoutMagic(base)), ir::Opcode::CallFunction, operatorTarget(op));
    node.args = std::move(given.args);
    node.kwargs = std::move(given.kwargs);
    node.originalAten = m_state.originalAten.empty() ? node.target : m_state.originalAten;
    return record(std::move(node));
}

void GraphRecorder::callEffect(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                               const at::Tensor& token, const at::Tensor& next) {
    ir::Node given;
    given.args = {tensorArgument(token), ir::OperatorArgument{operatorTarget(op)}};
    addArguments(given, op, arguments);
    const ir::HigherOrderOperator& withEffects = ir::higherOrder(ir::HigherOrder::WithEffects);
    ir::Node node = makeNode(withEffects.name(), ir::Opcode::CallFunction, std::string(withEffects.target));
    node.args = std::move(given.args);
    node.kwargs = std::move(given.kwargs);
    auto results = std::make_shared<ir::TupleMeta>();
    results->elements = {valueMeta(next), valueMeta(c10::IValue())};
    const ir::NodeId id = record(std::move(node));
    m_graph.editMeta(id).value = std::shared_ptr<const ir::TupleMeta>(std::move(results));
    getItem(id, 0, next, true);
    // The missing result has a node as well, which is dead code but takes a name.
    getItem(id, 1, c10::IValue(), true);
}

void GraphRecorder::makeToken(const at::Tensor& token) {
    bind(stateCall("_make_token_default", "prims._make_token.default", {}, {}), token, true);
}

void GraphRecorder::sinkToken(const at::Tensor& token) {
    stateCall("_sink_tokens_default", "prims._sink_tokens.default",
              {ir::ListArgument{{tensorArgument(token)}}}, {});
}

ir::NodeId GraphRecorder::stateCall(std::string_view name, std::string target, ir::Arguments args,
                                    std::vector<ir::KeywordArgument> kwargs) {
    ir::Node node = makeNode(name, ir::Opcode::CallFunction, std::move(target));
    node.origin = noOrigin();
    node.args = std::move(args);
    node.kwargs = std::move(kwargs);
    return record(std::move(node));
}

ir::NodeId GraphRecorder::record(ir::Node node) {
    if (beforeNode) {
        beforeNode(node);
    }
    return m_graph.append(std::move(node));
}

void GraphRecorder::bind(ir::NodeId node, const c10::IValue& value, bool updateTensors) {
    m_graph.editMeta(node).value = valueMeta(value);
    if (const c10::SymNode number = symbolIn(value); number.defined()) {
        bindSymbol(number.get(), node);
    } else if (value.isTensor() && value.toTensor().defined() &&
               value.toTensor().unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
        noteNumbers(value.toTensor(), node);
    }
    if (updateTensors && value.isTensor()) {
        if (FakeTensorImpl* fake = asFake(value.toTensor())) {
            fake->setGraphValue({m_id, node});
        } else if (value.toTensor().defined()) {
            m_others.insert_or_assign(value.toTensor().unsafeGetTensorImpl(),
                                      std::pair(value.toTensor(), node));
        }
    }
}

ir::NodeId GraphRecorder::getItem(ir::NodeId sequence, std::size_t index, const c10::IValue& value,
                                  bool updateTensors) {
    ir::Node node = makeNode("getitem", ir::Opcode::CallFunction, "_operator.getitem");
    node.args = {ir::Argument(sequence), ir::Argument(static_cast<std::int64_t>(index))};
    const ir::NodeId id = record(std::move(node));
    bind(id, value, updateTensors);
    if (value.isTensorList()) {
        std::size_t item = 0;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            getItem(id, item++, tensor, updateTensors);
        }
    }
    return id;
}

void GraphRecorder::bindResults(ir::NodeId node, const c10::OperatorHandle& op,
                                c10::ArrayRef<c10::IValue> results, bool updateTensors) {
    if (op.schema().returns().empty()) {
        return;
    }
    if (results.size() == 1 && !results.front().isTensorList()) {
        bind(node, results.front(), updateTensors);
        return;
    }
    auto tuple = std::make_shared<ir::TupleMeta>();
    std::vector<c10::IValue> items;
    if (results.size() == 1) {
        for (const at::Tensor& tensor : results.front().toTensorVector()) {
            items.emplace_back(tensor);
        }
    } else {
        items.assign(results.begin(), results.end());
    }
    for (const c10::IValue& item : items) {
        tuple->elements.push_back(valueMeta(item));
    }
    m_graph.editMeta(node).value = std::shared_ptr<const ir::TupleMeta>(std::move(tuple));
    for (std::size_t i = 0; i < items.size(); ++i) {
        getItem(node, i, items[i], updateTensors);
    }
}

void GraphRecorder::tagForward() {
    for (const ir::NodeId id : m_graph.order()) {
        m_graph.editMeta(id).partitionerTag = ir::isTangentOrBackwardToken(m_graph.node(id))
                                                  ? ir::PartitionerTag::Backward
                                                  : ir::PartitionerTag::Forward;
    }
}

void GraphRecorder::output(c10::ArrayRef<c10::IValue> values, std::vector<ir::Descriptor> descriptors) {
    ir::TupleArgument list;
    for (const c10::IValue& value : values) {
        const auto computed = m_returnedAsComputed.find(list.items.size());
        list.items.push_back(computed != m_returnedAsComputed.end() ? ir::Argument(computed->second)
                                                                    : argument(value, c10::AnyType::get()));
    }
    ir::Node node = makeNode("output", ir::Opcode::Output, "output");
    node.origin = nullptr;
    node.sequenceNumber.reset();
    node.partitionerTag = ir::PartitionerTag::None;
    node.args.emplace_back(std::move(list));
    node.descriptors = std::move(descriptors);
    record(std::move(node));
}

} // namespace aotscope::torch
