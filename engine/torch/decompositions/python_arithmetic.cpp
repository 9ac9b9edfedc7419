#include "decompositions/python_arithmetic.h"

#include "fake/shape_environment.h"
#include "fake/symbolic_number.h"

#include <ATen/ScalarOps.h>
#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aotscope::torch {

at::Tensor operator+(const at::Tensor& left, const at::Tensor& right) {
    return at::add(left, right);
}

at::Tensor operator-(const at::Tensor& left, const at::Tensor& right) {
    return at::sub(left, right);
}

at::Tensor operator*(const at::Tensor& left, const at::Tensor& right) {
    return at::mul(left, right);
}

at::Tensor operator/(const at::Tensor& left, const at::Tensor& right) {
    return at::div(left, right);
}

at::Tensor operator+(const at::Tensor& left, const c10::Scalar& right) {
    return at::add(left, python::number(right));
}

at::Tensor operator-(const at::Tensor& left, const c10::Scalar& right) {
    return at::sub(left, python::number(right));
}

at::Tensor operator*(const at::Tensor& left, const c10::Scalar& right) {
    return at::mul(left, python::number(right));
}

at::Tensor operator/(const at::Tensor& left, const c10::Scalar& right) {
    return at::div(left, python::number(right));
}

at::Tensor operator+(const c10::Scalar& left, const at::Tensor& right) {
    return right + left;
}

at::Tensor operator-(const c10::Scalar& left, const at::Tensor& right) {
    return at::rsub(right, left);
}

at::Tensor operator*(const c10::Scalar& left, const at::Tensor& right) {
    return right * left;
}

at::Tensor operator/(const c10::Scalar& left, const at::Tensor& right) {
    return at::reciprocal(right) * left;
}

at::Tensor operator&(const at::Tensor& left, const at::Tensor& right) {
    return at::bitwise_and(left, right);
}

at::Tensor operator|(const at::Tensor& left, const at::Tensor& right) {
    return at::bitwise_or(left, right);
}

} // namespace aotscope::torch

