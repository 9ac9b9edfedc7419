#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/ops/atan2.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/real.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>

#include <limits>
#include <numbers>

/// Complex numbers as pairs of real ones, which Inductor generates code for.
namespace aotscope::torch::decomposed {

namespace {

constexpr double quietNan = std::numeric_limits<double>::quiet_NaN();

/// The dtype of the real part; like Python's property, this records taking the part.
c10::ScalarType realType(const at::Tensor& tensor) {
    return at::real(tensor).scalar_type();
}

/// A view of real numbers with adjacent pairs in a new last dimension.
at::Tensor inPairs(const at::Tensor& numbers) {
    std::vector<c10::SymInt> shape = python::sizes(numbers);
    TORCH_CHECK(!(shape.back() % 2).sym_ne(0).guard_bool(__FILE__, __LINE__),
                "a complex tensor has an odd number of real ones");
    shape.back() = shape.back() / 2;
    shape.emplace_back(2);
    return numbers.view_symint(shape);
}

/// Whether numbers are adjacent in memory, so that they can be viewed as pairs.
bool liesSideBySide(const at::Tensor& tensor) {
    return tensor.dim() == 0 || !tensor.sym_strides().back().sym_ne(1).guard_bool(__FILE__, __LINE__);
}

} // namespace

Decomposed complexAdd(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    at::Tensor y = call.tensor("other");
    // A Python number does not count as a tensor.
    const auto isComplexTensor = [](const at::Tensor& tensor) {
        return tensor.is_complex() && !tensor.unsafeGetTensorImpl()->is_wrapped_number();
    };
    if (!isComplexTensor(x) || !isComplexTensor(y)) {
        return Decomposed::notApplicable();
    }
    const bool isNumber = x.dim() == 0 && y.dim() == 0;
    x = x.dim() == 0 ? x.reshape({1}) : x;
    y = y.dim() == 0 ? y.reshape({1}) : y;
    // PyTorch drops a default alpha.
    const c10::Scalar alpha = call.scalar("alpha");
    at::Tensor z = alpha.isIntegral(false) && alpha.equal(1) ? y : alpha * y;
    if (!liesSideBySide(x) || !liesSideBySide(z)) {
        return Decomposed::notApplicable();
    }
    const c10::ScalarType dtype = c10::promoteTypes(x.scalar_type(), y.scalar_type());
    // Computes lazy conjugates, which a view as pairs would lose.
    x = x + 0;
    z = z + 0;
    const at::Tensor left = inPairs(x.view(realType(x)));
    const at::Tensor right = inPairs(z.view(realType(y)));
    const at::Tensor result = (left + right).flatten(-2).view(dtype);
    return isNumber ? result.select(0, 0) : result;
}

Decomposed angle(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    if (x.is_complex()) {
        const at::Tensor nan = at::isnan(at::real(x));
        const at::Tensor imaginary = at::imag(x);
        return at::where(nan, quietNan, at::atan2(imaginary, at::real(x)));
    }
    const at::Tensor pi = at::scalar_tensor(std::numbers::pi, at::TensorOptions()
                                                                  .dtype(python::floatType(x.scalar_type()))
                                                                  .device(x.device())
                                                                  .pinned_memory(false));
    const at::Tensor result = at::where(x.lt(0), pi, 0.0);
    return at::where(at::isnan(x), quietNan, result);
}

Decomposed complexOnly(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return self.is_complex() ? Decomposed::notApplicable() : Decomposed(self);
}

} // namespace aotscope::torch::decomposed
