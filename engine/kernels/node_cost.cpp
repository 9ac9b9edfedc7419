#include "kernels/node_cost.h"

#include "kernels/dtype_rules.h"

#include "ir/op_schema.h"
#include "ir/operator_name.h"
#include "passes/flops.h"
#include "passes/op_facts.h"
#include "passes/pointwise.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace aotscope::kernels {

namespace {

using Names = std::set<std::string_view>;

const Names& reductions() {
    static const Names names{"aten.sum",
                             "aten.mean",
                             "aten.amax",
                             "aten.amin",
                             "aten.max",
                             "aten.min",
                             "aten.prod",
                             "aten.var",
                             "aten.var_mean",
                             "aten.std",
                             "aten.std_mean",
                             "aten.any",
                             "aten.all",
                             "aten.argmax",
                             "aten.argmin",
                             "aten.logsumexp",
                             "aten.linalg_vector_norm",
                             "aten.norm",
                             "aten.cumsum",
                             "aten.cumprod",
                             "aten.nansum",
                             "aten._softmax",
                             "aten._log_softmax",
                             "aten._softmax_backward_data",
                             "aten._log_softmax_backward_data",
                             "aten._safe_softmax",
                             "aten.softmax",
                             "aten.log_softmax",
                             "aten.native_layer_norm",
                             "aten.native_layer_norm_backward",
                             "aten.native_group_norm",
                             "aten.native_group_norm_backward",
                             "aten.native_batch_norm",
                             "aten.native_batch_norm_backward",
                             "aten._native_batch_norm_legit",
                             "aten._native_batch_norm_legit_functional",
                             "aten._native_batch_norm_legit_no_training",
                             "aten.batch_norm_backward",
                             "aten._fused_rms_norm",
                             "aten._fused_rms_norm_backward",
                             "aten.mse_loss",
                             "prims.sum",
                             "prims.amax",
                             "prims.amin",
                             "prims.prod",
                             "prims.var",
                             "prims.xor_sum"};
    return names;
}

/// Move, fill or convert elements, each once.
const Names& copies() {
    static const Names names{"aten.clone",
                             "aten.copy",
                             "aten.copy_",
                             "aten._to_copy",
                             "aten.cat",
                             "aten.stack",
                             "aten.slice_scatter",
                             "aten.select_scatter",
                             "aten.as_strided_scatter",
                             "aten.diagonal_scatter",
                             "aten.constant_pad_nd",
                             "aten.repeat",
                             "aten.flip",
                             "aten.roll",
                             "aten.full",
                             "aten.full_like",
                             "aten.zeros",
                             "aten.zeros_like",
                             "aten.ones",
                             "aten.ones_like",
                             "aten.new_zeros",
                             "aten.new_ones",
                             "aten.new_full",
                             "aten.arange",
                             "aten.scalar_tensor",
                             "aten.fill_",
                             "aten.fill",
                             "aten.zero_",
                             "aten.eye",
                             "aten.tril",
                             "aten.triu",
                             "aten.lift_fresh_copy",
                             "aten._unsafe_view",
                             "prims.convert_element_type",
                             "prims.device_put",
                             "prims.iota",
                             "prims.fma"};
    return names;
}

/// Gather-like operators: only the indexed elements of argument 0 are read.
const Names& lookUps() {
    static const Names names{"aten.embedding", "aten.index",        "aten._unsafe_index",
                             "aten.gather",    "aten.index_select", "aten.nll_loss_forward",
                             "aten.take"};
    return names;
}

/// Make tensors without reading their tensor arguments.
bool ignoresInputs(std::string_view packet) {
    return packet.ends_with("_like") || packet.starts_with("aten.new_") || packet == "aten.zero_" ||
           packet == "aten.fill_";
}

bool isEmptyTensor(std::string_view packet) {
    return packet.starts_with("aten.empty") || packet.starts_with("aten.new_empty");
}

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
        const ir::NodeId* id = position < node.args.size() ? node.args[position].as<ir::NodeId>() : nullptr;
        return id == nullptr ? nullptr : ir::asTensor(m_graph.node(*id).value);
    }

private:
    static void collect(const ir::ValueMeta& value, std::vector<const ir::TensorMeta*>& found) {
        if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
            found.push_back(tensor);
        } else if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value);
                   tuple != nullptr && *tuple) {
            for (const ir::ValueMeta& element : (*tuple)->elements) {
                collect(element, found);
            }
        }
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

CostKind kindOf(const ir::Node& node) {
    const std::string_view packet = ir::splitTarget(node.target).packet;
    if (passes::hasFlopFormula(node.target, newestRules())) {
        return CostKind::Matrix;
    }
    if (reductions().contains(packet)) {
        return CostKind::Reduction;
    }
    if (copies().contains(packet) || lookUps().contains(packet)) {
        return packet == "aten._unsafe_view" ? CostKind::Nothing : CostKind::Copy;
    }
    if (passes::isPointwise(packet)) {
        return CostKind::Pointwise;
    }
    const bool isNothing = (passes::opFlags(node.target, newestRules()) & passes::OpView) != 0 ||
                           isEmptyTensor(packet) || node.target == "_operator.getitem" ||
                           isViewBySchema(node.target) || packet.starts_with("aten.sym_");
    return isNothing ? CostKind::Nothing : CostKind::Other;
}

/// What the arguments that the operator writes to add, and whether it reads them as well.
void countMutations(const ir::Node& node, Measure& measure, NodeCost& cost) {
    const auto schema = ir::trySchema(node.target);
    for (std::size_t i = 0; schema && i < schema->arguments.size(); ++i) {
        const ir::TensorMeta* tensor = schema->arguments[i].isMutated ? measure.argument(node, i) : nullptr;
        if (tensor == nullptr) {
            continue;
        }
        const std::string_view packet = ir::splitTarget(node.target).packet;
        if (packet == "aten.copy_" || ignoresInputs(packet)) {
            cost.bytesRead -= ignoresInputs(packet) ? 0 : measure.bytes(*tensor);
        }
        if (!schema->returns.empty() && schema->returns[0].find('!') == std::string::npos) {
            cost.bytesWritten += measure.bytes(*tensor);
        }
    }
}

void countBytes(const ir::Graph& graph, ir::NodeId id, Measure& measure, NodeCost& cost) {
    const ir::Node& node = graph.node(id);
    const std::string_view packet = ir::splitTarget(node.target).packet;
    const std::vector<const ir::TensorMeta*> results = measure.tensors(id);
    cost.bytesWritten = measure.bytes(results);
    cost.bytesRead = ignoresInputs(packet) ? 0 : measure.bytes(measure.inputs(id));
    const ir::TensorMeta* table = measure.argument(node, 0);
    if (lookUps().contains(packet) && table != nullptr && !results.empty()) {
        const ir::TensorMeta* targets = measure.argument(node, 1);
        const double taken = packet == "aten.nll_loss_forward" && targets != nullptr
                                 ? measure.elements(*targets)
                                 : measure.elements(*results[0]);
        const auto elementBytes = static_cast<double>(ir::dtypeBytes(table->dtype));
        cost.bytesRead += std::min(taken * elementBytes, measure.bytes(*table)) - measure.bytes(*table);
    }
    countMutations(node, measure, cost);
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
    cost.kind = kindOf(node);
    if (cost.kind == CostKind::Nothing) {
        return cost;
    }
    Measure measure(graph, bindings);
    cost.dtype = computeType(id, measure);
    countBytes(graph, id, measure, cost);
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
