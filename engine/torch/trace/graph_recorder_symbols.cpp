// The part of GraphRecorder that finds and adds the nodes of symbolic numbers.
#include "fake/symbolic_number.h"
#include "fake/unrecorded_arithmetic.h"
#include "ir/symbolic/terms.h"
#include "ir/used_symbols.h"
#include "trace/graph_recorder.h"

namespace aotscope::torch {

void GraphRecorder::computed(const c10::SymNode& number) {
    const auto* symbolic = dynamic_cast<const SymbolicNode*>(number.get());
    if (symbolic == nullptr) {
        return;
    }
    if (symbolic->expression().constant()) {
        // PyTorch records a constant result (`s0*0`) as an unused node.
        static_cast<void>(recordArithmetic(*symbolic));
    } else {
        static_cast<void>(symbolArgument(number.get()));
    }
}

ir::NodeId GraphRecorder::recordArithmetic(const SymbolicNode& number) {
    const SymProvenance& provenance = number.provenance();
    const std::string& operation = provenance.operation;
    ir::Arguments args;
    for (const c10::SymNode& operand : provenance.operands) {
        args.push_back(symbolArgument(operand.get()));
    }
    if (operation == "sym_sum") {
        args = {ir::Argument(ir::TupleArgument{std::move(args)})};
    }
    if (operation == "round") {
        args.emplace_back(); // The number of digits: None.
    }
    const bool ofTorch = operation.starts_with("sym_") || operation.starts_with("_sym_");
    const bool rounds = operation == "trunc" || operation == "floor" || operation == "ceil";
    const std::string_view module = ofTorch                ? "torch."
                                    : operation == "round" ? ""
                                    : rounds               ? "math."
                                                           : "_operator.";
    ir::Node made = makeNode(operation, ir::Opcode::CallFunction, std::string(module) + operation);
    made.args = std::move(args);
    return appendSymbol(std::move(made), number);
}

ir::NodeId GraphRecorder::appendSymbol(ir::Node node, const SymbolicNode& number) {
    node.value = symbolMeta(number);
    return m_graph.append(std::move(node));
}

ir::Argument GraphRecorder::symbolArgument(const c10::SymNodeImpl* node) {
    const auto* symbolic = dynamic_cast<const SymbolicNode*>(node);
    TORCH_CHECK(symbolic != nullptr, "a symbolic number of another trace");
    if (symbolic->environment().isSpecializedFloat(*symbolic)) {
        return symbolic->value(0);
    }
    if (const auto known = m_symbols.find(node); known != m_symbols.end()) {
        return known->second;
    }
    if (symbolic->kind() == SymbolicNode::Kind::Int) {
        if (const auto constant = symbolic->expression().constant()) {
            return *constant;
        }
    } else if (symbolic->provenance().operation.empty()) {
        return symbolic->value(0);
    }
    const std::string& text = symbolic->expression().text();
    if (symbolic->source().recording == m_id) {
        return readSize(*symbolic);
    }
    const SymProvenance& provenance = symbolic->provenance();
    if (const auto known = m_expressions.find(text);
        provenance.operation.empty() && known != m_expressions.end()) {
        return known->second;
    }
    ir::NodeId id;
    if (!provenance.operation.empty()) {
        id = recordArithmetic(*symbolic);
    } else if (const auto size = m_sizes.find(text); size != m_sizes.end()) {
        ir::Node made = makeNode("sym_size_int", ir::Opcode::CallFunction, "aten.sym_size.int");
        made.args = {ir::Argument(size->second.first), ir::Argument(size->second.second)};
        id = appendSymbol(std::move(made), *symbolic);
    } else {
        return ir::SymbolArgument{symbolic->expression()};
    }
    bindSymbol(node, id);
    return id;
}

void GraphRecorder::returnAsComputed(std::size_t place, const c10::SymNode& number) {
    const auto* symbolic = dynamic_cast<const SymbolicNode*>(number.get());
    if (symbolic == nullptr) {
        return;
    }
    const bool isConstantResult =
        symbolic->expression().constant() && !symbolic->provenance().operation.empty();
    const ir::Argument node = isConstantResult && !m_symbols.contains(symbolic)
                                  ? ir::Argument(recordArithmetic(*symbolic))
                                  : symbolArgument(symbolic);
    if (const auto* id = node.as<ir::NodeId>()) {
        m_returnedAsComputed[place] = *id;
    }
}

ir::NodeId GraphRecorder::readSize(const SymbolicNode& number) {
    const SizeSource& source = number.source();
    const bool indexed = source.what == SizeSource::What::Size || source.what == SizeSource::What::Stride;
    static constexpr std::string_view names[] = {"sym_size_int", "sym_stride_int", "sym_numel_default",
                                                 "sym_storage_offset_default"};
    static constexpr std::string_view targets[] = {"aten.sym_size.int", "aten.sym_stride.int",
                                                   "aten.sym_numel.default",
                                                   "aten.sym_storage_offset.default"};
    const auto what = static_cast<std::size_t>(source.what);
    ir::Node made = makeNode(names[what], ir::Opcode::CallFunction, std::string(targets[what]));
    made.args = {ir::Argument(source.node)};
    if (indexed) {
        made.args.emplace_back(source.dimension);
    }
    const ir::NodeId id = appendSymbol(std::move(made), number);
    bindSymbol(&number, id);
    return id;
}

void GraphRecorder::bindSymbol(const c10::SymNodeImpl* number, ir::NodeId node) {
    if (m_graph.node(node).op == ir::Opcode::Placeholder) {
        // Of several placeholders with the same symbol, the last one represents it.
        m_symbols.erase(number);
        m_expressions.erase(c10::SymNode::reclaim_copy(const_cast<c10::SymNodeImpl*>(number))->str());
    }
    // Kept alive so that addresses stay unique.
    m_keptSymbols.push_back(c10::SymNode::reclaim_copy(const_cast<c10::SymNodeImpl*>(number)));
    m_symbols.emplace(number, node);
    m_expressions.emplace(m_keptSymbols.back()->str(), node);
}

void GraphRecorder::specializeFloats() {
    for (const auto& [number, node] : m_symbols) {
        const auto* symbolic = dynamic_cast<const SymbolicNode*>(number);
        if (symbolic != nullptr && symbolic->environment().isSpecializedFloat(*symbolic)) {
            m_graph.editMeta(node).value = ir::SymbolicMeta{ir::SymbolicMeta::Kind::Float,
                                                            ir::SymExpr(ir::sympyFloat(symbolic->value(0)))};
        }
    }
}

void GraphRecorder::noteSize(const std::string& expression, ir::NodeId node, std::int64_t dimension) {
    const auto [known, added] = m_sizes.try_emplace(expression, node, dimension);
    // An unbacked size is read off the tensor that defined it, not off a tangent placeholder of that size.
    if (!added && ir::isUnbackedSymbol(expression) &&
        m_graph.node(known->second.first).op == ir::Opcode::Placeholder) {
        known->second = {node, dimension};
    }
}

void GraphRecorder::noteNumber(const c10::SymInt& number, const SizeSource& source) {
    const SymbolicNode* symbolic = asSymbolic(number);
    if (symbolic != nullptr && symbolic->source().recording != m_id && !symbolic->provenance().tracked &&
        !m_symbols.contains(symbolic)) {
        symbolic->setSource(source);
    }
}

namespace {

/// Computed when the tensor is created, as in PyTorch, so that it is not recorded where the program first
/// asks.
c10::SymInt elementCount(const at::Tensor& tensor) {
    for (const c10::SymInt& size : tensor.sym_sizes()) {
        if (const SymbolicNode* symbolic = asSymbolic(size)) {
            const UnrecordedArithmetic untold(symbolic->environment());
            return tensor.sym_numel();
        }
    }
    return tensor.sym_numel();
}

} // namespace

void GraphRecorder::noteNumbers(const at::Tensor& tensor, ir::NodeId node) {
    const auto sizes = tensor.sym_sizes();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d].is_symbolic()) {
            const auto dimension = static_cast<std::int64_t>(d);
            noteSize(sizes[d].toSymNodeImplUnowned()->str(), node, dimension);
            noteNumber(sizes[d], {m_id, node, SizeSource::What::Size, dimension});
        }
    }
    const auto strides = tensor.sym_strides();
    for (std::size_t d = 0; d < strides.size(); ++d) {
        noteNumber(strides[d], {m_id, node, SizeSource::What::Stride, static_cast<std::int64_t>(d)});
    }
    noteNumber(elementCount(tensor), {m_id, node, SizeSource::What::Elements});
    noteNumber(tensor.sym_storage_offset(), {m_id, node, SizeSource::What::Offset});
}

} // namespace aotscope::torch
