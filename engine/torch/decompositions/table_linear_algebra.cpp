#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"

/// Products of matrices and vectors, and attention.
namespace aotscope::torch::decomposed {

namespace {

using python::Opmath;

c10::Scalar coefficient(const DecompositionCall& call, const char* name, const at::Tensor& self) {
    const c10::Scalar value = call.scalar(name);
    const bool exact = self.is_floating_point() || self.is_complex();
    return exact ? value : c10::Scalar(value.toLong());
}

} // namespace

Decomposed addmv(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor matrix = call.tensor("mat");
    at::Tensor vector = call.tensor("vec");
    const c10::Scalar beta = coefficient(call, "beta", self);
    const c10::Scalar alpha = coefficient(call, "alpha", self);
    const Opmath cast{&self, &matrix, &vector};
    const at::Tensor out = alpha * at::mv(matrix, vector);
    if (beta.equal(0)) {
        return cast.back(out);
    }
    if (out.sym_numel().sym_eq(0).guard_bool(__FILE__, __LINE__)) {
        return cast.back(beta * self);
    }
    const bool expands = call.rules().decompositions.addedVectorsAreExpanded;
    return cast.back(out + beta * (expands ? self.expand_as(out) : self));
}

Decomposed baddbmm(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor left = call.tensor("batch1");
    at::Tensor right = call.tensor("batch2");
    const c10::Scalar beta = coefficient(call, "beta", self);
    const c10::Scalar alpha = coefficient(call, "alpha", self);
    const Opmath cast{&self, &left, &right};
    at::Tensor result = at::bmm(left, right);
    if (!alpha.equal(1)) {
        result = result * alpha;
    }
    if (beta.equal(0)) {
        return cast.back(result);
    }
    if (!beta.equal(1)) {
        self = self * beta;
    }
    return cast.back(self + result);
}

Decomposed mv(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor vector = call.tensor("vec");
    TORCH_CHECK(self.dim() == 2 && vector.dim() == 1, "matrix @ vector expected, got ", self.dim(), ", ",
                vector.dim());
    const Opmath cast{&self, &vector};
    return cast.back((self * vector).sum(at::IntArrayRef{1}));
}

Decomposed dot(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor other = call.tensor(call.schema().arguments()[1].name());
    if (self.is_complex()) {
        if (self.is_conj()) {
            return other.is_conj() ? at::dot(self.conj(), other.conj()).conj() : at::vdot(self.conj(), other);
        }
        if (other.is_conj()) {
            return at::vdot(other.conj(), self);
        }
    }
    const Opmath cast{&self, &other};
    return cast.back((self * other).sum());
}

Decomposed vdot(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("other");
    if (!self.is_complex()) {
        return at::dot(self, other);
    }
    if (self.is_conj()) {
        return other.is_conj() ? at::vdot(other.conj(), self.conj()) : at::dot(self.conj(), other);
    }
    if (other.is_conj()) {
        return at::dot(self, other.conj()).conj();
    }
    return (self.conj_physical() * other).sum();
}

Decomposed addr(const DecompositionCall& call) {
    const c10::Scalar beta = call.scalar("beta");
    const c10::Scalar alpha = call.scalar("alpha");
    auto [cast, self, left, right] = python::castOperands(call, "self", "vec1", "vec2");
    self = self.expand_symint({left.sym_size(0), right.sym_size(0)});
    if (self.scalar_type() == c10::kBool) {
        const at::Tensor product =
            alpha.equal(0) ? at::full_like(self, false, python::options()) : at::outer(left, right);
        return beta.equal(0) ? product : at::logical_or(self, product);
    }
    if (beta.equal(0)) {
        return cast.back(alpha * at::outer(left, right));
    }
    const at::Tensor scaled = beta * self;
    return cast.back(scaled + alpha * at::outer(left, right));
}

Decomposed flashAttentionForCpu(const DecompositionCall& call) {
    const at::Tensor query = call.tensor("query");
    const at::Tensor key = call.tensor("key");
    const double dropout = call.number("dropout_p");
    TORCH_CHECK(dropout == 0.0, "dropout probability must be zero, got ", dropout);
    const bool grouped = query.sym_size(1).sym_ne(key.sym_size(1)).guard_bool(__FILE__, __LINE__);
    const auto [output, weights] = at::_scaled_dot_product_attention_math(
        query, key, call.tensor("value"), call.optionalTensor("attn_mask"), dropout, call.flag("is_causal"),
        std::nullopt, call.optionalNumber("scale"), grouped);
    // The layout of the fused kernel's output.
    return {output.permute({2, 0, 1, 3}).contiguous().permute({1, 2, 0, 3}), weights};
}

Decomposed euclideanDistance(const DecompositionCall& call) {
    const at::Tensor x1 = call.tensor("x1");
    const at::Tensor x2 = call.tensor("x2");
    const auto onesLike = [](const at::Tensor& tensor) {
        return at::ones_like(tensor, python::options(), c10::MemoryFormat::Contiguous);
    };
    const at::Tensor norm1 = x1.pow(2).sum(at::IntArrayRef{-1}, true);
    const at::Tensor ones1 = onesLike(norm1);
    const at::Tensor norm2 = x2.pow(2).sum(at::IntArrayRef{-1}, true);
    const at::Tensor ones2 = onesLike(norm2);
    const at::Tensor left = at::cat({at::mul(x1, python::number(-2)), norm1, ones1}, -1);
    const at::Tensor right = at::cat({x2, ones2, norm2}, -1);
    return left.matmul(right.mT()).clamp_min(0).sqrt();
}

Decomposed cross(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor other = call.tensor("other");
    const Opmath cast{&self, &other};
    const std::vector<at::Tensor> both = at::broadcast_tensors({self, other});
    const at::Tensor& a = both[0];
    const at::Tensor& b = both[1];
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), a.dim());
    const at::Tensor index = python::arange(3, a);
    const auto shifted = [&](std::int64_t by) { return at::remainder(index + by, 3); };
    const at::Tensor first = a.index_select(dim, shifted(1));
    const at::Tensor left = first * b.index_select(dim, shifted(2));
    const at::Tensor second = a.index_select(dim, shifted(2));
    return cast.back(left - second * b.index_select(dim, shifted(1)));
}

