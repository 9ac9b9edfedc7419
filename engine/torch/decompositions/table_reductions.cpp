#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/known_contiguity.h"

#include <ATen/WrapDimUtils.h>

#include <limits>

/// Reductions, norms and softmax.
namespace aotscope::torch::decomposed {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::optional<std::vector<std::int64_t>> reducedDims(const DecompositionCall& call) {
    return call.has("dim") ? std::optional(call.integers("dim")) : std::nullopt;
}

at::OptionalIntArrayRef optionalRef(const std::optional<std::vector<std::int64_t>>& dims) {
    return dims ? at::OptionalIntArrayRef(*dims) : at::OptionalIntArrayRef(std::nullopt);
}

/// The correction as a float.
c10::Scalar correctionOf(const DecompositionCall& call) {
    return call.has("correction") ? call.scalar("correction").toDouble() : 1.0;
}

/// The maximum along a dimension, which is -inf where that is empty. Undefined: nothing is subtracted.
at::Tensor greatest(const at::Tensor& x, std::int64_t dim, const aot::DecompositionRules& rules) {
    if (!rules.softmaxPadsEmptyDimensions) {
        const bool empty = x.sym_numel().sym_eq(0).guard_or_false(__FILE__, __LINE__);
        return empty ? at::Tensor() : at::amax(x, at::IntArrayRef{dim}, true);
    }
    if (x.dim() == 0 || x.sym_size(dim).sym_gt(0).guard_or_false(__FILE__, __LINE__)) {
        return at::amax(x, at::IntArrayRef{dim}, true);
    }
    std::vector<c10::SymInt> shape = python::sizes(x);
    shape[static_cast<std::size_t>(c10::maybe_wrap_dim(dim, x.dim()))] = 1;
    const at::Tensor least = python::newFull(x, shape, -std::numeric_limits<double>::infinity());
    return at::amax(at::cat({x, least}, dim), at::IntArrayRef{dim}, true);
}

/// A softmax: what `compute` makes of the tensor less the maximum along the dimension.
template<typename Compute>
Decomposed ofShifted(const DecompositionCall& call, Compute&& compute) {
    at::Tensor x = contiguousMemory(call.tensor("self"));
    const std::int64_t dim = call.integer("dim");
    const c10::ScalarType result = x.scalar_type();
    x = python::convert(x, python::computationType(result));
    const at::Tensor most = greatest(x, dim, call.rules().decompositions);
    const at::Tensor output = compute(most.defined() ? x - most : x, dim);
    return call.flag("half_to_float") ? output : python::convert(output, result);
}

bool hasOneElement(const at::Tensor& x, const std::optional<std::vector<std::int64_t>>& dims) {
    if (!dims) {
        const c10::SymBool one = x.sym_numel().sym_eq(1);
        return one.guard_bool(__FILE__, __LINE__);
    }
    return x.dim() > 0 && std::all_of(dims->begin(), dims->end(), [&](std::int64_t dim) {
               return x.sym_size(dim).sym_eq(1).guard_or_false(__FILE__, __LINE__);
           });
}

/// The norm of a single element is its absolute value.
at::Tensor normOfOne(const at::Tensor& x, std::vector<std::int64_t> dims, bool whole, bool keep,
                     c10::ScalarType result) {
    const at::Tensor magnitude = x.abs();
    if (keep || x.dim() == 0) {
        return python::convert(magnitude, result).contiguous();
    }
    if (whole) {
        return python::convert(magnitude, result).flatten().select(0, 0);
    }
    dims = python::wrapped(std::move(dims), x);
    std::vector<c10::SymInt> shape;
    for (std::int64_t d = 0; d < x.dim(); ++d) {
        if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
            shape.push_back(x.sym_size(d));
        }
    }
    return python::convert(magnitude.view_symint(shape), result).contiguous();
}

} // namespace