namespace aotscope::torch::python {

Indices indexAt(std::int64_t dim, at::TensorList indices) {
    Indices all;
    all.resize(static_cast<std::size_t>(dim), std::nullopt);
    for (const at::Tensor& index : indices) {
        all.push_back(index);
    }
    return all;
}

at::Tensor number(const c10::Scalar& value) {
    if (value.isSymbolic()) {
        const bool whole = value.isSymInt();
        c10::SymNode node = whole ? value.toSymInt().toSymNode() : value.toSymFloat().toSymNodeImpl();
        const double hint = dynamic_cast<const SymbolicNode&>(*node).value(0);
        return wrappedSymbolicNumber(whole ? c10::Scalar(static_cast<std::int64_t>(hint)) : c10::Scalar(hint),
                                     std::move(node));
    }
    return at::native::wrapped_scalar_tensor(value);
}

at::Tensor arange(const c10::SymInt& end, const at::Tensor& like, std::optional<c10::ScalarType> dtype) {
    return at::arange(c10::Scalar(end), options(dtype, like.device()));
}

at::Tensor arange(const c10::SymInt& start, const c10::SymInt& end, const at::Tensor& like,
                  std::optional<c10::ScalarType> dtype) {
    return at::arange(c10::Scalar(start), c10::Scalar(end), options(dtype, like.device()));
}

at::Tensor newZeros(const at::Tensor& like, c10::SymIntArrayRef sizes, std::optional<c10::ScalarType> dtype) {
    return like.new_zeros_symint(sizes, options(dtype));
}

at::Tensor newOnes(const at::Tensor& like, c10::SymIntArrayRef sizes, std::optional<c10::ScalarType> dtype) {
    return like.new_ones_symint(sizes, options(dtype));
}

at::Tensor newFull(const at::Tensor& like, c10::SymIntArrayRef sizes, const c10::Scalar& value,
                   std::optional<c10::ScalarType> dtype) {
    return like.new_full_symint(sizes, value, options(dtype));
}

namespace {

/// `left < right` as Python evaluates it: if only `right` is symbolic, its reflected operator is called.
bool isLess(const c10::SymInt& left, const c10::SymInt& right) {
    const c10::SymBool less =
        !left.is_symbolic() && right.is_symbolic() ? right.sym_gt(left) : left.sym_lt(right);
    return less.guard_or_true(__FILE__, __LINE__);
}

/// `are_strides_like_channels_last_or_false`
bool hasChannelsLast(const at::Tensor& tensor) {
    const auto sizes = tensor.sym_sizes();
    const auto strides = tensor.sym_strides();
    if (strides[1].sym_eq(0).guard_or_true(__FILE__, __LINE__)) {
        return false;
    }
    std::vector<std::size_t> inward = {1};
    for (std::size_t d = sizes.size() - 1; d > 1; --d) {
        inward.push_back(d);
    }
    inward.push_back(0);
    c10::SymInt least = 0;
    for (const std::size_t d : inward) {
        if (sizes[d].sym_eq(0).guard_or_true(__FILE__, __LINE__) || isLess(strides[d], least) ||
            (d == 0 && least == strides[1])) {
            return false;
        }
        least = strides[d] * sizes[d];
    }
    return true;
}

} // namespace

c10::MemoryFormat suggestMemoryFormat(const at::Tensor& tensor) {
    const std::int64_t dims = tensor.dim();
    const bool isImage = tensor.layout() == c10::kStrided && (dims == 4 || dims == 5);
    if (!isImage || !hasChannelsLast(tensor)) {
        return c10::MemoryFormat::Contiguous;
    }
    return dims == 4 ? c10::MemoryFormat::ChannelsLast : c10::MemoryFormat::ChannelsLast3d;
}

std::vector<std::int64_t> wrapped(std::vector<std::int64_t> dims, const at::Tensor& tensor) {
    for (std::int64_t& dim : dims) {
        dim = c10::maybe_wrap_dim(dim, tensor.dim());
    }
    return dims;
}

std::vector<std::int64_t> allBut(std::int64_t dim, const at::Tensor& tensor) {
    std::vector<std::int64_t> others(static_cast<std::size_t>(tensor.dim()));
    std::iota(others.begin(), others.end(), 0);
    std::erase(others, dim);
    return others;
}

at::Tensor inMemoryOrder(c10::SymIntArrayRef sizes, const std::vector<std::int64_t>& layout,
                         const std::function<at::Tensor(c10::SymIntArrayRef sizes)>& make, bool copies) {
    if (std::ranges::is_sorted(layout)) {
        return make(sizes);
    }
    std::vector<c10::SymInt> physical;
    std::vector<std::int64_t> order(layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i) {
        physical.push_back(sizes[static_cast<std::size_t>(layout[i])]);
        order[static_cast<std::size_t>(layout[i])] = static_cast<std::int64_t>(i);
    }
    const at::Tensor made = make(physical);
    return copies ? made.permute(order).clone() : made.permute(order);
}

std::vector<c10::SymInt> sizes(const at::Tensor& tensor, std::int64_t first) {
    const c10::SymIntArrayRef all = tensor.sym_sizes();
    return {all.begin() + first, all.end()};
}

c10::SymFloat realNumber(const c10::SymInt& number) {
    const auto constant = number.maybe_as_int();
    return constant ? c10::SymFloat(static_cast<double>(*constant))
                    : c10::SymFloat(number.toSymNode()->sym_float());
}

c10::SymFloat quotient(const c10::SymInt& left, const c10::SymInt& right) {
    const auto dividend = left.maybe_as_int();
    const auto divisor = right.maybe_as_int();
    if (dividend && divisor) {
        return static_cast<double>(*dividend) / static_cast<double>(*divisor);
    }
    const c10::SymNode like = dividend ? right.toSymNode() : left.toSymNode();
    const c10::SymNode dividendNode = dividend ? like->wrap_int(*dividend) : left.toSymNode();
    return c10::SymFloat(dividendNode->int_truediv(divisor ? like->wrap_int(*divisor) : right.toSymNode()));
}

c10::SymFloat power(const c10::SymFloat& base, double exponent) {
    if (!base.is_symbolic()) {
        return std::pow(base.expect_float(), exponent);
    }
    const c10::SymNode node = base.toSymNodeImpl();
    return c10::SymFloat(node->pow(node->wrap_float(exponent)));
}

bool isLess(const c10::SymInt& left, const c10::SymFloat& right) {
    if (left.maybe_as_int() && right.is_symbolic()) {
        return right.sym_gt(realNumber(left)).guard_bool(__FILE__, __LINE__);
    }
    return realNumber(left).sym_lt(right).guard_bool(__FILE__, __LINE__);
}

c10::SymInt remainder(const c10::SymInt& left, const c10::SymInt& right) {
    const auto dividend = left.maybe_as_int();
    const auto divisor = right.maybe_as_int();
    if (!dividend || !divisor) {
        return left % right;
    }
    return ((*dividend % *divisor) + *divisor) % *divisor;
}

c10::SymInt product(c10::SymIntArrayRef sizes) {
    c10::SymInt result = 1;
    for (const c10::SymInt& size : sizes) {
        result = result * size;
    }
    return result;
}

c10::ScalarType computationType(c10::ScalarType dtype) {
    switch (dtype) {
    case c10::kBFloat16:
    case c10::kHalf:
        return c10::kFloat;
    case c10::kComplexHalf:
        return c10::kComplexFloat;
    default:
        return dtype;
    }
}

c10::ScalarType promotedType(std::initializer_list<at::Tensor> tensors) {
    at::native::ResultTypeState state = {};
    for (const at::Tensor& tensor : tensors) {
        if (tensor.defined()) {
            state = at::native::update_result_type_state(tensor, state);
        }
    }
    return at::native::result_type(state);
}

c10::ScalarType floatType(c10::ScalarType dtype) {
    return c10::isIntegralType(dtype, /*includeBool=*/true) ? c10::get_default_dtype_as_scalartype() : dtype;
}

at::Tensor full(c10::SymIntArrayRef sizes, const c10::Scalar& value, c10::ScalarType dtype,
                c10::Device device) {
    return at::full_symint(sizes, value, options(dtype, device).layout(c10::kStrided));
}

c10::SymFloat real(const c10::Scalar& number) {
    if (!number.isSymbolic()) {
        return number.toDouble();
    }
    return number.isSymInt() ? static_cast<c10::SymFloat>(number.toSymInt()) : number.toSymFloat();
}

c10::Scalar numberOf(double value, c10::ScalarType dtype) {
    if (dtype == c10::kBool) {
        return value != 0;
    }
    if (c10::isIntegralType(dtype, false)) {
        return static_cast<std::int64_t>(value);
    }
    if (c10::isComplexType(dtype)) {
        return c10::complex<double>(value, 0);
    }
    return value;
}

at::Tensor convert(const at::Tensor& tensor, c10::ScalarType dtype) {
    return tensor.scalar_type() == dtype ? tensor : tensor.to(dtype);
}

at::Tensor convertDefined(const at::Tensor& tensor, c10::ScalarType dtype) {
    return tensor.defined() ? convert(tensor, dtype) : tensor;
}

at::Tensor unsqueezeToDim(at::Tensor tensor, std::int64_t dim) {
    while (tensor.dim() < dim) {
        tensor = tensor.unsqueeze(-1);
    }
    return tensor;
}

Opmath::Opmath(std::initializer_list<at::Tensor*> operands) {
    at::native::ResultTypeState state = {};
    for (const at::Tensor* const operand : operands) {
        if (operand->defined()) {
            state = at::native::update_result_type_state(*operand, state);
        }
    }
    m_result = at::native::result_type(state);
    const c10::ScalarType computed = computationType(m_result);
    for (at::Tensor* const operand : operands) {
        if (operand->defined()) {
            *operand = convert(*operand, computed);
        }
    }
}

FloatMath::FloatMath(std::initializer_list<at::Tensor*> operands)
    : m_result(floatType(Opmath(operands).resultType())) {
    for (at::Tensor* const operand : operands) {
        *operand = convert(*operand, computationType(m_result));
    }
}

at::Tensor Opmath::back(const at::Tensor& result) const {
    return convert(result, m_result);
}

} // namespace aotscope::torch::python
