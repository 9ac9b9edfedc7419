#include "trace/inplace_references.h"

#include "fake/reference_layout.h"

#include <ATen/WrapDimUtils.h>

#include <unordered_map>

namespace aotscope::torch {

namespace {

using reference::Layout;
using Arguments = c10::ArrayRef<c10::IValue>;

constexpr std::int64_t truthBytes = 1;
constexpr std::int64_t indexBytes = 8;

/// The mutated tensor, with operators on it and on intermediate results; all have its element size.
class Changed {
public:
    explicit Changed(Arguments arguments)
        : m_tensor(arguments[0].toTensor()),
          m_itemSize(static_cast<std::int64_t>(m_tensor.dtype().itemsize())),
          m_layout(m_tensor) {}

    [[nodiscard]] const Layout& layout() const { return m_layout; }
    [[nodiscard]] std::int64_t itemSize() const { return m_itemSize; }
    /// An elementwise primitive on tensors of equal shape.
    [[nodiscard]] Layout primitive(const Layout& x) const { return reference::elementwise({x}, m_itemSize); }
    /// An elementwise operator that broadcasts its operands first.
    [[nodiscard]] Layout of(const std::vector<Layout>& operands) const {
        return reference::broadcastElementwise(operands, m_itemSize);
    }
    [[nodiscard]] static Layout truthOf(const std::vector<Layout>& operands) {
        return reference::broadcastElementwise(operands, truthBytes);
    }
    /// Writes the result as an out variant does.
    void becomes(const Layout& result) const { reference::copyInto(m_tensor, result); }
    /// Writes the result as a decomposition does.
    void copies(const Layout& result) const { reference::copyBack(m_tensor, result); }
    [[nodiscard]] const at::Tensor& tensor() const { return m_tensor; }

private:
    at::Tensor m_tensor;
    std::int64_t m_itemSize;
    Layout m_layout;
};

std::size_t dimensionOf(const at::Tensor& tensor, const c10::IValue& dim) {
    return static_cast<std::size_t>(c10::maybe_wrap_dim(dim.toInt(), tensor.dim()));
}

/// `_cumsumprod_common`: the tensor, repeated for each position and masked by a triangle, is reduced.
void cumulative(Arguments arguments) {
    const Changed changed(arguments);
    if (changed.tensor().dim() == 0) {
        return;
    }
    const std::size_t dim = dimensionOf(changed.tensor(), arguments[1]);
    const Layout each = reference::unsqueeze(changed.layout(), dim + 1);
    const Layout range = reference::arange(changed.layout().sizes()[dim], indexBytes);
    Layout mask = Changed::truthOf({reference::unsqueeze(range, 1), range});
    for (std::size_t d = dim + 1; d < changed.layout().dims(); ++d) {
        mask = reference::unsqueeze(mask, mask.dims());
    }
    std::vector<c10::SymInt> sizes = changed.of({mask, each}).sizes();
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(dim));
    changed.becomes(reference::newStrided(sizes, changed.itemSize()));
}

/// `tril`, `triu`: a mask from the comparison of row and column indices.
void triangle(Arguments arguments) {
    const Changed changed(arguments);
    const std::vector<c10::SymInt>& sizes = changed.layout().sizes();
    const Layout columns = reference::arange(sizes[sizes.size() - 1], indexBytes);
    const Layout row = reference::unsqueeze(columns, 0);
    const Layout rows = reference::arange(sizes[sizes.size() - 2], indexBytes);
    const Layout column = reference::unsqueeze(rows, 1);
    const Layout mask = Changed::truthOf({reference::broadcastElementwise({row, column}, indexBytes)});
    changed.becomes(reference::contiguousCopy(changed.of({mask, changed.layout()}), changed.itemSize()));
}

void maskedFill(Arguments arguments) {
    const Changed changed(arguments);
    const Layout filled =
        changed.of({Layout(arguments[1].toTensor()), Layout(arguments[2].toTensor()), changed.layout()});
    changed.copies(reference::contiguousCopy(filled, changed.itemSize()));
}

/// `uniform_`
Layout uniform(const Layout& like, std::int64_t itemSize) {
    const Layout made = reference::emptyStrided(like.sizes(), like.strides(), itemSize);
    reference::copyBack(like, made);
    return like;
}

void uniform(Arguments arguments) {
    const Changed changed(arguments);
    changed.copies(
        reference::emptyStrided(changed.layout().sizes(), changed.layout().strides(), changed.itemSize()));
}

/// `std * samples + mean`
Layout normalOf(const Changed& changed) {
    const Layout samples = reference::newStrided(changed.layout().sizes(), changed.itemSize());
    return changed.of({changed.of({samples})});
}

void normal(Arguments arguments) {
    const Changed changed(arguments);
    changed.becomes(normalOf(changed));
}

Layout randomLike(const Changed& changed) {
    return uniform(reference::emptyLike(changed.layout(), changed.itemSize()), changed.itemSize());
}

/// `-1 / rate * where(u >= 1 - epsilon, -epsilon, log(u))`
void exponential(Arguments arguments) {
    const Changed changed(arguments);
    const Layout u = randomLike(changed);
    const Layout isLarge = Changed::truthOf({u});
    changed.becomes(changed.of({changed.of({isLarge, changed.primitive(u)})}));
}

/// `median + sigma * tan(pi * (u - 0.5))`
void cauchy(Arguments arguments) {
    const Changed changed(arguments);
    const Layout angle = changed.of({changed.of({randomLike(changed)})});
    changed.becomes(changed.of({changed.of({changed.primitive(angle)})}));
}

/// `exp(std * samples + mean)`
void logNormal(Arguments arguments) {
    const Changed changed(arguments);
    const Layout like = reference::emptyLike(changed.layout(), changed.itemSize());
    reference::copyInto(like, normalOf(changed));
    changed.becomes(changed.primitive(changed.of({changed.of({like})})));
}

/// `floor(log1p(-u) / log1p(-p)) + 1`
void geometric(Arguments arguments) {
    const Changed changed(arguments);
    const Layout negated = changed.primitive(randomLike(changed));
    const Layout divided = changed.of({changed.primitive(negated)});
    changed.becomes(changed.of({changed.primitive(divided)}));
}

/// `x - floor(abs(x)) * sign(x)`
void frac(Arguments arguments) {
    const Changed changed(arguments);
    const Layout whole = changed.primitive(changed.primitive(changed.layout()));
    const Layout sign = changed.primitive(changed.layout());
    changed.becomes(changed.of({changed.layout(), changed.of({whole, sign})}));
}

/// `where(x == 0, 1, sin(x) / x)` of pi times the tensor.
void sinc(Arguments arguments) {
    const Changed changed(arguments);
    const Layout x = changed.of({changed.layout()});
    const Layout isZero = Changed::truthOf({x});
    changed.becomes(changed.of({isZero, changed.of({changed.primitive(x), x})}));
}

/// A number is a tensor without dimensions.
Layout operandOf(const c10::IValue& value) {
    return value.isTensor() ? Layout(value.toTensor()) : Layout(std::vector<c10::SymInt>{}, {});
}

/// `where(isnan(b), nan, where(a == 0, 0, a * log(b)))`
void xlogy(Arguments arguments) {
    const Changed changed(arguments);
    const Layout& a = changed.layout();
    const Layout b = operandOf(arguments[1]);
    const Layout isZero = Changed::truthOf({a});
    const Layout product = changed.of({a, changed.primitive(b)});
    const Layout result = changed.of({isZero, product});
    const Layout isNan = reference::elementwise({b, b}, truthBytes);
    changed.becomes(changed.of({isNan, result}));
}

/// `where(signbit(b), -abs(a), abs(a))`
void copySign(Arguments arguments) {
    const Changed changed(arguments);
    std::vector<Layout> operands = {changed.layout()};
    if (arguments[1].isTensor()) {
        operands.emplace_back(arguments[1].toTensor());
    }
    operands = reference::broadcast(operands);
    const Layout& a = operands.front();
    const Layout isNegative = operands.size() > 1 ? reference::elementwise({operands[1]}, truthBytes)
                                                  : Layout(std::vector<c10::SymInt>{}, {});
    const Layout negated = changed.primitive(changed.primitive(a));
    changed.becomes(changed.of({isNegative, negated, changed.primitive(a)}));
}

/// `log(x / (1 - x))` of the tensor between its bounds.
void logit(Arguments arguments) {
    const Changed changed(arguments);
    const Layout& a = changed.layout();
    const Layout isBelow = Changed::truthOf({a});
    const Layout isAbove = Changed::truthOf({a});
    const Layout x = changed.of({isBelow, changed.of({isAbove, a})});
    const Layout rest = changed.of({x});
    changed.copies(changed.primitive(changed.of({x, rest})));
}

/// `x * 0.5 * (1 + erf(x * c))`, or with `tanh(c * (x + k * x * x * x))` in place of the error function.
void gelu(Arguments arguments) {
    const Changed changed(arguments);
    const Layout& x = changed.layout();
    if (arguments[1].toStringRef() == "tanh") {
        const Layout cube = changed.of({changed.of({x, x}), x});
        const Layout inner = changed.of({changed.of({x, changed.of({cube})})});
        const Layout half = changed.of({x});
        const Layout bend = changed.of({changed.primitive(inner)});
        changed.copies(changed.of({half, bend}));
        return;
    }
    const Layout half = changed.of({x});
    const Layout bend = changed.of({changed.primitive(changed.of({x}))});
    changed.copies(changed.of({half, bend}));
}

/// `round`, with `decimals` or without, is one operator.
void round(Arguments arguments) {
    const Changed changed(arguments);
    changed.copies(changed.of({changed.layout()}));
}

/// A comparison: its bools are converted to the tensor's dtype.
void compare(Arguments arguments) {
    const Changed changed(arguments);
    std::vector<Layout> operands = {changed.layout()};
    if (arguments[1].isTensor()) {
        operands.emplace_back(arguments[1].toTensor());
    }
    const Layout truth = Changed::truthOf(operands);
    const bool converts = changed.tensor().scalar_type() != c10::kBool;
    changed.becomes(converts ? reference::converted(truth, changed.itemSize()) : truth);
}

/// Floor division: subtracts the remainder before the division, then corrects rounding errors.
Layout floorQuotient(const Changed& changed, const Layout& a, const Layout& b) {
    const Layout remainder = changed.of({a, b});
    const Layout quotient = changed.of({changed.of({a, remainder}), b});
    const Layout signsDiffer = Changed::truthOf({Changed::truthOf({a}), Changed::truthOf({b})});
    const Layout mustStep = Changed::truthOf({Changed::truthOf({remainder}), signsDiffer});
    const Layout stepped = changed.of({mustStep, changed.of({quotient}), quotient});
    const Layout whole = changed.primitive(stepped);
    const Layout isFar = Changed::truthOf({changed.of({stepped, whole})});
    const Layout nearest = changed.of({isFar, changed.of({whole}), whole});
    const Layout plain = changed.of({a, b});
    const Layout zero(std::vector<c10::SymInt>{}, {});
    const Layout isSome = Changed::truthOf({stepped});
    const std::vector<Layout> signs = reference::broadcast({zero, plain});
    const Layout isNegative = reference::elementwise({signs[1]}, truthBytes);
    const Layout negated = changed.primitive(changed.primitive(signs[0]));
    const Layout signedZero = changed.of({isNegative, negated, changed.primitive(signs[0])});
    const Layout signedQuotient = changed.of({isSome, nearest, signedZero});
    return changed.of({Changed::truthOf({b}), signedQuotient, plain});
}

void floorDivide(Arguments arguments) {
    const Changed changed(arguments);
    if (!c10::isFloatingType(changed.tensor().scalar_type())) {
        return;
    }
    const std::vector<Layout> operands = reference::broadcast({changed.layout(), operandOf(arguments[1])});
    changed.becomes(floorQuotient(changed, operands[0], operands[1]));
}

/// `div_` with a rounding mode; the division of integers needs no rounding.
void divide(Arguments arguments) {
    const Changed changed(arguments);
    const c10::IValue& mode = arguments[2];
    if (mode.isNone()) {
        return;
    }
    if (mode.toStringRef() == "floor") {
        floorDivide(arguments);
        return;
    }
    const Layout quotient = changed.of({changed.layout(), operandOf(arguments[1])});
    const bool isWhole = c10::isIntegralType(changed.tensor().scalar_type(), true);
    changed.becomes(isWhole ? quotient : changed.primitive(quotient));
}

/// `alpha * (left @ right) + beta * self`, as `addmm` and `addmv` compute it.
void addProduct(Arguments arguments) {
    const Changed changed(arguments);
    const at::Tensor& left = arguments[1].toTensor();
    const at::Tensor& right = arguments[2].toTensor();
    const bool byVector = right.dim() == 1;
    if (byVector) {
        static_cast<void>(left.sym_size(1).sym_eq(right.sym_size(0)));
        static_cast<void>(changed.of({Layout(left), Layout(right)}));
    }
    const Layout product =
        changed.of({byVector ? reference::newStrided({left.sym_size(0)}, changed.itemSize())
                             : reference::empty({left.sym_size(0), right.sym_size(1)}, changed.itemSize())});
    if (arguments[3].toScalar().equal(0)) {
        changed.copies(product);
        return;
    }
    if (byVector) {
        static_cast<void>(product.elements().sym_eq(0));
    }
    changed.copies(changed.of({product, changed.of({changed.layout()})}));
}

/// `baddbmm_`: compares the sizes of the batched product with those of the tensor.
void addBatchedProduct(Arguments arguments) {
    const Changed changed(arguments);
    const auto left = arguments[1].toTensor().sym_sizes();
    const auto right = arguments[2].toTensor().sym_sizes();
    static_cast<void>(right[0].sym_eq(left[0]).sym_and(right[1].sym_eq(left[2])));
    const Layout product = reference::empty({left[0], left[1], right[2]}, changed.itemSize());
    static_cast<void>(reference::sameShape(changed.layout().sizes(), product.sizes()));
    changed.copies(product);
}

} // namespace