/// Slices whose norm exceeds a bound are scaled down to it.
Decomposed renorm(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), self.dim());
    const bool widens = python::computationType(self.scalar_type()) != self.scalar_type();
    const std::vector<std::int64_t> others = python::allBut(dim, self);
    const c10::Scalar bound = call.scalar("maxnorm");
    const at::Tensor norm = widens ? at::linalg_vector_norm(self, call.scalar("p"), others, true, c10::kFloat)
                                   : at::linalg_vector_norm(self, call.scalar("p"), others, true);
    const at::Tensor exceeds = norm.gt(bound);
    at::Tensor factor = at::where(exceeds, bound / (norm + 1e-7), 1.0);
    if (widens) {
        factor = prims::convertElementType(factor, self.scalar_type());
    }
    return (self * factor).contiguous();
}

Decomposed weightNorm(const DecompositionCall& call) {
    const at::Tensor v = call.tensor("v");
    const at::Tensor g = call.tensor("g");
    const std::vector<std::int64_t> reduced = python::allBut(call.integer("dim"), v);
    if (call.rules().decompositions.weightNormKeepsDtype) {
        const bool half = g.scalar_type() == c10::kBFloat16 || g.scalar_type() == c10::kHalf;
        const c10::ScalarType dtype = half ? c10::kFloat : g.scalar_type();
        // The norm over no dimension is the absolute value.
        const at::Tensor norm = reduced.empty() ? python::convert(v.abs(), dtype)
                                                : at::linalg_vector_norm(v, 2, reduced, true, dtype);
        return {v * (g / python::convert(norm, g.scalar_type())), norm};
    }
    const at::Tensor norm = g.scalar_type() == c10::kBFloat16
                                ? at::linalg_vector_norm(v, 2, reduced, true, c10::kFloat)
                                : at::linalg_vector_norm(v, 2, reduced, true);
    return {v * (g / python::convert(norm, g.scalar_type())), norm};
}

} // namespace aotscope::torch::decomposed
