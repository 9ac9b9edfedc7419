#include "ir/operators/operator.h"
#include "ir/verifier_rules.h"

#include <algorithm>

namespace aotscope::ir::detail {
namespace {

bool negative(const SymInt& number) {
    return !number.isSymbolic() && number.integer() < 0;
}

void checkTensor(const TensorMeta& tensor, NodeId id, ProblemList& problems) {
    if (tensor.stride && tensor.layout.empty() && tensor.stride->size() != tensor.shape.size()) {
        problems.add("verify.metadata", id,
                     "has " + std::to_string(tensor.shape.size()) + " sizes and " +
                         std::to_string(tensor.stride->size()) + " strides.");
    }
    if (std::ranges::any_of(tensor.shape, negative)) {
        problems.add("verify.metadata", id, "has a negative size.");
    }
    if (tensor.stride && std::ranges::any_of(*tensor.stride, negative)) {
        problems.add("verify.metadata", id, "has a negative stride.");
    }
    if (tensor.storageOffset && negative(*tensor.storageOffset)) {
        problems.add("verify.metadata", id, "has a negative storage offset.");
    }
    if (tensor.requiresGrad.value_or(false) && !canRequireGrad(tensor.dtype)) {
        problems.add("verify.metadata", id,
                     "requires a gradient, which no tensor of type " + std::string(dtypeName(tensor.dtype)) +
                         " can.");
    }
    if (tensor.subclass) {
        for (const auto& [name, inner] : tensor.subclass->inner) {
            checkTensor(inner, id, problems);
        }
    }
}

/// Number of elements; nothing: a size is symbolic, or the product is too large.
std::optional<std::int64_t> elementCount(const TensorMeta& tensor) {
    std::int64_t count = 1;
    for (const SymInt& size : tensor.shape) {
        if (size.isSymbolic() || __builtin_mul_overflow(count, size.integer(), &count)) {
            return std::nullopt;
        }
    }
    return count;
}

void checkView(const Graph& graph, NodeId id, ProblemList& problems) {
    const Node& node = graph.node(id);
    const bool isView = node.op == Opcode::CallFunction && Operator(node.target).is(Trait::KeepsElements);
    const NodeId* base = isView ? node.tryArg<NodeId>(0) : nullptr;
    const TensorMeta* input = base == nullptr ? nullptr : asTensor(graph.node(*base).value);
    const TensorMeta* result = asTensor(node.value);
    if (input == nullptr || result == nullptr) {
        return;
    }
    if (input->dtype != DType::Unknown && result->dtype != DType::Unknown && input->dtype != result->dtype) {
        problems.add("verify.metadata", id,
                     "is " + std::string(dtypeName(result->dtype)) + ", but " + node.target + " keeps the " +
                         std::string(dtypeName(input->dtype)) + " of \"" + graph.node(*base).name + "\".");
    }
    const std::optional<std::int64_t> before = elementCount(*input);
    const std::optional<std::int64_t> after = elementCount(*result);
    if (before && after && *before != *after) {
        problems.add("verify.metadata", id,
                     "has " + std::to_string(*after) + " elements, but " + node.target + " keeps the " +
                         std::to_string(*before) + " of \"" + graph.node(*base).name + "\".");
    }
}

} // namespace

void checkMetadata(const Graph& graph, NodeId id, ProblemList& problems) {
    forEachTensor(graph.node(id).value, [&](const TensorMeta& tensor) { checkTensor(tensor, id, problems); });
    checkView(graph, id, problems);
}

} // namespace aotscope::ir::detail
