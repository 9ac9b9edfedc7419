#include "trace/in_place_checks.h"

#include <ATen/WrapDimUtils.h>

namespace aotscope::torch {

namespace {

using reference::Layout;

constexpr std::int64_t indexBytes = 8;

/// `_cumsumprod_common`: the tensor, repeated for each position and masked by a triangle, is reduced.
void cumulative(const Changed& x) {
    if (x.tensor().dim() == 0) {
        return;
    }
    const auto dim = static_cast<std::size_t>(c10::maybe_wrap_dim(x.argument(1).toInt(), x.tensor().dim()));
    const Layout each = reference::unsqueeze(x, dim + 1);
    const Layout range = reference::arange(x.layout().sizes()[dim], indexBytes);
    Layout mask = Changed::truthOf({reference::unsqueeze(range, 1), range});
    for (std::size_t d = dim + 1; d < x.layout().dims(); ++d) {
        mask = reference::unsqueeze(mask, mask.dims());
    }
    std::vector<c10::SymInt> sizes = x.of({mask, each}).sizes();
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    x.becomes(reference::newStrided(sizes, x.itemSize()));
}

/// `tril`, `triu`: a mask from the comparison of row and column indices.
void triangle(const Changed& x) {
    const std::vector<c10::SymInt>& sizes = x.layout().sizes();
    const Layout columns = reference::arange(sizes[sizes.size() - 1], indexBytes);
    const Layout row = reference::unsqueeze(columns, 0);
    const Layout rows = reference::arange(sizes[sizes.size() - 2], indexBytes);
    const Layout column = reference::unsqueeze(rows, 1);
    const Layout mask = Changed::truthOf({reference::broadcastElementwise({row, column}, indexBytes)});
    x.becomes(reference::contiguousCopy(x.of({mask, x}), x.itemSize()));
}

void maskedFill(const Changed& x) {
    const Layout filled = x.of({Layout(x.argument(1).toTensor()), Layout(x.argument(2).toTensor()), x});
    x.copies(reference::contiguousCopy(filled, x.itemSize()));
}

/// `std * samples + mean`
Layout normalOf(const Changed& x) {
    return x.of({x.of({reference::newStrided(x.layout().sizes(), x.itemSize())})});
}

/// `empty_like(x).uniform_()`
Layout randomLike(const Changed& x) {
    const Layout like = reference::emptyLike(x, x.itemSize());
    reference::copyBack(like, reference::emptyStrided(like.sizes(), like.strides(), x.itemSize()));
    return like;
}

/// `-1 / rate * where(u >= 1 - epsilon, -epsilon, log(u))`
void exponential(const Changed& x) {
    const Layout u = randomLike(x);
    x.becomes(x.of({x.of({Changed::truthOf({u}), x.primitive(u)})}));
}

/// `exp(std * samples + mean)`
void logNormal(const Changed& x) {
    const Layout like = reference::emptyLike(x, x.itemSize());
    reference::copyInto(like, normalOf(x));
    x.becomes(x.primitive(x.of({x.of({like})})));
}

/// `where(x == 0, 1, sin(x) / x)` of pi times the tensor.
void sinc(const Changed& tensor) {
    const Layout x = tensor.of({tensor});
    tensor.becomes(tensor.of({Changed::truthOf({x}), tensor.of({tensor.primitive(x), x})}));
}

Layout numberLayout() {
    return {std::vector<c10::SymInt>{}, {}};
}

/// A number is a tensor without dimensions.
Layout operandOf(const c10::IValue& value) {
    return value.isTensor() ? Layout(value.toTensor()) : numberLayout();
}

/// `where(isnan(b), nan, where(a == 0, 0, a * log(b)))`
void xlogy(const Changed& a) {
    const Layout b = operandOf(a.argument(1));
    const Layout result = a.of({Changed::truthOf({a}), a.of({a, a.primitive(b)})});
    a.becomes(a.of({reference::elementwise({b, b}, Changed::truthBytes), result}));
}

/// `where(signbit(b), -abs(a), abs(a))`
Layout signedAs(const Changed& x, const Layout& isNegative, const Layout& a) {
    const Layout negated = x.primitive(x.primitive(a));
    return x.of({isNegative, negated, x.primitive(a)});
}

void copySign(const Changed& x) {
    const std::vector<Layout> operands = reference::broadcast(Changed::with({x}, x.argument(1)));
    const Layout isNegative =
        operands.size() > 1 ? reference::elementwise({operands[1]}, Changed::truthBytes) : numberLayout();
    x.becomes(signedAs(x, isNegative, operands.front()));
}

/// `log(x / (1 - x))` of the tensor between its bounds.
void logit(const Changed& a) {
    const Layout isBelow = Changed::truthOf({a});
    const Layout isAbove = Changed::truthOf({a});
    const Layout x = a.of({isBelow, a.of({isAbove, a})});
    a.copies(a.primitive(a.of({x, a.of({x})})));
}

/// `x * 0.5 * (1 + erf(x * c))`, or with `tanh(c * (x + k * x * x * x))` in place of the error function.
void gelu(const Changed& x) {
    if (x.argument(1).toStringRef() == "tanh") {
        const Layout cube = x.of({x.of({x, x}), x});
        const Layout inner = x.of({x.of({x, x.of({cube})})});
        x.copies(x.of({x.of({x}), x.of({x.primitive(inner)})}));
        return;
    }
    x.copies(x.of({x.of({x}), x.of({x.primitive(x.of({x}))})}));
}

/// `round`, with `decimals` or without, is one operator.
void round(const Changed& x) {
    x.copies(x.of({x}));
}

/// A comparison: its bools are converted to the tensor's dtype.
void compare(const Changed& x) {
    const Layout truth = Changed::truthOf(Changed::with({x}, x.argument(1)));
    const bool converts = x.tensor().scalar_type() != c10::kBool;
    x.becomes(converts ? reference::converted(truth, x.itemSize()) : truth);
}

/// Floor division: subtracts the remainder before the division, then corrects rounding errors.
Layout floorQuotient(const Changed& x, const Layout& a, const Layout& b) {
    const Layout remainder = x.of({a, b});
    const Layout quotient = x.of({x.of({a, remainder}), b});
    const Layout signsDiffer = Changed::truthOf({Changed::truthOf({a}), Changed::truthOf({b})});
    const Layout mustStep = Changed::truthOf({Changed::truthOf({remainder}), signsDiffer});
    const Layout stepped = x.of({mustStep, x.of({quotient}), quotient});
    const Layout whole = x.primitive(stepped);
    const Layout isFar = Changed::truthOf({x.of({stepped, whole})});
    const Layout nearest = x.of({isFar, x.of({whole}), whole});
    const Layout plain = x.of({a, b});
    const Layout isSome = Changed::truthOf({stepped});
    const std::vector<Layout> signs = reference::broadcast({numberLayout(), plain});
    const Layout isNegative = reference::elementwise({signs[1]}, Changed::truthBytes);
    const Layout signedQuotient = x.of({isSome, nearest, signedAs(x, isNegative, signs[0])});
    return x.of({Changed::truthOf({b}), signedQuotient, plain});
}

void floorDivide(const Changed& x) {
    if (c10::isFloatingType(x.tensor().scalar_type())) {
        const std::vector<Layout> operands = reference::broadcast({x, operandOf(x.argument(1))});
        x.becomes(floorQuotient(x, operands[0], operands[1]));
    }
}

/// `div_` with a rounding mode; the division of integers needs no rounding.
void divide(const Changed& x) {
    const c10::IValue& mode = x.argument(2);
    if (mode.isNone()) {
        return;
    }
    if (mode.toStringRef() == "floor") {
        floorDivide(x);
        return;
    }
    const Layout quotient = x.of({x, operandOf(x.argument(1))});
    const bool isWhole = c10::isIntegralType(x.tensor().scalar_type(), true);
    x.becomes(isWhole ? quotient : x.primitive(quotient));
}

/// `alpha * (left @ right) + beta * self`, as `addmm` and `addmv` compute it.
void addProduct(const Changed& x) {
    const at::Tensor& left = x.argument(1).toTensor();
    const at::Tensor& right = x.argument(2).toTensor();
    const bool byVector = right.dim() == 1;
    if (byVector) {
        static_cast<void>(left.sym_size(1).sym_eq(right.sym_size(0)));
        static_cast<void>(x.of({Layout(left), Layout(right)}));
    }
    const Layout product =
        x.of({byVector ? reference::newStrided({left.sym_size(0)}, x.itemSize())
                       : reference::empty({left.sym_size(0), right.sym_size(1)}, x.itemSize())});
    if (x.argument(3).toScalar().equal(0)) {
        x.copies(product);
        return;
    }
    if (byVector) {
        static_cast<void>(product.elements().sym_eq(0));
    }
    x.copies(x.of({product, x.of({x})}));
}

/// `baddbmm_`: compares the sizes of the batched product with those of the tensor.
void addBatchedProduct(const Changed& x) {
    const auto left = x.argument(1).toTensor().sym_sizes();
    const auto right = x.argument(2).toTensor().sym_sizes();
    static_cast<void>(right[0].sym_eq(left[0]).sym_and(right[1].sym_eq(left[2])));
    const Layout product = reference::empty({left[0], left[1], right[2]}, x.itemSize());
    static_cast<void>(reference::sameShape(x.layout().sizes(), product.sizes()));
    x.copies(product);
}

} // namespace

const InPlaceQuestions& inPlaceReferences() {
    static const InPlaceQuestions table = {
        {"aten::cumsum_", cumulative},
        {"aten::cumprod_", cumulative},
        {"aten::tril_", triangle},
        {"aten::triu_", triangle},
        {"aten::masked_fill_.Tensor", maskedFill},
        {"aten::uniform_",
         [](const Changed& x) {
             x.copies(reference::emptyStrided(x.layout().sizes(), x.layout().strides(), x.itemSize()));
         }},
        {"aten::normal_", [](const Changed& x) { x.becomes(normalOf(x)); }},
        {"aten::exponential_", exponential},
        // median + sigma * tan(pi * (u - 0.5))
        {"aten::cauchy_",
         [](const Changed& x) { x.becomes(x.of({x.of({x.primitive(x.of({x.of({randomLike(x)})}))})})); }},
        {"aten::log_normal_", logNormal},
        // floor(log1p(-u) / log1p(-p)) + 1
        {"aten::geometric_",
         [](const Changed& x) {
             x.becomes(x.of({x.primitive(x.of({x.primitive(x.primitive(randomLike(x)))}))}));
         }},
        // x - floor(abs(x)) * sign(x)
        {"aten::frac_",
         [](const Changed& x) {
             x.becomes(x.of({x, x.of({x.primitive(x.primitive(x)), x.primitive(x)})}));
         }},
        {"aten::sinc_", sinc},
        {"aten::xlogy_", xlogy},
        {"aten::copysign_", copySign},
        {"aten::logit_", logit},
        {"aten::gelu_", gelu},
        {"aten::round_", round},
        {"aten::div_.Tensor_mode", divide},
        {"aten::div_.Scalar_mode", divide},
        {"aten::floor_divide_.Scalar", floorDivide},
        {"aten::eq_", compare},
        {"aten::ne_", compare},
        {"aten::ge_", compare},
        {"aten::gt_", compare},
        {"aten::le_", compare},
        {"aten::lt_", compare},
        {"aten::baddbmm_", addBatchedProduct},
        {"aten::addmm_", addProduct},
        {"aten::addmv_", addProduct},
    };
    return table;
}

} // namespace aotscope::torch
