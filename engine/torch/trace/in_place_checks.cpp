#include "trace/in_place_checks.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace aotscope::torch {

namespace {

using reference::Layout;

/// `copy_`: checks the tensor for internal overlap, then which sizes are broadcast.
void copy(const Changed& x) {
    static_cast<void>(at::has_internal_overlap(x.tensor()));
    reference::expandCopy(Layout(x.argument(1).toTensor()), x.layout().sizes(), x.itemSize());
}

/// `check_inplace_broadcast`
void broadcast(const Changed& x) {
    reference::broadcastShapes({x.layout().sizes(), x.argument(1).toTensor().sym_sizes().vec()});
}

/// `clamp` to one bound: `where(x <= bound or x != x, x, bound)`. A number is no operand.
Layout boundedOf(const Changed& changed, const Layout& x, const c10::IValue& bound) {
    const Layout isNan = reference::elementwise({x, x}, Changed::truthBytes);
    const Layout isInside = Changed::truthOf(Changed::with({x}, bound));
    const Layout stays = Changed::truthOf({isInside, isNan});
    return changed.of(Changed::with({stays, x}, bound));
}

void clamp(const Changed& x) {
    Layout bounded = x;
    for (const c10::IValue& bound : x.arguments().slice(1)) {
        if (!bound.isNone()) {
            bounded = boundedOf(x, bounded, bound);
        }
    }
    x.becomes(bounded);
}

/// Between two numbers.
Layout hardtanhOf(const Changed& changed, const Layout& x) {
    return boundedOf(changed, boundedOf(changed, x, {}), {});
}

/// `x * clamp(clamp(x + 3, 0), max=6) / 6`
void hardswish(const Changed& x) {
    const Layout bounded = hardtanhOf(x, x.of({x}));
    x.copies(x.of({x.of({x, bounded})}));
}

/// `where(x > 0, x, alpha * expm1(x / alpha))`; an alpha of one is left out.
void celu(const Changed& x) {
    const bool hasAlpha = x.argument(1).toScalar().toDouble() != 1.0;
    const Layout power = x.primitive(hasAlpha ? x.of({x}) : x.layout());
    const Layout below = hasAlpha ? x.of({power}) : power;
    x.becomes(x.of({Changed::truthOf({x}), x, below}));
}

/// `x * tanh(softplus(x))`
void mish(const Changed& x) {
    const Layout logarithm = x.primitive(x.primitive(x));
    const Layout softplus = x.of({Changed::truthOf({x}), x, logarithm});
    x.becomes(x.of({x, x.primitive(softplus)}));
}

/// `where(x != x, nan, x)`, and the same for both infinities.
void nanToNum(const Changed& x) {
    Layout result = x.of({reference::elementwise({x, x}, Changed::truthBytes), x});
    for (int infinity = 0; infinity < 2; ++infinity) {
        result = x.of({Changed::truthOf({x}), result});
    }
    x.becomes(result);
}

/// `pow_` with a number; an exponent of 2 is computed as a product.
void powerOfNumber(const Changed& x) {
    const Layout base = reference::broadcast({x}).front();
    x.becomes(x.argument(1).toScalar().equal(2) ? x.of({base, base}) : x.primitive(base));
}

/// A binary primitive; the second operand may be a number.
void binary(const Changed& x) {
    x.becomes(x.of(Changed::with({x}, x.argument(1))));
}

/// An operator with a number.
void withNumber(const Changed& x) {
    x.becomes(x.of({x}));
}

/// Checks that the result of the functional operator has the shape of the mutated tensor.
void shaped(const Changed& x) {
    std::vector<Layout> operands;
    for (const c10::IValue& argument : x.arguments()) {
        operands = Changed::with(std::move(operands), argument);
    }
    const Layout made = x.of(operands);
    reference::broadcastShapes({x.layout().sizes(), made.sizes()});
}

c10::SymInt sizeOrOne(const at::Tensor& tensor, std::int64_t dim) {
    return tensor.dim() == 0 ? c10::SymInt(1) : tensor.sym_size(dim);
}

/// Checks that the index is not larger than the tensor in other dimensions than `dim`, and not larger than
/// the values in any.
void scatter(const Changed& x) {
    const at::Tensor& self = x.tensor();
    const std::int64_t dim = c10::maybe_wrap_dim(x.argument(1).toInt(), self.dim());
    const at::Tensor& index = x.argument(2).toTensor();
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
    for (std::int64_t d = 0; x.argument(3).isTensor() && d < dims; ++d) {
        static_cast<void>(reference::isAtMost(sizeOrOne(index, d), sizeOrOne(x.argument(3).toTensor(), d)));
    }
}

void indexAdd(const Changed& x) {
    const at::Tensor& index = x.argument(2).toTensor();
    const at::Tensor& source = x.argument(3).toTensor();
    const std::int64_t dim = c10::maybe_wrap_dim(x.argument(1).toInt(), x.tensor().dim());
    static_cast<void>(sizeOrOne(source, dim).sym_eq(sizeOrOne(index, 0)));
}

const std::unordered_set<std::string_view>& primitives() {
    static const std::unordered_set<std::string_view> names = {
        "aten::abs_",        "aten::acos_",  "aten::acosh_", "aten::asin_",   "aten::asinh_",
        "aten::atan_",       "aten::atanh_", "aten::ceil_",  "aten::cos_",    "aten::cosh_",
        "aten::digamma_",    "aten::erf_",   "aten::erfc_",  "aten::erfinv_", "aten::exp2_",
        "aten::exp_",        "aten::expm1_", "aten::floor_", "aten::lgamma_", "aten::log10_",
        "aten::log1p_",      "aten::log2_",  "aten::log_",   "aten::neg_",    "aten::reciprocal_",
        "aten::rsqrt_",      "aten::sign_",  "aten::sin_",   "aten::sinh_",   "aten::sqrt_",
        "aten::i0_",         "aten::sgn_",   "aten::tan_",   "aten::tanh_",   "aten::trunc_",
        "aten::bitwise_not_"};
    return names;
}

/// Names without overloads: Tensor and Scalar overloads are treated alike.
const std::unordered_set<std::string_view>& binaries() {
    static const std::unordered_set<std::string_view> names = {"aten::atan2_",
                                                               "aten::bitwise_and_",
                                                               "aten::bitwise_left_shift_",
                                                               "aten::bitwise_or_",
                                                               "aten::bitwise_xor_",
                                                               "aten::fmod_",
                                                               "aten::gcd_",
                                                               "aten::hypot_",
                                                               "aten::igamma_",
                                                               "aten::igammac_",
                                                               "aten::nextafter_",
                                                               "aten::remainder_",
                                                               "aten::bitwise_right_shift_"};
    return names;
}

const InPlaceQuestions& questions() {
    static const InPlaceQuestions table = {
        {"aten::copy_", copy},
        {"aten::add_.Tensor", broadcast},
        {"aten::sub_.Tensor", broadcast},
        {"aten::mul_.Tensor", broadcast},
        {"aten::div_.Tensor", broadcast},
        {"aten::logical_and_", broadcast},
        {"aten::logical_or_", broadcast},
        {"aten::logical_xor_", broadcast},
        {"aten::masked_fill_.Scalar", broadcast},
        // 1 / (1 + exp(-x))
        {"aten::sigmoid_", [](const Changed& x) { x.becomes(x.of({x.of({x.primitive(x.primitive(x))})})); }},
        {"aten::clamp_", clamp},
        {"aten::clamp_min_", clamp},
        {"aten::clamp_max_", clamp},
        {"aten::deg2rad_", withNumber},
        {"aten::rad2deg_", withNumber},
        {"aten::hardtanh_", [](const Changed& x) { x.copies(hardtanhOf(x, x)); }},
        // clamp(clamp(x + 3, 0), max=6) / 6
        {"aten::hardsigmoid_", [](const Changed& x) { x.copies(x.of({hardtanhOf(x, x.of({x}))})); }},
        {"aten::hardswish_", hardswish},
        {"aten::leaky_relu_",
         [](const Changed& x) {
             x.copies(x.of({Changed::truthOf({x}), x, x.of({x})}));
         }},
        {"aten::silu_", [](const Changed& x) { x.copies(reference::emptyLike(x, x.itemSize())); }},
        // where(x > 0, scale * x, alpha * expm1(x * inputScale))
        {"aten::elu_",
         [](const Changed& x) {
             x.becomes(x.of({Changed::truthOf({x}), x.of({x}), x.of({x.primitive(x.of({x}))})}));
         }},
        {"aten::celu_", celu},
        {"aten::mish_", mish},
        {"aten::threshold_",
         [](const Changed& x) {
             x.becomes(x.of({Changed::truthOf({x}), x}));
         }},
        {"aten::nan_to_num_", nanToNum},
        {"aten::pow_.Scalar", powerOfNumber},
        {"aten::pow_.Tensor", binary},
        {"aten::addcmul_", shaped},
        {"aten::addcdiv_", shaped},
        {"aten::lerp_", shaped},
        {"aten::scatter_", scatter},
        {"aten::scatter_add_", scatter},
        {"aten::scatter_reduce_.two", scatter},
        {"aten::index_add_", indexAdd},
    };
    return table;
}

} // namespace

void checkAsInPlace(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    const std::string full = c10::toString(op.operator_name());
    for (const InPlaceQuestions* const table : {&questions(), &inPlaceReferences()}) {
        const auto exact = table->find(full);
        const auto known = exact == table->end() ? table->find(op.operator_name().name) : exact;
        if (known != table->end()) {
            known->second(Changed(arguments));
            return;
        }
    }
    if (primitives().contains(full)) {
        const Changed x(arguments);
        x.becomes(x.primitive(x));
    } else if (binaries().contains(op.operator_name().name)) {
        binary(Changed(arguments));
    }
}

} // namespace aotscope::torch
