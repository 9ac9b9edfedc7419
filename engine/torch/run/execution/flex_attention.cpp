#include "run/execution/higher_order.h"

#include "dispatch/failure.h"
#include "run/state/value_access.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Values = std::vector<IValue>;

/// 0, 1, … along one of the four dimensions of the scores, with size 1 in the others.
at::Tensor positions(std::int64_t count, std::size_t dim, c10::Device device) {
    std::vector<std::int64_t> shape(4, 1);
    shape[dim] = count;
    return at::arange(count, at::TensorOptions(c10::kInt).device(device)).view(shape);
}

at::Tensor onlyTensor(const Values& values) {
    if (values.size() != 1) {
        fail("run.arguments", "The score or mask function of flex_attention must return a single value.");
    }
    return tensorArgument(values.front());
}

/// Repeats the heads and batches of key or value to match the query.
at::Tensor fitted(const at::Tensor& tensor, const at::Tensor& query) {
    at::Tensor result = tensor;
    if (tensor.size(1) != query.size(1)) {
        if (tensor.size(1) == 0 || query.size(1) % tensor.size(1) != 0) {
            fail("run.arguments", "The number of query heads is not a multiple of the number of key heads.");
        }
        result = result.repeat_interleave(query.size(1) / tensor.size(1), 1);
    }
    return result.expand({query.size(0), result.size(1), result.size(2), result.size(3)});
}

/// The tensor in new memory whose dimensions follow one another as those of `like` do. The last is the
/// innermost in any case. Follows torch 2.15, torch/_higher_order_ops/flex_attention.py: _permute_strides.
at::Tensor laidOutAs(const at::Tensor& tensor, const at::Tensor& like) {
    std::vector<std::int64_t> order{tensor.dim() - 1};
    for (std::int64_t dim = tensor.dim() - 1; dim-- > 0;) {
        order.push_back(dim);
    }
    const auto strideOf = [&](std::int64_t dim) { return like.stride(dim); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t left, std::int64_t right) { return strideOf(left) < strideOf(right); });
    // A last dimension that others lie inside of is moved in front of them; one of size 1 has no place.
    std::int64_t inside = 1;
    for (const std::int64_t dim : order) {
        if (dim == tensor.dim() - 1) {
            break;
        }
        inside *= tensor.size(dim);
    }
    if (inside != 1) {
        std::erase(order, tensor.dim() - 1);
        order.insert(order.begin(), tensor.dim() - 1);
    }
    std::vector<std::int64_t> strides(order.size());
    std::int64_t next = 1;
    for (const std::int64_t dim : order) {
        strides[static_cast<std::size_t>(dim)] = next;
        next *= tensor.size(dim);
    }
    return at::empty_strided(tensor.sizes(), strides, tensor.options()).copy_(tensor);
}

/// The backward of `fitted`: sums over the repetitions.
at::Tensor unfitted(const at::Tensor& gradient, const at::Tensor& like) {
    at::Tensor result = gradient;
    if (like.size(1) != gradient.size(1)) {
        result = result.unflatten(1, {like.size(1), gradient.size(1) / like.size(1)}).sum(2);
    }
    result = laidOutAs(result, like);
    return like.size(0) == result.size(0) ? result : result.sum(0, true);
}

/// A call of forward or backward: the node's arguments and the scores. The two have score function, block
/// mask, scale and buffers at different argument positions.
class Attention {
public:
    struct Places {
        std::size_t score, blockMask, scale, scoreBuffers, maskBuffers;
    };

    Attention(const HigherOrderCall& call, const Places& places)
        : m_call(call), m_places(places), query(tensor(0)), givenKey(tensor(1)), givenValue(tensor(2)) {
        if (query.dim() != 4 || givenKey.dim() != 4 || givenValue.dim() != 4) {
            fail("run.arguments", "flex_attention needs tensors of four dimensions.");
        }
        key = fitted(givenKey, query);
        value = fitted(givenValue, query);
        precision = query.scalar_type() == c10::kDouble ? c10::kDouble : c10::kFloat;
        const IValue given = call.value(places.scale);
        scale = given.isDouble() ? given.toDouble() : 1.0;
        scores = query.to(precision).matmul(key.to(precision).transpose(-2, -1)).mul(scale);
        for (std::size_t dim = 0; dim < 4; ++dim) {
            m_positions.emplace_back(
                positions(scores.size(static_cast<std::int64_t>(dim)), dim, scores.device()));
        }
    }

