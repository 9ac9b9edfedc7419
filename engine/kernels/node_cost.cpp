#include "kernels/node_cost.h"

#include "kernels/dtype_rules.h"

#include "ir/op_schema.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"
#include "passes/flops.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace aotscope::kernels {

namespace {

/// Whether the schema says that the results are views of arguments and none is written.
bool isViewBySchema(std::string_view target) {
    const auto schema = ir::trySchema(target);
    return schema && !schema->returns.empty() &&
           std::ranges::all_of(schema->returns, [](const std::string& type) {
               return type.starts_with("Tensor(") && type.find('!') == std::string::npos;
           });
}

/// The tensors of one node, measured.
class Measure {
public:
    Measure(const ir::Graph& graph, const ir::SymbolBindings& bindings)
        : m_graph(graph), m_bindings(bindings) {
        m_bindings.insert(graph.symbolHints().begin(), graph.symbolHints().end());
    }

    [[nodiscard]] const std::string& trouble() const { return m_trouble; }

    /// Elements that lie in memory: a dimension of stride 0 has one.
    double elements(const ir::TensorMeta& tensor) {
        double count = 1;
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
            const bool isExpanded = tensor.stride && i < tensor.stride->size() &&
                                    !(*tensor.stride)[i].isSymbolic() && (*tensor.stride)[i].integer() == 0;
            count *= isExpanded ? 1.0 : size(tensor.shape[i]);
        }
        return count;
    }
    double bytes(const ir::TensorMeta& tensor) {
        return elements(tensor) * static_cast<double>(ir::dtypeBytes(tensor.dtype));
    }
    double bytes(const std::vector<const ir::TensorMeta*>& tensors) {
        double sum = 0;
        for (const ir::TensorMeta* tensor : tensors) {
            sum += bytes(*tensor);
        }
        return sum;
    }

    /// The tensors of a value, or of its elements where only those are known.
    std::vector<const ir::TensorMeta*> tensors(ir::NodeId id) {
        std::vector<const ir::TensorMeta*> found;
        collect(m_graph.node(id).value, found);
        if (found.empty()) {
            for (const ir::NodeId user : m_graph.users(id)) {
                if (m_graph.node(user).target == "_operator.getitem") {
                    collect(m_graph.node(user).value, found);
                }
            }
        }
        return found;
    }
    /// Distinct inputs that are tensors, in order of appearance.
    std::vector<const ir::TensorMeta*> inputs(ir::NodeId id) {
        std::vector<const ir::TensorMeta*> found;
        for (const ir::NodeId input : m_graph.inputs(id)) {
            collect(m_graph.node(input).value, found);
        }
        return found;
    }
    /// An argument that is a tensor; null: it is something else.
    const ir::TensorMeta* argument(const ir::Node& node, std::size_t position) const {
        const ir::NodeId* id = node.tryArg<ir::NodeId>(position);
        return id == nullptr ? nullptr : ir::asTensor(m_graph.node(*id).value);
    }

private:
    static void collect(const ir::ValueMeta& value, std::vector<const ir::TensorMeta*>& found) {
        ir::forEachTensor(value, [&](const ir::TensorMeta& tensor) { found.push_back(&tensor); });
    }
    double size(const ir::SymInt& size) {
        if (!size.isSymbolic()) {
            return static_cast<double>(size.integer());
        }
        const auto value = size.expression().evaluateInt(m_bindings);
        if (!value && m_trouble.empty()) {
            m_trouble = "the size " + std::string(size.expression().text()) + " has no value";
        }
        return static_cast<double>(value.value_or(0));
    }

    const ir::Graph& m_graph;
    ir::SymbolBindings m_bindings;
    std::string m_trouble;
};

passes::PartitionRules newestRules() {
    passes::PartitionRules rules;
    rules.countsAllAttention = true;
    rules.leakyReluIsPointwise = true;
    return rules;
}

CostKind kindOf(const ir::Node& node, const ir::Operator& op) {
    if (passes::hasFlopFormula(op, newestRules())) {
        return CostKind::Matrix;
    }
    if (op.is(ir::Trait::Reduces)) {
        return CostKind::Reduction;
    }
    if (op.is(ir::Trait::MovesElements | ir::Trait::LooksUp)) {
        return CostKind::Copy;
    }
    if (op.is(ir::Trait::Pointwise)) {
        return CostKind::Pointwise;
    }
    const bool isNothing = op.is(ir::Trait::View | ir::Trait::Uninitialized | ir::Trait::HiddenView) ||
                           node.target == "_operator.getitem" || isViewBySchema(node.target) ||
                           ir::isSymbolicOperator(node.target);
    return isNothing ? CostKind::Nothing : CostKind::Other;
}

