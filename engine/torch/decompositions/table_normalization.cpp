#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/reference_layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

/// Layer and group norms and their gradients.
namespace aotscope::torch::decomposed {

namespace {

using python::computationType;
using python::convert;
using python::convertDefined;

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> dims(static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
    std::iota(dims.begin(), dims.end(), first);
    return dims;
}

at::Tensor unsqueezedAt(at::Tensor tensor, const std::vector<std::int64_t>& dims) {
    for (const std::int64_t dim : dims) {
        tensor = tensor.unsqueeze(dim);
    }
    return tensor;
}

/// What the gradients of a norm over the last dimensions start from.
struct NormGradient {
    explicit NormGradient(const DecompositionCall& call)
        : input(call.tensor("input")),
          mask(call.flags("output_mask")),
          grad(contiguous(call.tensor("grad_out"))),
          x(contiguous(input)),
          scale(contiguous(call.tensor("weight"))),
          shift(contiguous(call.has("bias") ? call.tensor("bias") : at::Tensor())),
          axis(input.dim() - static_cast<std::int64_t>(call.symInts("normalized_shape").size())),
          inner(range(axis, input.dim())),
          outer(range(0, axis)),
          n(python::product(input.sym_sizes().slice(static_cast<std::size_t>(axis)))) {}

    /// `whole` summed over the dimensions in front of the normalized ones.
    [[nodiscard]] at::Tensor overOuter(const at::Tensor& whole) const {
        return outer.empty() ? whole : at::sum(whole, outer, false);
    }