InPlaceQuestions inPlaceReference(std::string_view name) {
    static const std::unordered_map<std::string_view, InPlaceQuestions> table = {
        {"aten::cumsum_", cumulative},
        {"aten::cumprod_", cumulative},
        {"aten::tril_", triangle},
        {"aten::triu_", triangle},
        {"aten::masked_fill_.Tensor", maskedFill},
        {"aten::uniform_", uniform},
        {"aten::normal_", normal},
        {"aten::exponential_", exponential},
        {"aten::cauchy_", cauchy},
        {"aten::log_normal_", logNormal},
        {"aten::geometric_", geometric},
        {"aten::frac_", frac},
        {"aten::sinc_", sinc},
        {"aten::xlogy_.Tensor", xlogy},
        {"aten::xlogy_.Scalar_Other", xlogy},
        {"aten::copysign_.Tensor", copySign},
        {"aten::copysign_.Scalar", copySign},
        {"aten::logit_", logit},
        {"aten::gelu_", gelu},
        {"aten::round_", round},
        {"aten::round_.decimals", round},
        {"aten::div_.Tensor_mode", divide},
        {"aten::div_.Scalar_mode", divide},
        {"aten::floor_divide_", floorDivide},
        {"aten::floor_divide_.Scalar", floorDivide},
        {"aten::eq_.Scalar", compare},
        {"aten::eq_.Tensor", compare},
        {"aten::ne_.Scalar", compare},
        {"aten::ne_.Tensor", compare},
        {"aten::ge_.Scalar", compare},
        {"aten::ge_.Tensor", compare},
        {"aten::gt_.Scalar", compare},
        {"aten::gt_.Tensor", compare},
        {"aten::le_.Scalar", compare},
        {"aten::le_.Tensor", compare},
        {"aten::lt_.Scalar", compare},
        {"aten::lt_.Tensor", compare},
        {"aten::baddbmm_", addBatchedProduct},
        {"aten::addmm_", addProduct},
        {"aten::addmv_", addProduct},
    };
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

} // namespace aotscope::torch