    at::Tensor tensor(std::size_t index) const { return tensorArgument(m_call.value(index)); }

    /// Calls the score function on all scores at once; `before` and `behind` are its arguments around the
    /// positions.
    Values callOnScores(std::size_t graph, Values before, const Values& behind) const {
        before.insert(before.end(), m_positions.begin(), m_positions.end());
        before.insert(before.end(), behind.begin(), behind.end());
        return m_call.run(m_call.graph(graph), withBuffers(before, m_places.scoreBuffers));
    }
    at::Tensor mask() const {
        const auto* blockMask = m_call.argument(m_places.blockMask).as<ir::TupleArgument>();
        if (blockMask == nullptr || blockMask->items.empty()) {
            fail("run.arguments", "flex_attention lacks its block mask.");
        }
        return onlyTensor(m_call.run(m_call.graph(blockMask->items.back()),
                                     withBuffers(m_positions, m_places.maskBuffers)));
    }
    at::Tensor maskedScores() const {
        const at::Tensor scored = onlyTensor(callOnScores(m_places.score, {scores}, {}));
        const at::Tensor nothing =
            at::full({}, -std::numeric_limits<double>::infinity(), scored.options().dtype(precision));
        return at::where(mask(), scored.to(precision).expand(scores.sizes()), nothing);
    }

private:
    Values withBuffers(Values values, std::size_t index) const {
        const Values buffers = m_call.valuesIfAny(index);
        values.insert(values.end(), buffers.begin(), buffers.end());
        return values;
    }

    const HigherOrderCall& m_call;
    Places m_places;
    Values m_positions;

public:
    at::Tensor query, givenKey, givenValue, key, value, scores;
    c10::ScalarType precision = c10::kFloat;
    double scale = 1;
};

} // namespace

IValue flexAttention(const HigherOrderCall& call) {
    const Attention attention(call, {3, 4, 5, 7, 8});
    const at::Tensor masked = attention.maskedScores();
    const std::vector<std::int64_t> last{-1};
    const c10::ScalarType type = attention.query.scalar_type();
    const at::Tensor weights = callAten("aten._safe_softmax.default", {masked, std::int64_t{-1}}).toTensor();
    return c10::ivalue::Tuple::create(
        {laidOutAs(weights.to(type).matmul(attention.value.to(type)), attention.query),
         masked.logsumexp(last).div(std::log(2.0)), masked.amax(last).div(std::log(2.0))});
}

IValue flexAttentionBackward(const HigherOrderCall& call) {
    constexpr std::size_t jointGraph = 8;
    const Attention attention(call, {7, 9, 10, 12, 13});
    const at::Tensor output = attention.tensor(3);
    const at::Tensor logSumExp = attention.tensor(4).mul(std::log(2.0)).unsqueeze(-1);
    const IValue given = call.value(5);
    const at::Tensor gradOutput = given.isNone() ? at::zeros_like(output) : tensorArgument(given);
    const at::Tensor zero = at::zeros({}, output.options().dtype(attention.precision));

    at::Tensor weights = attention.maskedScores().sub(logSumExp).exp();
    weights = at::where(logSumExp.isinf(), zero, weights);
    at::Tensor inner = gradOutput.to(attention.precision)
                           .matmul(attention.value.to(attention.precision).transpose(-2, -1))
                           .sub(output.to(attention.precision).mul(gradOutput).sum(-1, true));
    if (const IValue gradLogSumExp = call.value(6); !gradLogSumExp.isNone()) {
        inner = inner.add(tensorArgument(gradLogSumExp).div(std::log(2.0)).unsqueeze(-1));
    }
    Values gradients = attention.callOnScores(jointGraph, {attention.scores}, {weights.mul(inner)});
    if (gradients.size() < 5) {
        fail("run.arguments", "The gradient of the score function of flex_attention gives too few values.");
    }
    const c10::ScalarType type = attention.query.scalar_type();
    const at::Tensor gradScores =
        at::where(attention.mask(), tensorArgument(gradients[0]).mul(attention.scale), zero).to(type);
    Values captured(gradients.begin() + 5, gradients.end());
    return c10::ivalue::Tuple::create(
        {laidOutAs(gradScores.matmul(attention.key), attention.query),
         unfitted(gradScores.transpose(-2, -1).matmul(attention.query), attention.givenKey),
         unfitted(weights.to(type).transpose(-2, -1).matmul(gradOutput), attention.givenValue),
         c10::ivalue::Tuple::create(std::move(captured))});
}

} // namespace aotscope::torch
