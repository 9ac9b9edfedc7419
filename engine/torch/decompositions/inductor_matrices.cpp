#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

/// Matrix products that Inductor computes without a matrix kernel.
namespace aotscope::torch::decomposed {

namespace {

using python::Opmath;

/// Records the comparison as Python does, but the answer needs no guard.
bool isOne(const c10::SymInt& size) {
    static_cast<void>(size.sym_eq(1));
    const auto known = size.maybe_as_int();
    return known && *known == 1;
}

bool isKnownAtMost(const c10::SymInt& size, std::int64_t bound) {
    return size.sym_le(bound).guard_or_false(__FILE__, __LINE__);
}

bool broadcastsOuterProducts(const DecompositionCall& call) {
    return call.rules().decompositions.outerProductsAreBroadcast;
}

bool isKnownNotOne(const c10::SymInt& size) {
    return size.sym_ne(1).statically_known_true(__FILE__, __LINE__);
}

/// A column times a row, neither of which is a single number.
bool isOuterProduct(const at::Tensor& left, const at::Tensor& right) {
    return isOne(left.sym_size(-1)) && isKnownNotOne(left.sym_size(0)) && isKnownNotOne(right.sym_size(1));
}

/// A row, dimension `dim` of which is 1, times a column.
at::Tensor innerProduct(const at::Tensor& row, const at::Tensor& column, std::int64_t dim) {
    const at::Tensor left = row.squeeze(dim);
    const at::Tensor product = left * column.squeeze(-1);
    return at::sum(product, at::IntArrayRef{dim}, true).unsqueeze(dim);
}

} // namespace

Decomposed convolutionBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const std::vector<bool> mask = call.flags("output_mask");
    if (!mask[2] || !grad.is_cuda()) {
        return Decomposed::notApplicable();
    }
    const at::Tensor bias = at::sum(grad, python::allBut(1, grad));
    const std::vector<c10::SymInt> biasSizes = call.symInts("bias_sizes");
    const auto [input, weight, none] = at::convolution_backward_symint(
        grad, call.tensor("input"), call.tensor("weight"),
        call.has("bias_sizes") ? at::OptionalSymIntArrayRef(biasSizes)
                               : at::OptionalSymIntArrayRef(std::nullopt),
        call.symInts("stride"), call.symInts("padding"), call.symInts("dilation"), call.flag("transposed"),
        call.symInts("output_padding"), call.symInt("groups"), {mask[0], mask[1], false});
    return {input, weight, bias};
}

/// The product of a row and a column needs no matrix kernel on the CPU.
Decomposed bmm(const DecompositionCall& call) {
    // PyTorch casts the arguments before it tests them; unused casts are removed from the graph later.
    const auto [cast, self, other] = python::castOperands(call, "self", "mat2");
    if (broadcastsOuterProducts(call) && isOne(self.sym_size(2)) && isOne(other.sym_size(1))) {
        return cast.back((self * other).contiguous());
    }
    if (!self.is_cpu() || !isOne(self.sym_size(1)) || !isOne(other.sym_size(-1))) {
        return Decomposed::notApplicable();
    }
    return cast.back(innerProduct(self, other, 1));
}

Decomposed mm(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor other = call.tensor("mat2");
    const Opmath cast{&self, &other};
    const bool broadcasts = broadcastsOuterProducts(call);
    if (!self.is_cpu() && broadcasts && isOuterProduct(self, other)) {
        return cast.back(self * other);
    }
    if (!self.is_cpu()) {
        return Decomposed::notApplicable();
    }
    const auto hasRows = [&] { return self.sym_size(0).sym_gt(0).statically_known_true(__FILE__, __LINE__); };
    const auto isOuter = [&] { return broadcasts ? isOuterProduct(self, other) : isOne(self.sym_size(-1)); };
    const bool outer = isOuter() && hasRows() && isOne(other.sym_size(0)) &&
                       self.scalar_type() == other.scalar_type() &&
                       isKnownAtMost(self.sym_numel() + other.sym_numel(), 32);
    const bool inner = isOne(self.sym_size(0)) && isOne(other.sym_size(-1));
    if (!outer && !inner) {
        return Decomposed::notApplicable();
    }
    if (outer) {
        return cast.back(self * other);
    }
    return cast.back(innerProduct(self, other, 0));
}

Decomposed addmm(const DecompositionCall& call) {
    const auto [cast, self, left, right] = python::castOperands(call, "self", "mat1", "mat2");
    if (!left.is_cpu() && broadcastsOuterProducts(call)) {
        const c10::Scalar alpha = call.scalar("alpha");
        const c10::Scalar beta = call.scalar("beta");
        if ((left.is_cuda() && beta.equal(0)) || !isOuterProduct(left, right)) {
            return Decomposed::notApplicable();
        }
        const at::Tensor product = left * right;
        const at::Tensor out = alpha.equal(1) ? product : alpha * product;
        return cast.back(beta.equal(1) ? out + self : out + beta * self);
    }
    if (!self.is_cpu()) {
        return Decomposed::notApplicable();
    }
    const bool inner = isOne(left.sym_size(0)) && isOne(right.sym_size(-1));
    if (!inner && !(isOne(left.sym_size(0)) && isKnownAtMost(right.sym_size(0), 16) &&
                    isKnownAtMost(right.sym_size(1), 16))) {
        return Decomposed::notApplicable();
    }
    const at::Tensor out =
        inner ? innerProduct(left, right, 0) : (left.numpy_T() * right).sum(at::IntArrayRef{0}, true);
    const at::Tensor scaled = call.scalar("alpha") * out;
    return cast.back(scaled + call.scalar("beta") * self);
}

} // namespace aotscope::torch::decomposed
