#include "run/measuring/round_trip.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "run/execution/executor.h"
#include "run/reference/difference_sums.h"
#include "run/state/value_access.h"

#include "ir/argument.h"
#include "ir/graph_builder.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <cmath>
#include <limits>
#include <optional>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// The same graph returning its node leaves, flat. `leaves`: all of them, invalid for constants.
ir::GraphPtr flat(const ir::Graph& graph, std::vector<ir::NodeId>& leaves) {
    const auto output = graph.output();
    if (!output || graph.node(*output).args.empty()) {
        fail("run.hooks", "A hook returns nothing.");
    }
    ir::TupleArgument nodes;
    for (const ir::Argument& leaf : ir::treeLeaves(graph.node(*output).args[0])) {
        const auto* node = leaf.as<ir::NodeId>();
        leaves.push_back(node != nullptr ? *node : ir::NodeId());
        if (node != nullptr) {
            nodes.items.emplace_back(*node);
        }
    }
    ir::GraphBuilder made(graph);
    made.setArguments(*output, {std::move(nodes)});
    made.editMeta(*output).descriptors.clear();
    return made.finish();
}

/// What a pack hook returns: values of nodes, and constants, which have none.
std::vector<std::optional<IValue>> packedLeaves(const ir::Graph& pack, const at::Tensor& tensor,
                                                RunContext& context) {
    std::vector<ir::NodeId> leaves;
    const ir::GraphPtr graph = flat(pack, leaves);
    std::vector<IValue> values = Executor(context).run(*graph, {tensor});
    std::size_t next = 0;
    return base::mapped(leaves, [&](ir::NodeId leaf) {
        return leaf.valid() ? std::optional(std::move(values.at(next++))) : std::nullopt;
    });
}

double relativeError(double distance, double size) {
    return distance == 0 ? 0 : size == 0 ? std::numeric_limits<double>::infinity() : distance / size;
}

} // namespace

RoundTrip roundTrip(const passes::InlinedHook& hook, const at::Tensor& tensor, RunContext& context) {
    RoundTrip trip;
    const std::vector<std::optional<IValue>> packed = packedLeaves(*hook.pack, tensor, context);
    // An unpack graph takes all leaves, or only those that are no constants.
    const bool takesConstants = hook.unpack->placeholders().size() == packed.size();
    std::vector<IValue> inputs;
    inputs.reserve(packed.size());
    for (const std::optional<IValue>& leaf : packed) {
        if (leaf || takesConstants) {
            inputs.push_back(leaf.value_or(IValue()));
        }
        if (const at::Tensor* stored = leaf ? tensorIn(*leaf) : nullptr) {
            trip.storedBytes += static_cast<std::int64_t>(stored->nbytes());
        }
    }
    std::vector<ir::NodeId> leaves;
    const ir::GraphPtr unpack = flat(*hook.unpack, leaves);
    const std::vector<IValue> unpacked = Executor(context).run(*unpack, std::move(inputs));
    if (unpacked.size() != 1 || !unpacked.front().isTensor()) {
        fail("run.hooks", "The unpack hook does not return one tensor.");
    }
    trip.unpacked = unpacked.front().toTensor();
    return trip;
}

double rootMeanSquare(const at::Tensor& tensor) {
    if (tensor.numel() == 0) {
        return 0;
    }
    if (const auto squares = sumOfSquares(tensor)) {
        return std::sqrt(*squares / static_cast<double>(tensor.numel()));
    }
    const at::Tensor wide = tensor.detach().to(tensor.is_complex() ? c10::kComplexDouble : c10::kDouble);
    double norm = at::linalg_vector_norm(wide).abs().item<double>();
    if (!std::isfinite(norm)) {
        const at::Tensor magnitudes = wide.abs();
        norm = at::linalg_vector_norm(magnitudes.masked_fill(at::isfinite(magnitudes).logical_not(), 0))
                   .item<double>();
    }
    return norm / std::sqrt(static_cast<double>(tensor.numel()));
}

session::RoundTripError roundTripError(const at::Tensor& made, const at::Tensor& right, double size) {
    if (made.sizes() != right.sizes()) {
        fail("run.hooks", "A tensor has another shape after its round trip.");
    }
    session::RoundTripError error;
    if (right.numel() == 0) {
        return error;
    }
    const auto count = static_cast<double>(right.numel());
    if (const auto sums = differenceSums(made, right)) {
        error.max = sums->largest;
        error.mean = sums->sum / count;
        error.relative = relativeError(std::sqrt(sums->squares / count), size);
        return error;
    }
    const bool isComplex = right.is_complex() || made.is_complex();
    const auto wide = [&](const at::Tensor& tensor) {
        return tensor.detach().to(isComplex ? c10::kComplexDouble : c10::kDouble);
    };
    at::Tensor difference = wide(made).sub(wide(right)).abs();
    error.max = difference.max().item<double>();
    if (!std::isfinite(error.max)) {
        // Equal infinities, and NaN in both, are no error.
        const at::Tensor bothNan = made.ne(made).logical_and(right.ne(right));
        difference = difference.masked_fill(made.eq(right).logical_or(bothNan), 0);
        error.max = difference.max().item<double>();
    }
    if (!std::isfinite(error.max)) {
        error.max = error.mean = error.relative = std::numeric_limits<double>::infinity();
        return error;
    }
    error.mean = difference.mean().item<double>();
    error.relative = relativeError(rootMeanSquare(difference), size);
    return error;
}

} // namespace aotscope::torch
