#include "trace/inplace_questions.h"

#include "fake/reference_layout.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::torch {

namespace {

using reference::Layout;
using Arguments = c10::ArrayRef<c10::IValue>;

/// A copy into a tensor looks whether its elements share memory, then for sizes that must be broadcast.
void copy(Arguments arguments) {
    static_cast<void>(at::has_internal_overlap(arguments[0].toTensor()));
    static_cast<void>(arguments[0].toTensor().sym_sizes().equals(arguments[1].toTensor().sym_sizes()));
}

/// `check_inplace_broadcast`
void broadcast(Arguments arguments) {
    reference::broadcastShapes(
        {arguments[0].toTensor().sym_sizes().vec(), arguments[1].toTensor().sym_sizes().vec()});
}

std::int64_t itemSizeOf(const at::Tensor& tensor) {
    return static_cast<std::int64_t>(tensor.dtype().itemsize());
}

/// One primitive, whose result is copied back.
void primitive(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    reference::copyInto(self, reference::elementwise({Layout(self)}, itemSizeOf(self)));
}

/// `1 / (1 + exp(-x))`
Layout sigmoidOf(const Layout& x, std::int64_t itemSize) {
    const Layout negated = reference::elementwise({x}, itemSize);
    const Layout power = reference::elementwise({negated}, itemSize);
    const Layout sum = reference::broadcastElementwise({power}, itemSize);
    return reference::broadcastElementwise({sum}, itemSize);
}

void sigmoid(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    reference::copyInto(self, sigmoidOf(Layout(self), itemSizeOf(self)));
}

c10::SymInt sizeOrOne(const at::Tensor& tensor, std::int64_t dim) {
    return tensor.dim() == 0 ? c10::SymInt(1) : tensor.sym_size(dim);
}

/// Nowhere but along the dimension may there be more indices than places, or than values.
void scatter(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), self.dim());
    const at::Tensor& index = arguments[2].toTensor();
    static_cast<void>(index.sym_numel().sym_ne(0));
    if (index.sym_numel().sym_eq(0).guard_or_false(__FILE__, __LINE__)) {
        return;
    }
    const std::int64_t dims = std::max<std::int64_t>(self.dim(), 1);
    for (std::int64_t d = 0; d < dims; ++d) {
        if (d != dim) {
            static_cast<void>(reference::isAtMost(sizeOrOne(index, d), sizeOrOne(self, d)));
        }
    }
    for (std::int64_t d = 0; arguments[3].isTensor() && d < dims; ++d) {
        static_cast<void>(reference::isAtMost(sizeOrOne(index, d), sizeOrOne(arguments[3].toTensor(), d)));
    }
}

void indexAdd(Arguments arguments) {
    const at::Tensor& index = arguments[2].toTensor();
    const at::Tensor& source = arguments[3].toTensor();
    const std::int64_t dim = c10::maybe_wrap_dim(arguments[1].toInt(), arguments[0].toTensor().dim());
    static_cast<void>(sizeOrOne(source, dim).sym_eq(sizeOrOne(index, 0)));
}

const std::unordered_set<std::string_view>& primitives() {
    static const std::unordered_set<std::string_view> names = {
        "aten::abs_",     "aten::acos_",  "aten::acosh_", "aten::asin_",       "aten::asinh_",
        "aten::atan_",    "aten::atanh_", "aten::ceil_",  "aten::cos_",        "aten::cosh_",
        "aten::digamma_", "aten::erf_",   "aten::erfc_",  "aten::erfinv_",     "aten::exp2_",
        "aten::exp_",     "aten::expm1_", "aten::floor_", "aten::lgamma_",     "aten::log10_",
        "aten::log1p_",   "aten::log2_",  "aten::log_",   "aten::neg_",        "aten::reciprocal_",
        "aten::rsqrt_",   "aten::sign_",  "aten::sin_",   "aten::sinh_",       "aten::sqrt_",
        "aten::tan_",     "aten::tanh_",  "aten::trunc_", "aten::bitwise_not_"};
    return names;
}

using Questions = void (*)(Arguments);

const std::unordered_map<std::string_view, Questions>& questions() {
    static const std::unordered_map<std::string_view, Questions> table = {
        {"aten::copy_", copy},
        {"aten::add_.Tensor", broadcast},
        {"aten::sub_.Tensor", broadcast},
        {"aten::mul_.Tensor", broadcast},
        {"aten::div_.Tensor", broadcast},
        {"aten::logical_and_", broadcast},
        {"aten::logical_or_", broadcast},
        {"aten::logical_xor_", broadcast},
        {"aten::masked_fill_.Scalar", broadcast},
        {"aten::sigmoid_", sigmoid},
        {"aten::scatter_.src", scatter},
        {"aten::scatter_.value", scatter},
        {"aten::scatter_.reduce", scatter},
        {"aten::scatter_.value_reduce", scatter},
        {"aten::scatter_add_", scatter},
        {"aten::scatter_reduce_.two", scatter},
        {"aten::index_add_", indexAdd},
    };
    return table;
}

} // namespace

void askAsInPlace(const c10::OperatorHandle& op, Arguments arguments) {
    const c10::OperatorName& name = op.operator_name();
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    if (const auto known = questions().find(full); known != questions().end()) {
        known->second(arguments);
    } else if (primitives().contains(full)) {
        primitive(arguments);
    }
}

} // namespace aotscope::torch