Decomposed all(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor none = at::logical_not(self);
    const std::string& overload = call.schema().overload_name();
    at::Tensor result;
    if (overload.empty()) {
        result = at::logical_not(at::any(none, at::OptionalIntArrayRef(std::nullopt)));
    } else if (overload == "dim") {
        result = at::logical_not(at::any(none, call.integer("dim"), call.flag("keepdim")));
    } else {
        const std::vector<std::int64_t> dims = call.integers("dim");
        result = at::logical_not(at::any(
            none, call.has("dim") ? at::OptionalIntArrayRef(dims) : at::OptionalIntArrayRef(std::nullopt),
            call.flag("keepdim")));
    }
    return self.scalar_type() == c10::kByte ? result.to(c10::kByte) : result;
}

Decomposed countNonzero(const DecompositionCall& call) {
    const at::Tensor nonzero = call.tensor("self").ne(0);
    if (call.schema().overload_name() == "dim_IntList") {
        return nonzero.sum(call.integers("dim"));
    }
    return call.has("dim") ? nonzero.sum(at::IntArrayRef{call.integer("dim")})
                           : nonzero.sum(at::OptionalIntArrayRef(std::nullopt));
}

Decomposed logsumexp(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    const std::vector<std::int64_t> dims = call.integers("dim");
    const bool keep = call.flag("keepdim");
    const c10::ScalarType dtype = python::floatType(self.scalar_type());
    self = python::convert(self, python::computationType(dtype));
    if (self.sym_numel().sym_eq(0).guard_bool(__FILE__, __LINE__)) {
        return python::convert(at::sum(at::exp(self), dims, keep).log(), dtype);
    }
    at::Tensor maxes = at::amax(at::real(self), dims, true);
    maxes = at::masked_fill(maxes, maxes.abs().eq(infinite), 0);
    const at::Tensor squeezed = keep ? maxes : at::squeeze(maxes, dims);
    const at::Tensor result = at::sum(at::exp(self - maxes), dims, keep);
    return python::convert(result.log().add(squeezed), dtype);
}

Decomposed standardDeviation(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    const c10::ScalarType dtype = c10::toRealValueType(self.scalar_type());
    self = python::convert(self, python::computationType(self.scalar_type()));
    const auto dims = reducedDims(call);
    const at::Tensor variance = at::var(self, optionalRef(dims), correctionOf(call), call.flag("keepdim"));
    return python::convert(at::sqrt(variance), dtype);
}

Decomposed standardDeviationAndMean(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    const c10::ScalarType original = self.scalar_type();
    self = python::convert(self, python::computationType(original));
    const auto dims = reducedDims(call);
    const auto [variance, mean] =
        at::var_mean(self, optionalRef(dims), correctionOf(call), call.flag("keepdim"));
    const at::Tensor deviation = at::sqrt(variance);
    at::Tensor first = python::convert(deviation, c10::toRealValueType(original));
    return {std::move(first), python::convert(mean, original)};
}

Decomposed nansum(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const auto dims = reducedDims(call);
    const at::Tensor kept = at::where(at::isnan(self), 0, self);
    return at::sum(kept, optionalRef(dims), call.flag("keepdim"), call.dtype());
}

Decomposed aminmax(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const bool keep = call.flag("keepdim");
    std::vector<std::int64_t> dims;
    if (call.has("dim")) {
        dims.push_back(call.integer("dim"));
    }
    at::Tensor least = at::amin(self, dims, keep);
    return {std::move(least), at::amax(self, dims, keep)};
}

Decomposed norm(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::Scalar p = call.has("p") ? call.scalar("p") : c10::Scalar(2);
    const auto indexOfDim = call.schema().argumentIndexWithName("dim");
    std::optional<std::vector<std::int64_t>> dims;
    if (indexOfDim) {
        dims = call.integers("dim");
    }
    const bool keep = indexOfDim && call.flag("keepdim");
    return at::linalg_vector_norm(self, p, optionalRef(dims), keep, call.dtype());
}