    at::Tensor input;
    std::vector<bool> mask;
    at::Tensor grad;
    at::Tensor x;
    at::Tensor scale;
    at::Tensor shift;
    std::int64_t axis;
    std::vector<std::int64_t> inner;
    std::vector<std::int64_t> outer;
    c10::SymInt n;

private:
    [[nodiscard]] at::Tensor contiguous(const at::Tensor& tensor) const {
        return tensor.defined() ? tensor.to(computationType(input.scalar_type()), false, false,
                                            c10::MemoryFormat::Contiguous)
                                : tensor;
    }
};

} // namespace

Decomposed layerNormBackward(const DecompositionCall& call) {
    const NormGradient of(call);
    const at::Tensor& input = of.input;
    const c10::SymInt& n = of.n;
    const c10::SymInt m = python::product(input.sym_sizes().slice(0, static_cast<std::size_t>(of.axis)));
    if (m.sym_eq(0).guard_or_false(__FILE__, __LINE__) || n.sym_eq(0).guard_or_false(__FILE__, __LINE__)) {
        const auto zeros = [&](bool wanted, std::int64_t first) {
            return wanted ? python::newZeros(input, python::sizes(input, first)) : at::Tensor();
        };
        return {zeros(of.mask[0], 0), zeros(of.mask[1], of.axis), zeros(of.mask[2], of.axis)};
    }
    const at::Tensor mean = python::unsqueezeToDim(call.tensor("mean"), of.x.dim());
    const at::Tensor rstd = python::unsqueezeToDim(call.tensor("rstd"), of.x.dim());
    const at::Tensor normalized = (of.x - mean) * rstd;
    const at::Tensor gradNormalized = of.scale.defined() ? of.grad * of.scale : of.grad;
    const at::Tensor a = gradNormalized * n;
    const at::Tensor b = at::sum(gradNormalized, of.inner, true);
    const at::Tensor c1 = at::mul(gradNormalized, normalized);
    const at::Tensor c2 = at::sum(c1, of.inner, true);
    const at::Tensor c3 = at::mul(normalized, c2);
    const at::Tensor innerPart = a - b - c3;
    const at::Tensor gradInput = of.mask[0] ? rstd / n * innerPart : at::Tensor();
    const bool wantsWeight = of.mask[1] && of.scale.defined();
    const at::Tensor gradWeight = wantsWeight ? of.overOuter(of.grad * normalized) : at::Tensor();
    at::Tensor gradBias;
    if (of.mask[2] && of.shift.defined()) {
        gradBias = of.outer.empty() ? of.grad.clone() : of.overOuter(of.grad);
    }
    at::Tensor inputResult = convertDefined(gradInput, input.scalar_type());
    at::Tensor weightResult =
        gradWeight.defined() ? convert(gradWeight, call.tensor("weight").scalar_type()) : gradWeight;
    return {std::move(inputResult), std::move(weightResult),
            gradBias.defined() ? convert(gradBias, call.tensor("bias").scalar_type()) : gradBias};
}

Decomposed groupNormBackward(const DecompositionCall& call) {
    at::Tensor grad = call.tensor("grad_out");
    at::Tensor input = call.tensor("input");
    at::Tensor mean = call.tensor("mean");
    at::Tensor rstd = call.tensor("rstd");
    at::Tensor gamma = call.tensor("weight");
    const std::vector<bool> mask = call.flags("output_mask");
    const c10::SymInt n = call.symInt("N");
    const c10::SymInt c = call.symInt("C");
    const c10::SymInt hxw = call.symInt("HxW");
    const std::int64_t group = call.integer("group");
    const python::Opmath cast{&grad, &input, &mean, &rstd, &gamma};
    const c10::SymInt perGroup = c / group;
    const bool callsAddcmul = call.rules().decompositions.groupNormBackwardCallsAddcmul;
    const auto flat = [&](const at::Tensor& tensor) {
        return callsAddcmul ? tensor.reshape_symint({n, c, hxw}) : tensor.view_symint({n, c, hxw});
    };
    const at::Tensor product = flat(at::mul(grad, input));
    const at::Tensor ds = product.sum(at::IntArrayRef{2});
    const at::Tensor db = flat(grad).sum(at::IntArrayRef{2});
    const std::vector<c10::SymInt> grouped{n, c10::SymInt(group), perGroup};
    at::Tensor gradInput;
    if (mask[0]) {
        const c10::Scalar s = c10::SymFloat(1.0) / python::realNumber(hxw * perGroup);
        const auto perGroupSum = [&](const at::Tensor& tensor) {
            const at::Tensor scaled = gamma.defined() ? at::mul(tensor, gamma.unsqueeze(0)) : tensor;
            return scaled.reshape_symint(grouped).sum(at::IntArrayRef{2});
        };
        const at::Tensor dsSum = perGroupSum(ds);
        const at::Tensor dbSum = perGroupSum(db);
        const at::Tensor deviation = rstd.unsqueeze(-1);
        const std::vector<c10::SymInt> one{c10::SymInt(1), c10::SymInt(group), perGroup};
        at::Tensor c1 =
            at::mul(deviation, gamma.defined() ? gamma.reshape_symint(one)
                                               : at::ones_symint(one, python::options({}, rstd.device())));
        const at::Tensor difference = callsAddcmul ? at::addcmul(-dsSum, dbSum, mean) : dbSum * mean - dsSum;
        at::Tensor c2 = difference * rstd * rstd * rstd * s;
        const at::Tensor shift = -c2 * mean;
        at::Tensor c3 = shift - dbSum * rstd * s;
        c1 = c1.unsqueeze(-1);
        c2 = python::unsqueezeToDim(c2, 4);
        c3 = python::unsqueezeToDim(c3, 4);
        const std::vector<c10::SymInt> split{n, c10::SymInt(group), perGroup, hxw};
        const at::Tensor left = at::mul(grad.reshape_symint(split), c1);
        const at::Tensor right = at::mul(input.reshape_symint(split), c2);
        gradInput = convert((left + right + c3).reshape_symint(input.sym_sizes()), input.scalar_type());
        if (callsAddcmul) {
            gradInput = gradInput.contiguous(python::suggestMemoryFormat(input));
        }
    }
    at::Tensor gradGamma;
    if (mask[1]) {
        const at::Tensor dsGroups = ds.view_symint(grouped);
        const at::Tensor dbGroups = db.view_symint(grouped);
        const at::Tensor centered = dsGroups - dbGroups * mean.unsqueeze(-1);
        gradGamma = (centered * rstd.unsqueeze(-1)).sum(at::IntArrayRef{0}).reshape_symint({c});
    }
    const at::Tensor gradBias = mask[2] ? db.sum(at::IntArrayRef{0}) : at::Tensor();
    return {convertDefined(gradInput, cast.resultType()), convertDefined(gradGamma, cast.resultType()),
            convertDefined(gradBias, cast.resultType())};
}

Decomposed layerNorm(const DecompositionCall& call) {
    const at::Tensor given = call.tensor("input");
    const at::Tensor input = reference::contiguous(given);
    at::Tensor weight = call.tensor("weight");
    at::Tensor bias = call.tensor("bias");
    weight = weight.defined() ? reference::contiguous(weight) : weight;
    bias = bias.defined() ? reference::contiguous(bias) : bias;
    const auto axis = input.dim() - static_cast<std::int64_t>(call.symInts("normalized_shape").size());
    const std::vector<std::int64_t> dims = range(axis, input.dim());
    const at::Tensor x = convert(input, computationType(input.scalar_type()));
    const auto [variance, computedMean] = at::var_mean(x, dims, c10::Scalar(0), true);
    at::Tensor rstd = at::rsqrt(variance + call.scalar("eps"));
    at::Tensor output = (x - computedMean) * rstd;
    if (weight.defined()) {
        output = output * weight;
    }
    if (bias.defined()) {
        output = output + bias;
    }
    output = convert(output, input.scalar_type());
    at::Tensor mean = computedMean;
    if (input.is_cpu()) {
        mean = convert(mean, input.scalar_type());
        rstd = convert(rstd, input.scalar_type());
    }
    return {output, mean, rstd};
}

Decomposed groupNorm(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const at::Tensor bias = call.tensor("bias");
    const c10::SymInt n = call.symInt("N");
    const c10::SymInt c = call.symInt("C");
    const c10::SymInt hxw = call.symInt("HxW");
    const std::int64_t groups = call.integer("group");
    const at::Tensor x = convert(input, computationType(input.scalar_type()));
    const at::Tensor grouped = at::reshape_symint(x, {n, groups, c / groups, hxw});
    const std::vector<std::int64_t> dims{2, 3};
    const auto [variance, computedMean] = at::var_mean(grouped, dims, c10::Scalar(0), true);
    at::Tensor mean = computedMean;
    at::Tensor rstd = at::rsqrt(variance + call.scalar("eps"));
    at::Tensor output;
    if (input.is_cpu() && weight.defined()) {
        const std::vector<c10::SymInt> shape{c10::SymInt(1), c10::SymInt(groups), c / groups, c10::SymInt(1)};
        at::Tensor w = rstd * at::reshape_symint(weight, shape);
        at::Tensor b = -mean * w;
        if (bias.defined()) {
            b = b + at::reshape_symint(bias, shape);
        }
        const std::vector<c10::SymInt> matrix{n, c};
        const std::vector<c10::SymInt> strides{c, c10::SymInt(1)};
        w = w.contiguous().as_strided_symint(matrix, strides);
        b = b.contiguous().as_strided_symint(matrix, strides);
        const std::vector<std::int64_t> spatial = range(2, input.dim());
        w = unsqueezedAt(w, spatial);
        b = unsqueezedAt(b, spatial);
        output = x * w + b;
    } else {
        output = (grouped - mean) * rstd;
        output = output.view_symint(input.sym_sizes());
        std::vector<std::int64_t> others = range(2, input.dim());
        others.insert(others.begin(), 0);
        if (weight.defined()) {
            output = output * unsqueezedAt(weight, others);
        }
        if (bias.defined()) {
            output = output + unsqueezedAt(bias, others);
        }
    }
    output = convert(output, input.scalar_type());
    mean = convert(mean, input.scalar_type());
    rstd = convert(rstd, input.scalar_type());
    mean = at::squeeze(mean, dims);
    return {output, mean, at::squeeze(rstd, dims)};
}

Decomposed fusedRmsNorm(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor weight = call.tensor("weight");
    const std::size_t count = call.symInts("normalized_shape").size();
    std::vector<std::int64_t> dims;
    for (std::size_t i = 0; i < count; ++i) {
        dims.push_back(input.dim() - static_cast<std::int64_t>(i) - 1);
    }
    const c10::ScalarType computed = computationType(input.scalar_type());
    const at::Tensor x = convert(input, computed);
    const bool single = computed == c10::kFloat || computed == c10::kComplexFloat;
    const double eps = call.has("eps") ? call.number("eps")
                       : single        ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                       : std::numeric_limits<double>::epsilon();
    at::Tensor inverse = at::rsqrt(at::add(at::pow(x, 2).mean(dims, true), c10::Scalar(eps)));
    at::Tensor result = x.mul(inverse);
    if (weight.defined()) {
        result = result.mul(weight);
    }
    const c10::MemoryFormat format = python::suggestMemoryFormat(input);
    if (format != c10::MemoryFormat::ChannelsLast && format != c10::MemoryFormat::ChannelsLast3d) {
        result = result.contiguous();
        inverse = inverse.contiguous();
    }
    return {result.type_as(input), inverse};
}

Decomposed fusedRmsNormBackward(const DecompositionCall& call) {
    const NormGradient of(call);
    const at::Tensor rstd = python::unsqueezeToDim(call.tensor("rstd"), of.x.dim());
    const at::Tensor gradNormalized = of.scale.defined() ? of.grad * of.scale : of.grad;
    const at::Tensor normalized = of.x * rstd;
    at::Tensor gradInput;
    if (of.mask[0]) {
        const at::Tensor sum = at::sum(normalized * gradNormalized, of.inner, true);
        gradInput = (gradNormalized - normalized / of.n * sum) * rstd;
    }
    const bool wantsWeight = of.mask[1] && of.scale.defined();
    const at::Tensor gradWeight = wantsWeight ? of.overOuter(of.grad * normalized) : at::Tensor();
    const c10::ScalarType type = of.input.scalar_type();
    return {convertDefined(gradInput, type), convertDefined(gradWeight, type)};
}

} // namespace aotscope::torch::decomposed
