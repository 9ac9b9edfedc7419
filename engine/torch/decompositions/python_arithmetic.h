#pragma once

#include "decompositions/aten_operators.h"
#include "decompositions/decomposition.h"

#include "torch_headers.h"

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Arithmetic of tensors and numbers with the overloads that Python's operators choose. They often differ
/// from those of LibTorch's C++ operators: never include TensorOperators.h together with this.
namespace aotscope::torch {

[[nodiscard]] at::Tensor operator+(const at::Tensor& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator-(const at::Tensor& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator*(const at::Tensor& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator/(const at::Tensor& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator+(const at::Tensor& left, const c10::Scalar& right);
[[nodiscard]] at::Tensor operator-(const at::Tensor& left, const c10::Scalar& right);
[[nodiscard]] at::Tensor operator*(const at::Tensor& left, const c10::Scalar& right);
[[nodiscard]] at::Tensor operator/(const at::Tensor& left, const c10::Scalar& right);
[[nodiscard]] at::Tensor operator+(const c10::Scalar& left, const at::Tensor& right);
/// `torch.rsub`
[[nodiscard]] at::Tensor operator-(const c10::Scalar& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator*(const c10::Scalar& left, const at::Tensor& right);
/// The reciprocal, times the number.
[[nodiscard]] at::Tensor operator/(const c10::Scalar& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator&(const at::Tensor& left, const at::Tensor& right);
[[nodiscard]] at::Tensor operator|(const at::Tensor& left, const at::Tensor& right);

} // namespace aotscope::torch

namespace aotscope::torch::python {

/// A number as an operand of a tensor operator: only its category matters for type promotion, and it is
/// recorded as a number.
[[nodiscard]] at::Tensor number(const c10::Scalar& value);

using Indices = c10::List<std::optional<at::Tensor>>;
/// `[None] * dim + indices`
[[nodiscard]] Indices indexAt(std::int64_t dim, at::TensorList indices);

/// What Python's functions pass to make a tensor: pin_memory=False, and what is named here.
[[nodiscard]] inline at::TensorOptions options(std::optional<c10::ScalarType> dtype = std::nullopt,
                                               std::optional<c10::Device> device = std::nullopt) {
    return at::TensorOptions().dtype(dtype).device(device).pinned_memory(false);
}
/// The same with a tensor's dtype and device.
[[nodiscard]] inline at::TensorOptions optionsOf(const at::Tensor& like) {
    return options(like.scalar_type(), like.device());
}

/// `torch.arange(end, device=like.device)`
[[nodiscard]] at::Tensor arange(const c10::SymInt& end, const at::Tensor& like,
                                std::optional<c10::ScalarType> dtype = std::nullopt);
/// `torch.arange(start, end, device=like.device)`
[[nodiscard]] at::Tensor arange(const c10::SymInt& start, const c10::SymInt& end, const at::Tensor& like,
                                std::optional<c10::ScalarType> dtype = std::nullopt);
/// `like.new_zeros(sizes)` and the like, which pass pin_memory as Python's methods do.
[[nodiscard]] at::Tensor newZeros(const at::Tensor& like, c10::SymIntArrayRef sizes,
                                  std::optional<c10::ScalarType> dtype = std::nullopt);
[[nodiscard]] at::Tensor newOnes(const at::Tensor& like, c10::SymIntArrayRef sizes,
                                 std::optional<c10::ScalarType> dtype = std::nullopt);
[[nodiscard]] at::Tensor newFull(const at::Tensor& like, c10::SymIntArrayRef sizes, const c10::Scalar& value,
                                 std::optional<c10::ScalarType> dtype = std::nullopt);

/// `torch.full(sizes, value, ...)` of strided layout with all options.
[[nodiscard]] at::Tensor full(c10::SymIntArrayRef sizes, const c10::Scalar& value, c10::ScalarType dtype,
                              c10::Device device);
/// The number as Python would write it for a dtype: 0.0 for floating point, 0 for integers, False for bool.
[[nodiscard]] c10::Scalar numberOf(double value, c10::ScalarType dtype);
/// `float(number)`; a symbolic number stays symbolic.
[[nodiscard]] c10::SymFloat real(const c10::Scalar& number);
/// `tensor.to(dtype)`; without a call of the dispatcher if the tensor has that dtype.
[[nodiscard]] at::Tensor convert(const at::Tensor& tensor, c10::ScalarType dtype);
/// The same for a tensor that may be undefined.
[[nodiscard]] at::Tensor convertDefined(const at::Tensor& tensor, c10::ScalarType dtype);
/// Appends dimensions of size 1 until there are `dim` of them (torch/_decomp/decompositions.py:
/// _unsqueeze_to_dim).
[[nodiscard]] at::Tensor unsqueezeToDim(at::Tensor tensor, std::int64_t dim);

/// Dimensions counted from the front.
[[nodiscard]] std::vector<std::int64_t> wrapped(std::vector<std::int64_t> dims, const at::Tensor& tensor);
/// All dimensions of a tensor but one.
[[nodiscard]] std::vector<std::int64_t> allBut(std::int64_t dim, const at::Tensor& tensor);
/// Makes a tensor of these sizes whose dimensions lie in memory in the order `layout`, outermost first: by
/// `make` in that order, then permuted, and with `copies` copied if they are out of order.
[[nodiscard]] at::Tensor inMemoryOrder(c10::SymIntArrayRef sizes, const std::vector<std::int64_t>& layout,
                                       const std::function<at::Tensor(c10::SymIntArrayRef sizes)>& make,
                                       bool copies);

/// Sizes of a tensor from dimension `first` on.
[[nodiscard]] std::vector<c10::SymInt> sizes(const at::Tensor& tensor, std::int64_t first = 0);
[[nodiscard]] c10::SymInt product(c10::SymIntArrayRef sizes);
/// `float(number)`
[[nodiscard]] c10::SymFloat realNumber(const c10::SymInt& number);
/// Python's `/` of two sizes.
[[nodiscard]] c10::SymFloat quotient(const c10::SymInt& left, const c10::SymInt& right);
/// `pow(base, exponent)`
[[nodiscard]] c10::SymFloat power(const c10::SymFloat& base, double exponent);
/// `left < right` of a size and a real number; adds a guard.
[[nodiscard]] bool isLess(const c10::SymInt& left, const c10::SymFloat& right);
/// Python's `%` of two sizes, which has the sign of the second.
[[nodiscard]] c10::SymInt remainder(const c10::SymInt& left, const c10::SymInt& right);
/// `suggest_memory_format(tensor)` of torch 2.11, torch/_prims_common/__init__.py. Compares the strides in
/// each call, while a tensor's own method caches its answer.
[[nodiscard]] c10::MemoryFormat suggestMemoryFormat(const at::Tensor& tensor);

/// The dtype that pointwise operators compute in (torch/_prims_common/__init__.py: get_computation_dtype).
[[nodiscard]] c10::ScalarType computationType(c10::ScalarType dtype);
/// The type that pointwise operands promote to (`ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT`).
[[nodiscard]] c10::ScalarType promotedType(std::initializer_list<at::Tensor> tensors);
/// The same with integers promoted to floating point (`INT_TO_FLOAT`).
[[nodiscard]] c10::ScalarType floatType(c10::ScalarType dtype);

/// Casts operands to the dtype that pointwise operators compute in, and results back to the promoted dtype.
/// Follows torch 2.11, torch/_decomp/decompositions.py: pw_cast_for_opmath.
class Opmath {
public:
    /// Casts the operands in place; undefined tensors are left alone.
    explicit Opmath(std::initializer_list<at::Tensor*> operands);
    [[nodiscard]] at::Tensor back(const at::Tensor& result) const;
    [[nodiscard]] c10::ScalarType resultType() const { return m_result; }

private:
    c10::ScalarType m_result;
};

/// The same with integers cast to floating point first (INT_TO_FLOAT).
class FloatMath {
public:
    explicit FloatMath(std::initializer_list<at::Tensor*> operands);
    [[nodiscard]] at::Tensor back(const at::Tensor& result) const { return convert(result, m_result); }

private:
    c10::ScalarType m_result;
};

/// What casts results back, and the call's tensors of these names, cast.
template<typename Math = Opmath, typename... Names>
[[nodiscard]] auto castOperands(const DecompositionCall& call, const Names&... names) {
    std::array<at::Tensor, sizeof...(names)> operands{call.tensor(names)...};
    const auto cast = [](auto&... each) {
        const Math back{&each...};
        return std::tuple(back, each...);
    };
    return std::apply(cast, operands);
}

/// How many tensors a formula takes, behind the call or alone.
template<typename Formula, typename... Operands>
[[nodiscard]] consteval std::size_t operandCount() {
    if constexpr (std::is_invocable_v<Formula, const DecompositionCall&, Operands...> ||
                  std::is_invocable_v<Formula, Operands...>) {
        return sizeof...(Operands);
    } else {
        return operandCount<Formula, Operands..., at::Tensor>();
    }
}

/// The decomposition by a formula, a lambda that captures nothing: takes the first tensors of the call, cast,
/// after the call itself where it asks for other arguments; its result is cast back.
template<typename Math = Opmath, typename Formula>
[[nodiscard]] Decomposition pointwise(Formula /*formula*/) {
    return [](const DecompositionCall& call) -> Decomposed {
        std::vector<at::Tensor> operands = call.allTensors();
        const auto computed = [&]<std::size_t... index>(std::index_sequence<index...>) {
            const Math cast{&operands.at(index)...};
            if constexpr (std::is_invocable_v<Formula, const DecompositionCall&,
                                              decltype(operands[index])...>) {
                return cast.back(Formula()(call, operands[index]...));
            } else {
                return cast.back(Formula()(operands[index]...));
            }
        };
        return computed(std::make_index_sequence<operandCount<Formula>()>());
    };
}

} // namespace aotscope::torch::python
