#include "passes/flops.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace aotscope::passes {
namespace {

using Shape = std::vector<double>;

class Call {
public:
    Call(const ir::Graph& graph, ir::NodeId id, ValueSizes& sizes)
        : m_graph(graph), m_node(graph.node(id)), m_sizes(sizes) {}

    /// Sizes of an argument; empty if it is not a tensor.
    [[nodiscard]] Shape shape(std::size_t position) const {
        const ir::NodeId* id = m_node.tryArg<ir::NodeId>(position);
        return id == nullptr ? Shape() : shapeOf(m_graph.node(*id).value);
    }
    [[nodiscard]] Shape result() const { return shapeOf(m_node.value); }
    [[nodiscard]] bool flag(std::size_t position) const {
        const bool* value = m_node.tryArg<bool>(position);
        return value != nullptr && *value;
    }
    [[nodiscard]] bool flagIn(std::size_t position, std::size_t element) const {
        const auto* list = m_node.tryArg<ir::ListArgument>(position);
        const bool* value =
            list != nullptr && element < list->items.size() ? list->items[element].as<bool>() : nullptr;
        return value != nullptr && *value;
    }
    [[nodiscard]] bool isNone(std::size_t position) const {
        return position >= m_node.args.size() || m_node.args[position].as<ir::NoneArgument>() != nullptr;
    }
    [[nodiscard]] double integer(std::size_t position) const {
        const auto* value = m_node.tryArg<std::int64_t>(position);
        return value == nullptr ? 0 : static_cast<double>(*value);
    }

private:
    [[nodiscard]] Shape shapeOf(const ir::ValueMeta& value) const {
        Shape shape;
        if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
            for (const ir::SymInt& size : tensor->shape) {
                shape.push_back(static_cast<double>(m_sizes.integer(size)));
            }
        }
        return shape;
    }

    const ir::Graph& m_graph;
    const ir::Node& m_node;
    ValueSizes& m_sizes;
};

double elementsFrom(const Shape& shape, std::size_t from) {
    return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(std::min(from, shape.size())),
                           shape.end(), 1.0, std::multiplies<>());
}

double matrixProduct(const Shape& a, const Shape& b) {
    return a.size() == 2 && b.size() == 2 ? a[0] * b[1] * 2 * a[1] : 0;
}

double batchProduct(const Shape& a, const Shape& b) {
    return a.size() == 3 && b.size() == 3 ? a[0] * a[1] * b[2] * 2 * a[2] : 0;
}

double convolution(const Shape& x, const Shape& weight, const Shape& out, bool transposed) {
    if (x.size() < 2 || weight.size() < 2) {
        return 0;
    }
    return elementsFrom(transposed ? x : out, 2) * elementsFrom(weight, 2) * x[0] * weight[0] * weight[1] * 2;
}

/// With dimension `from` and the one after it in each other's place.
Shape swapped(Shape shape, std::size_t from) {
    if (shape.size() > from + 1) {
        std::swap(shape[from], shape[from + 1]);
    }
    return shape;
}

double convolutionBackward(const Call& call) {
    const Shape grad = call.shape(0);
    const Shape x = call.shape(1);
    const Shape weight = call.shape(2);
    const bool transposed = call.flag(7);
    double flops = 0;
    if (call.flagIn(10, 0)) {
        flops += convolution(grad, weight, x, !transposed);
    }
    if (call.flagIn(10, 1)) {
        const Shape& of = transposed ? grad : x;
        const Shape& by = transposed ? x : grad;
        flops += convolution(swapped(of, 0), swapped(by, 0), swapped(weight, 0), false);
    }
    return flops;
}

double attention(const Shape& query, const Shape& key, const Shape& value, bool backward) {
    if (query.size() != 4 || key.size() != 4 || value.size() != 4) {
        return 0;
    }
    // In the backward one product gives the scores again, two the gradients of values and scores, two those
    // of query and key.
    const double products = backward ? 3 * query[3] + 2 * value[3] : query[3] + value[3];
    const double batches = query[0] * query[1];
    return 2 * batches * query[2] * key[2] * products;
}

/// Attention over packed sequences of different lengths: counts each as if it were as long as the longest.
double packedAttention(const Call& call, std::size_t first, std::size_t lengths, bool backward) {
    const Shape query = call.shape(first);
    const Shape key = call.shape(first + 1);
    const Shape value = call.shape(first + 2);
    if (call.isNone(lengths)) {
        return attention(query, key, value, backward);
    }
    const Shape offsets = call.shape(lengths);
    if (offsets.size() != 1 || query.size() < 2 || key.size() < 2 || value.size() < 2) {
        return 0;
    }
    const double longestQuery = call.integer(lengths + 2);
    const double longestKey = call.integer(lengths + 3);
    const auto padded = [](const Shape& shape, double longest) {
        return Shape{1, shape[shape.size() - 2], longest, shape.back()};
    };
    return (offsets[0] - 1) * attention(padded(query, longestQuery), padded(key, longestKey),
                                        padded(value, longestKey), backward);
}

/// Flash attention of one batch has its sequence before its heads.
double flashAttention(const Call& call, std::size_t first, std::size_t lengths, bool backward) {
    if (!call.isNone(lengths)) {
        return packedAttention(call, first, lengths, backward);
    }
    return attention(swapped(call.shape(first), 1), swapped(call.shape(first + 1), 1),
                     swapped(call.shape(first + 2), 1), backward);
}

ir::FlopFormula formulaOf(const ir::Operator& op, const PartitionRules& rules) {
    return rules.countsAllAttention && op->laterFlops.rule != ir::FlopRule::None ? op->laterFlops : op->flops;
}

double countedBy(const ir::FlopFormula& formula, const Call& call) {
    const std::size_t first = formula.operand;
    const auto shape = [&](std::size_t operand) { return call.shape(first + operand); };
    switch (formula.rule) {
    case ir::FlopRule::None:
        break;
    case ir::FlopRule::MatrixProduct:
        return matrixProduct(shape(0), shape(1));
    case ir::FlopRule::BatchProduct:
        return batchProduct(shape(0), shape(1));
    case ir::FlopRule::Convolution:
        return convolution(shape(0), shape(1), call.result(), call.flag(6));
    case ir::FlopRule::ConvolutionBackward:
        return convolutionBackward(call);
    case ir::FlopRule::Attention:
    case ir::FlopRule::AttentionBackward:
        return attention(shape(0), shape(1), shape(2), formula.rule == ir::FlopRule::AttentionBackward);
    case ir::FlopRule::PackedAttention:
    case ir::FlopRule::PackedAttentionBackward:
        return packedAttention(call, first, formula.offsets,
                               formula.rule == ir::FlopRule::PackedAttentionBackward);
    case ir::FlopRule::FlashAttention:
    case ir::FlopRule::FlashAttentionBackward:
        return flashAttention(call, first, formula.offsets,
                              formula.rule == ir::FlopRule::FlashAttentionBackward);
    }
    return 0;
}

} // namespace

double nodeFlops(const ir::Graph& graph, ir::NodeId id, ValueSizes& sizes, const PartitionRules& rules) {
    const ir::Node& node = graph.node(id);
    if (node.op != ir::Opcode::CallFunction) {
        return 0;
    }
    const ir::FlopFormula formula = formulaOf(ir::Operator(node.target), rules);
    return formula.rule == ir::FlopRule::None ? 0 : countedBy(formula, Call(graph, id, sizes));
}

bool hasFlopFormula(const ir::Operator& op, const PartitionRules& rules) {
    return formulaOf(op, rules).rule != ir::FlopRule::None;
}

} // namespace aotscope::passes