/// What the arguments that the operator writes to add, and whether it reads them as well.
void countMutations(const ir::Node& node, const ir::Operator& op, Measure& measure, NodeCost& cost) {
    const auto schema = ir::trySchema(node.target);
    for (std::size_t i = 0; schema && i < schema->arguments.size(); ++i) {
        const ir::TensorMeta* tensor = schema->arguments[i].isMutated ? measure.argument(node, i) : nullptr;
        if (tensor == nullptr) {
            continue;
        }
        if (op.is(ir::Trait::CopiesInto)) {
            cost.bytesRead -= measure.bytes(*tensor);
        }
        if (!schema->returns.empty() && schema->returns[0].find('!') == std::string::npos) {
            cost.bytesWritten += measure.bytes(*tensor);
        }
    }
}

void countBytes(const ir::Graph& graph, ir::NodeId id, const ir::Operator& op, Measure& measure,
                NodeCost& cost) {
    const ir::Node& node = graph.node(id);
    const std::vector<const ir::TensorMeta*> results = measure.tensors(id);
    cost.bytesWritten = measure.bytes(results);
    cost.bytesRead = op.is(ir::Trait::IgnoresInputs) ? 0 : measure.bytes(measure.inputs(id));
    const ir::TensorMeta* table = measure.argument(node, 0);
    if (op.is(ir::Trait::LooksUp) && table != nullptr && !results.empty()) {
        const bool takesClasses = op->indexes.begin()->below == ir::Below::Classes;
        const ir::TensorMeta* targets = takesClasses ? measure.argument(node, 1) : nullptr;
        const double taken = measure.elements(targets != nullptr ? *targets : *results[0]);
        const auto elementBytes = static_cast<double>(ir::dtypeBytes(table->dtype));
        cost.bytesRead += std::min(taken * elementBytes, measure.bytes(*table)) - measure.bytes(*table);
    }
    countMutations(node, op, measure, cost);
}

void countOperations(const ir::Graph& graph, ir::NodeId id, const ir::SymbolBindings& bindings,
                     Measure& measure, NodeCost& cost) {
    if (cost.kind == CostKind::Matrix) {
        passes::ValueSizes sizes(graph, newestRules(), bindings);
        cost.flops = passes::nodeFlops(graph, id, sizes, newestRules());
    } else if (cost.kind == CostKind::Pointwise || cost.kind == CostKind::Reduction) {
        for (const ir::TensorMeta* tensor : measure.tensors(id)) {
            cost.elementOperations = std::max(cost.elementOperations, measure.elements(*tensor));
        }
        for (const ir::TensorMeta* tensor : measure.inputs(id)) {
            cost.elementOperations = std::max(cost.elementOperations, measure.elements(*tensor));
        }
    }
}

/// The first dtype of the arguments that is computed with, else the result's.
ir::DType computeType(ir::NodeId id, Measure& measure) {
    std::vector<const ir::TensorMeta*> tensors = measure.inputs(id);
    const std::vector<const ir::TensorMeta*> results = measure.tensors(id);
    tensors.insert(tensors.end(), results.begin(), results.end());
    for (const ir::TensorMeta* tensor : tensors) {
        if (isFloating(tensor->dtype)) {
            return tensor->dtype;
        }
    }
    return tensors.empty() ? ir::DType::Unknown : tensors.front()->dtype;
}

} // namespace

KernelWork NodeCost::work(bool allowsTf32) const {
    return {.bytesRead = bytesRead,
            .bytesWritten = bytesWritten,
            .matrixOperations = flops,
            .vectorOperations = elementOperations,
            .dtype = dtype,
            .allowsTf32 = allowsTf32};
}

NodeCost nodeCost(const ir::Graph& graph, ir::NodeId id, const ir::SymbolBindings& bindings) {
    NodeCost cost;
    const ir::Node& node = graph.node(id);
    if (node.op != ir::Opcode::CallFunction) {
        return cost;
    }
    const ir::Operator op(node.target);
    cost.kind = kindOf(node, op);
    if (cost.kind == CostKind::Nothing) {
        return cost;
    }
    Measure measure(graph, bindings);
    cost.dtype = computeType(id, measure);
    countBytes(graph, id, op, measure, cost);
    countOperations(graph, id, bindings, measure, cost);
    if (!measure.trouble().empty()) {
        cost.isKnown = false;
        cost.note = measure.trouble();
    } else if (measure.tensors(id).empty() && measure.inputs(id).empty()) {
        // Arithmetic of sizes, assertions.
        cost.kind = CostKind::Nothing;
    } else if (cost.kind == CostKind::Other) {
        cost.isKnown = false;
        cost.note = "no formula for the operations of " + node.target + "; its tensors are counted once";
    }
    return cost;
}

} // namespace aotscope::kernels