Decomposed trace(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 2, "expected a matrix, but got tensor with dim ", self.dim());
    return at::sum(self.diag());
}

Decomposed softmax(const DecompositionCall& call) {
    return ofShifted(call, [](const at::Tensor& shifted, std::int64_t dim) {
        const at::Tensor unnormalized = at::exp(shifted);
        return unnormalized / at::sum(unnormalized, at::IntArrayRef{dim}, true);
    });
}

Decomposed logSoftmax(const DecompositionCall& call) {
    return ofShifted(call, [](const at::Tensor& shifted, std::int64_t dim) {
        return shifted - at::log(at::sum(at::exp(shifted), at::IntArrayRef{dim}, true));
    });
}

Decomposed softmaxBackward(const DecompositionCall& call) {
    const std::int64_t dim = call.integer("dim");
    const c10::ScalarType inputType = *call.dtype("input_dtype");
    const auto [cast, grad, output] = python::castOperands(call, "grad_output", "output");
    const at::Tensor product = grad * output;
    const at::Tensor input = product - output * at::sum(product, at::IntArrayRef{dim}, true);
    return contiguousMemory(grad.scalar_type() == inputType ? input : input.to(inputType));
}

Decomposed logSoftmaxBackward(const DecompositionCall& call) {
    const std::int64_t dim = call.integer("dim");
    const c10::ScalarType inputType = *call.dtype("input_dtype");
    const auto [cast, grad, output] = python::castOperands(call, "grad_output", "output");
    const at::Tensor probabilities = at::exp(output);
    const at::Tensor input = grad - probabilities * at::sum(grad, at::IntArrayRef{dim}, true);
    return grad.scalar_type() == inputType ? input : input.to(inputType);
}

Decomposed safeSoftmax(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = call.integer("dim");
    const at::Tensor output = at::softmax(self, dim, call.dtype());
    const at::Tensor masked = self.eq(-infinite);
    const at::Tensor maskedRows = at::all(masked, dim, true);
    const at::Tensor zeros = at::zeros_like(output, python::options());
    return at::where(maskedRows, zeros, output);
}

Decomposed vectorNorm(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    const double ord = call.number("ord");
    auto dims = reducedDims(call);
    const bool keep = call.flag("keepdim");
    const c10::ScalarType result = call.dtype().value_or(c10::toRealValueType(x.scalar_type()));
    const c10::ScalarType computed = python::computationType(call.dtype().value_or(x.scalar_type()));
    const std::vector<std::int64_t> listed = dims.value_or(std::vector<std::int64_t>());
    if (ord == 0.0) {
        return at::sum(x.ne(0.0), optionalRef(dims), keep, result);
    }
    if (ord == infinite) {
        return python::convert(at::amax(x.abs(), listed, keep), result);
    }
    if (ord == -infinite) {
        return python::convert(at::amin(x.abs(), listed, keep), result);
    }
    x = python::convert(x, computed);
    auto summed = dims;
    if (dims && dims->empty()) {
        dims.reset();
    }
    if (call.rules().decompositions.vectorNormCountsFromTheFront) {
        summed = dims = dims ? std::optional(python::wrapped(*dims, x)) : dims;
    }
    if (hasOneElement(x, dims)) {
        return normOfOne(x, listed, !dims, keep, result);
    }
    const bool even = std::fmod(ord, 2.0) == 0.0;
    if (!even || !x.is_floating_point()) {
        x = x.abs();
    }
    const c10::Scalar given = call.scalar("ord");
    const at::Tensor sum = at::sum(at::pow(x, given), optionalRef(summed), keep);
    return python::convert(at::pow(sum, c10::Scalar(1.0 / ord)), result);
}

Decomposed coreVectorNorm(const DecompositionCall& call) {
    return call.rules().decompositions.coreHasVectorNorm ? vectorNorm(call) : Decomposed::notApplicable();
}

} // namespace aotscope::torch::decomposed
