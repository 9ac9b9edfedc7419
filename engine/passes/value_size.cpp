#include "passes/value_size.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

constexpr std::int64_t fallbackSize = 4096;
/// Limit on a tensor's bytes: a million tensors of this size still add up in 63 bits.
constexpr std::int64_t largestTensor = std::int64_t{1} << 42;

} // namespace

ValueSizes::ValueSizes(const ir::Graph& graph) : m_graph(graph), m_bindings(graph.symbolHints()) {}

std::int64_t ValueSizes::integer(const ir::SymInt& value) {
    if (const auto known = value.value(m_bindings)) {
        return *known;
    }
    for (const std::string& symbol : value.expression().symbols()) {
        if (m_bindings.emplace(symbol, fallbackSize).second) {
            m_unbound.insert(symbol);
        }
    }
    return value.value(m_bindings).value_or(fallbackSize);
}

std::int64_t ValueSizes::tensorBytes(const ir::TensorMeta& tensor) {
    auto total = static_cast<std::int64_t>(ir::dtypeBytes(tensor.dtype));
    for (const ir::SymInt& dimension : tensor.shape) {
        if (__builtin_mul_overflow(total, std::max<std::int64_t>(integer(dimension), 0), &total)) {
            return largestTensor;
        }
    }
    return std::min(total, largestTensor);
}

std::int64_t ValueSizes::valueBytes(const ir::ValueMeta& value) {
    if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
        return tensorBytes(*tensor);
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value)) {
        std::int64_t total = 0;
        for (const ir::ValueMeta& element : (*tuple)->elements) {
            // As in _size_of, only tensors count inside a tuple.
            if (ir::asTensor(element) != nullptr) {
                total += valueBytes(element);
            }
        }
        return total;
    }
    return std::holds_alternative<ir::SymbolicMeta>(value) ? 1 : 0;
}

std::int64_t ValueSizes::elementsBytes(ir::NodeId id) {
    std::int64_t total = 0;
    for (const ir::NodeId user : m_graph.users(id)) {
        if (m_graph.node(user).target == "_operator.getitem") {
            total += valueBytes(m_graph.node(user).value);
        }
    }
    return total;
}

std::int64_t ValueSizes::bytes(ir::NodeId id) {
    const ir::ValueMeta& value = m_graph.node(id).value;
    return std::holds_alternative<std::monostate>(value) ? elementsBytes(id) : valueBytes(value);
}

} // namespace aotscope::passes
