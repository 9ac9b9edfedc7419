#include "trace/in_place_checks.h"

#include "fake/reference_layout.h"
#include "trace/inplace_references.h"

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

std::int64_t itemSizeOf(const at::Tensor& tensor) {
    return static_cast<std::int64_t>(tensor.dtype().itemsize());
}

/// `copy_`: checks the tensor for internal overlap, then which sizes are broadcast.
void copy(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    static_cast<void>(at::has_internal_overlap(self));
    reference::expandCopy(Layout(arguments[1].toTensor()), self.sym_sizes().vec(), itemSizeOf(self));
}

/// `check_inplace_broadcast`
void broadcast(Arguments arguments) {
    reference::broadcastShapes(
        {arguments[0].toTensor().sym_sizes().vec(), arguments[1].toTensor().sym_sizes().vec()});
}

/// A unary primitive whose result is copied back.
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

constexpr std::int64_t truthSize = 1;

/// The tensor operands of a bound; numbers are not broadcast, so they are left out.
using Bound = std::vector<Layout>;

Layout with(std::vector<Layout> operands, const Bound& bound, std::int64_t itemSize) {
    operands.insert(operands.end(), bound.begin(), bound.end());
    return reference::broadcastElementwise(operands, itemSize);
}

/// `clamp` to one bound: `where(x <= bound or x != x, x, bound)`.
Layout boundedOf(const Layout& x, const Bound& bound, std::int64_t itemSize) {
    const Layout isNan = reference::elementwise({x, x}, truthSize);
    const Layout isInside = with({x}, bound, truthSize);
    const Layout stays = reference::broadcastElementwise({isInside, isNan}, truthSize);
    return with({stays, x}, bound, itemSize);
}

void clamp(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    Layout x(self);
    for (const c10::IValue& bound : arguments.slice(1)) {
        if (!bound.isNone()) {
            x = boundedOf(x, bound.isTensor() ? Bound{Layout(bound.toTensor())} : Bound{}, itemSizeOf(self));
        }
    }
    reference::copyInto(self, x);
}

/// Decompositions copy their result back without a check of its memory size.
template<Layout (*compute)(const Layout& x, std::int64_t itemSize)>
void decomposed(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    reference::copyBack(self, compute(Layout(self), itemSizeOf(self)));
}

Layout withNumber(const Layout& x, std::int64_t itemSize) {
    return reference::broadcastElementwise({x}, itemSize);
}

Layout hardtanhOf(const Layout& x, std::int64_t itemSize) {
    return boundedOf(boundedOf(x, {}, itemSize), {}, itemSize);
}

/// `clamp(clamp(x + 3, 0), max=6) / 6`
Layout hardsigmoidOf(const Layout& x, std::int64_t itemSize) {
    return withNumber(hardtanhOf(withNumber(x, itemSize), itemSize), itemSize);
}

/// `x * clamp(clamp(x + 3, 0), max=6) / 6`
Layout hardswishOf(const Layout& x, std::int64_t itemSize) {
    const Layout bounded = hardtanhOf(withNumber(x, itemSize), itemSize);
    return withNumber(reference::broadcastElementwise({x, bounded}, itemSize), itemSize);
}

Layout leakyReluOf(const Layout& x, std::int64_t itemSize) {
    const Layout isPositive = withNumber(x, truthSize);
    return reference::broadcastElementwise({isPositive, x, withNumber(x, itemSize)}, itemSize);
}

Layout siluOf(const Layout& x, std::int64_t itemSize) {
    return reference::emptyLike(x, itemSize);
}

/// `where(x > 0, scale * x, alpha * expm1(x * inputScale))`
Layout eluOf(const Layout& x, std::int64_t itemSize) {
    const Layout isPositive = withNumber(x, truthSize);
    const Layout scaled = withNumber(x, itemSize);
    const Layout power = reference::elementwise({withNumber(x, itemSize)}, itemSize);
    const Layout below = withNumber(power, itemSize);
    return reference::broadcastElementwise({isPositive, scaled, below}, itemSize);
}

/// `where(x > 0, x, alpha * expm1(x / alpha))`; an alpha of one is left out.
Layout celuOf(const Layout& x, bool hasAlpha, std::int64_t itemSize) {
    const Layout divided = hasAlpha ? withNumber(x, itemSize) : x;
    const Layout power = reference::elementwise({divided}, itemSize);
    const Layout below = hasAlpha ? withNumber(power, itemSize) : power;
    const Layout isPositive = withNumber(x, truthSize);
    return reference::broadcastElementwise({isPositive, x, below}, itemSize);
}

