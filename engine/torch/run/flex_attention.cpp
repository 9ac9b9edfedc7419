#include "run/flex_attention.h"

#include "run/failure.h"
#include "run/value_access.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Values = std::vector<IValue>;

/// 0, 1, … along one of the four dimensions of the scores, one element in the others.
at::Tensor positions(std::int64_t count, std::size_t dim) {
    std::vector<std::int64_t> shape(4, 1);
    shape[dim] = count;
    return at::arange(count, at::TensorOptions(c10::kInt)).view(shape);
}

ir::GraphPtr graphOf(const ir::Argument& argument, const Frame& frame) {
    ir::GraphPtr graph = subgraphArgument(argument, frame);
    if (!graph) {
        fail("run.arguments", "The score or mask function of flex_attention is not in the log.");
    }
    return graph;
}

at::Tensor onlyTensor(const Values& values) {
    if (values.size() != 1) {
        fail("run.arguments", "The score or mask function of flex_attention gives no single value.");
    }
    return tensorArgument(values.front());
}

/// Repeats heads and batches of key or value so that they fit the query's.
at::Tensor fitted(const at::Tensor& tensor, const at::Tensor& query) {
    at::Tensor result = tensor;
    if (tensor.size(1) != query.size(1)) {
        if (tensor.size(1) == 0 || query.size(1) % tensor.size(1) != 0) {
            fail("run.arguments", "The heads of the query are no multiple of the key's.");
        }
        result = result.repeat_interleave(query.size(1) / tensor.size(1), 1);
    }
    return result.expand({query.size(0), result.size(1), result.size(2), result.size(3)});
}

} // namespace

IValue flexAttention(Executor& executor, const Frame& frame, ir::NodeId id) {
    const ir::Node& node = frame.graph.node(id);
    const auto* blockMask = node.args.size() > 4 ? node.args[4].as<ir::TupleArgument>() : nullptr;
    if (blockMask == nullptr || blockMask->items.empty() || node.args.size() < 6) {
        fail("run.arguments", "flex_attention lacks its block mask or scale.");
    }
    const at::Tensor query = tensorArgument(argumentValue(node.args[0], frame));
    const at::Tensor givenKey = tensorArgument(argumentValue(node.args[1], frame));
    const at::Tensor givenValue = tensorArgument(argumentValue(node.args[2], frame));
    if (query.dim() != 4 || givenKey.dim() != 4 || givenValue.dim() != 4) {
        fail("run.arguments", "flex_attention wants tensors of four dimensions.");
    }
    const at::Tensor key = fitted(givenKey, query);
    const at::Tensor value = fitted(givenValue, query);
    const c10::ScalarType precision = query.scalar_type() == c10::kDouble ? c10::kDouble : c10::kFloat;
    const IValue scale = argumentValue(node.args[5], frame);
    const at::Tensor scores = query.to(precision)
                                  .matmul(key.to(precision).transpose(-2, -1))
                                  .mul(scale.isDouble() ? scale.toDouble() : 1.0);

    const Values places{positions(scores.size(0), 0), positions(scores.size(1), 1),
                        positions(scores.size(2), 2), positions(scores.size(3), 3)};
    const auto withBuffers = [&](Values values, std::size_t argument) {
        if (argument < node.args.size()) {
            const Values buffers = elementsOf(argumentValue(node.args[argument], frame));
            values.insert(values.end(), buffers.begin(), buffers.end());
        }
        return values;
    };
    Values scoreInputs{scores};
    scoreInputs.insert(scoreInputs.end(), places.begin(), places.end());
    const at::Tensor scored =
        onlyTensor(executor.run(*graphOf(node.args[3], frame), withBuffers(std::move(scoreInputs), 7)));
    const at::Tensor mask =
        onlyTensor(executor.run(*graphOf(blockMask->items.back(), frame), withBuffers(places, 8)));
    const at::Tensor nothing =
        at::full({}, -std::numeric_limits<double>::infinity(), at::TensorOptions(precision));
    const at::Tensor masked = at::where(mask, scored.to(precision).expand(scores.sizes()), nothing);

    const std::vector<std::int64_t> last{-1};
    const IValue weights = callAten("aten._safe_softmax.default", {masked, std::int64_t{-1}});
    const at::Tensor output =
        weights.toTensor().to(query.scalar_type()).matmul(value.to(query.scalar_type()));
    return c10::ivalue::Tuple::create(
        {output, masked.logsumexp(last).div(std::log(2.0)), masked.amax(last).div(std::log(2.0))});
}

} // namespace aotscope::torch