/// `x * tanh(softplus(x))`
Layout mishOf(const Layout& x, std::int64_t itemSize) {
    const Layout power = reference::elementwise({x}, itemSize);
    const Layout logarithm = reference::elementwise({power}, itemSize);
    const Layout isLarge = withNumber(x, truthSize);
    const Layout softplus = reference::broadcastElementwise({isLarge, x, logarithm}, itemSize);
    return reference::broadcastElementwise({x, reference::elementwise({softplus}, itemSize)}, itemSize);
}

Layout thresholdOf(const Layout& x, std::int64_t itemSize) {
    return reference::broadcastElementwise({withNumber(x, truthSize), x}, itemSize);
}

/// `where(x != x, nan, x)`, and the same for both infinities.
Layout nanToNumOf(const Layout& x, std::int64_t itemSize) {
    const Layout isNan = reference::elementwise({x, x}, truthSize);
    Layout result = reference::broadcastElementwise({isNan, x}, itemSize);
    for (int infinity = 0; infinity < 2; ++infinity) {
        const Layout isInfinite = withNumber(x, truthSize);
        result = reference::broadcastElementwise({isInfinite, result}, itemSize);
    }
    return result;
}

template<Layout (*compute)(const Layout& x, std::int64_t itemSize)>
void referred(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    reference::copyInto(self, compute(Layout(self), itemSizeOf(self)));
}

void celu(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    const bool hasAlpha = arguments[1].toScalar().toDouble() != 1.0;
    reference::copyInto(self, celuOf(Layout(self), hasAlpha, itemSizeOf(self)));
}

/// `pow_` with a number; an exponent of 2 is computed as a product.
void powerOfNumber(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    const Layout x = reference::broadcast({Layout(self)}).front();
    const bool isSquare = arguments[1].toScalar().equal(2);
    reference::copyInto(self, isSquare ? reference::broadcastElementwise({x, x}, itemSizeOf(self))
                                       : reference::elementwise({x}, itemSizeOf(self)));
}

/// A binary primitive; the second operand may be a number.
void binary(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    const bool byTensor = arguments[1].isTensor();
    reference::copyInto(
        self,
        with({Layout(self)}, byTensor ? Bound{Layout(arguments[1].toTensor())} : Bound{}, itemSizeOf(self)));
}

/// Checks that the result of the functional operator has the shape of the mutated tensor.
void shaped(Arguments arguments) {
    const at::Tensor& self = arguments[0].toTensor();
    std::vector<Layout> operands;
    for (const c10::IValue& argument : arguments) {
        if (argument.isTensor()) {
            operands.emplace_back(argument.toTensor());
        }
    }
    const Layout made = reference::broadcastElementwise(operands, itemSizeOf(self));
    reference::broadcastShapes({self.sym_sizes().vec(), made.sizes()});
}

c10::SymInt sizeOrOne(const at::Tensor& tensor, std::int64_t dim) {
    return tensor.dim() == 0 ? c10::SymInt(1) : tensor.sym_size(dim);
}

/// Checks that the index is not larger than the tensor in other dimensions than `dim`, and not larger than
/// the values in any.
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

using Questions = void (*)(Arguments);

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
        {"aten::sigmoid_", referred<sigmoidOf>},
        {"aten::clamp_", clamp},
        {"aten::clamp_.Tensor", clamp},
        {"aten::clamp_min_", clamp},
        {"aten::clamp_min_.Tensor", clamp},
        {"aten::clamp_max_", clamp},
        {"aten::clamp_max_.Tensor", clamp},
        {"aten::deg2rad_", referred<withNumber>},
        {"aten::rad2deg_", referred<withNumber>},
        {"aten::hardtanh_", decomposed<hardtanhOf>},
        {"aten::hardsigmoid_", decomposed<hardsigmoidOf>},
        {"aten::hardswish_", decomposed<hardswishOf>},
        {"aten::leaky_relu_", decomposed<leakyReluOf>},
        {"aten::silu_", decomposed<siluOf>},
        {"aten::elu_", referred<eluOf>},
        {"aten::celu_", celu},
        {"aten::mish_", referred<mishOf>},
        {"aten::threshold_", referred<thresholdOf>},
        {"aten::nan_to_num_", referred<nanToNumOf>},
        {"aten::pow_.Scalar", powerOfNumber},
        {"aten::pow_.Tensor", binary},
        {"aten::addcmul_", shaped},
        {"aten::addcdiv_", shaped},
        {"aten::lerp_.Scalar", shaped},
        {"aten::lerp_.Tensor", shaped},
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

void checkAsInPlace(const c10::OperatorHandle& op, Arguments arguments) {
    const std::string full = c10::toString(op.operator_name());
    if (const auto known = questions().find(full); known != questions().end()) {
        known->second(arguments);
    } else if (const InPlaceQuestions reference = inPlaceReference(full)) {
        reference(arguments);
    } else if (primitives().contains(full)) {
        primitive(arguments);
    } else if (binaries().contains(op.operator_name().name)) {
        binary(arguments);
    }
}

} // namespace aotscope::torch
