#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"
#include "fake/reference_layout.h"

#include <cmath>
#include <limits>
#include <numbers>

/// Arithmetic, comparisons and functions of single elements.
namespace aotscope::torch {

namespace {

using python::FloatMath;
using python::Opmath;
using python::pointwise;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nanValue = std::numeric_limits<double>::quiet_NaN();

/// What references of two operands do first: cast and broadcast them.
Opmath castAndBroadcast(at::Tensor& left, at::Tensor& right) {
    const Opmath cast{&left, &right};
    const std::vector<at::Tensor> both = reference::broadcastTensors({left, right});
    left = both[0];
    right = both[1];
    return cast;
}

/// With `addcmul` or a scaled addition, which Inductor computes by one fused multiply-add.
at::Tensor fusedLerp(const DecompositionCall& call) {
    const at::Tensor start = call.tensor("self");
    at::Tensor end = call.tensor("end");
    const c10::MemoryFormat format = python::suggestMemoryFormat(start);
    if (format != c10::MemoryFormat::Contiguous) {
        end = end.contiguous(format);
    }
    const at::Tensor distance = end - start;
    if (call.schema().overload_name() == "Scalar") {
        const c10::Scalar given = call.scalar("weight");
        if (!given.isSymbolic()) {
            const double weight = given.toDouble();
            return weight >= 0.5 || weight <= -0.5 ? at::add(end, distance, -(1.0 - weight))
                                                   : at::add(start, distance, weight);
        }
        const c10::SymFloat weight = python::real(given);
        if (weight >= 0.5 || weight <= -0.5) {
            const c10::SymFloat rest = c10::SymFloat(1.0) - weight;
            return at::add(end, distance, c10::Scalar(c10::SymFloat(rest.toSymNodeImpl()->neg())));
        }
        return at::add(start, distance, c10::Scalar(weight));
    }
    const at::Tensor weight = call.tensor("weight");
    const at::Tensor large = weight.abs().ge(0.5);
    const at::Tensor fromEnd = -(1.0 - weight);
    const at::Tensor coefficient = at::where(large, fromEnd, weight);
    return at::addcmul(at::where(large, end, start), coefficient, distance);
}

/// `torch.real`, which leaves real tensors alone.
at::Tensor realPart(const at::Tensor& tensor) {
    return tensor.is_complex() ? at::real(tensor) : tensor;
}

at::Tensor complexLogaddexp(const at::Tensor& max, const at::Tensor& min, const at::Tensor& both) {
    const at::Tensor isNegative = realPart(min).lt(0);
    const at::Tensor smaller = at::exp(min);
    const at::Tensor ofInfinities = at::where(isNegative, min, at::log(smaller + at::exp(max)));
    const at::Tensor usual = max + at::log1p(at::exp(min - max));
    const at::Tensor result = at::where(both, ofInfinities, usual);
    return at::where(at::isnan(min), c10::Scalar(c10::complex<double>(nanValue, nanValue)), result);
}

Decomposed heaviside(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    at::Tensor values = call.tensor("values");
    const Opmath cast = castAndBroadcast(x, values);
    const at::Tensor zero = at::eq(x, 0);
    const at::Tensor below = x.lt(0);
    const at::Tensor belowOrNan = at::logical_or(below, at::isnan(x));
    return cast.back(at::where(zero, values, at::where(belowOrNan, 0, 1)));
}

Decomposed lerp(const DecompositionCall& call) {
    at::Tensor start = call.tensor("self");
    at::Tensor end = call.tensor("end");
    const bool isNumber = call.schema().overload_name() == "Scalar";
    at::Tensor weight = isNumber ? at::Tensor() : call.tensor("weight");
    const Opmath cast{&start, &end, &weight};
    if (isNumber) {
        const c10::Scalar given = call.scalar("weight");
        const bool isPlain = !given.isSymbolic() && !given.isComplex();
        weight = python::newFull(start, {},
                                 isPlain ? python::numberOf(given.toDouble(), start.scalar_type()) : given);
    }
    const at::Tensor large = weight.abs().ge(0.5);
    const at::Tensor coefficient = at::where(large, weight - 1, weight);
    const at::Tensor base = at::where(large, end, start);
    const at::Tensor output = coefficient * (end - start) + base;
    std::vector<reference::Layout> operands = {reference::Layout(start), reference::Layout(end)};
    if (!isNumber) {
        operands.emplace_back(weight);
    }
    reference::askElementwiseStrides(operands, output);
    return cast.back(output);
}

Decomposed inductorLerp(const DecompositionCall& call) {
    return call.rules().decompositions.inductorFusesMultiplyAdd ? Decomposed(fusedLerp(call)) : lerp(call);
}

Decomposed logaddexp(const DecompositionCall& call) {
    at::Tensor a = call.tensor("self");
    at::Tensor b = call.tensor("other");
    const Opmath cast = castAndBroadcast(a, b);
    const at::Tensor first = realPart(a);
    const at::Tensor mask = first.ge(realPart(b));
    const at::Tensor max = at::where(mask, a, b);
    const at::Tensor min = at::where(mask, b, a);
    const at::Tensor infinite = at::logical_not(at::isfinite(realPart(a)));
    const at::Tensor again = realPart(a);
    const at::Tensor both = at::logical_and(infinite, again.eq(realPart(b)));
    if (a.is_complex()) {
        return cast.back(complexLogaddexp(max, min, both));
    }
    return cast.back(at::where(both, a, max + at::log1p(at::exp(min - max))));
}

Decomposed logaddexp2(const DecompositionCall& call) {
    at::Tensor a = call.tensor("self");
    at::Tensor b = call.tensor("other");
    TORCH_CHECK(!a.is_complex() && !b.is_complex(), "logaddexp2 doesn't support complex dtypes");
    const Opmath cast = castAndBroadcast(a, b);
    const at::Tensor mask = a.ge(b);
    const at::Tensor max = at::where(mask, a, b);
    const at::Tensor min = at::where(mask, b, a);
    const at::Tensor infinite = at::isinf(a);
    const at::Tensor both = at::logical_and(infinite, a.eq(b));
    const at::Tensor result = max + at::log1p(at::exp2(min - max)) * (1.0 / std::numbers::ln2);
    return cast.back(at::where(both, a, result));
}

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
        return at::where(nan, nanValue, at::atan2(imaginary, at::real(x)));
    }
    const at::Tensor pi =
        at::scalar_tensor(std::numbers::pi, python::options(python::floatType(x.scalar_type()), x.device()));
    const at::Tensor result = at::where(x.lt(0), pi, 0.0);
    return at::where(at::isnan(x), nanValue, result);
}

} // namespace

void addArithmeticRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"add.Tensor"}, symbolic::quick, symbolic::askQuick, Memory::NewOfContiguous,
             InInductor{complexAdd});
    rows.add({"angle"}, shapes::angle, InInductor{angle});
    rows.add({"conj_physical"}, InInductor{[](const DecompositionCall& call) -> Decomposed {
                 const at::Tensor self = call.tensor("self");
                 return self.is_complex() ? Decomposed::notApplicable() : Decomposed(self);
             }});
    rows.add({"clamp", "clamp.Tensor"}, InInductor{decomposed::clamp});
    rows.add({"round.decimals"}, InInductor{[](const DecompositionCall& call) -> Decomposed {
                 const double power = std::pow(10.0, static_cast<double>(call.integer("decimals")));
                 return at::round(call.tensor("self") * power) * (1.0 / power);
             }});
    rows.add({"fmin"},
             InInductor{[](const DecompositionCall& call) { return decomposed::chosen(call, at::gt); }});
    rows.add({"fmax"},
             InInductor{[](const DecompositionCall& call) { return decomposed::chosen(call, at::lt); }});
    rows.add({"lcm"}, InInductor{decomposed::lcm});
    rows.add({"_foreach_addcmul.Scalar"}, InInductor{[](const DecompositionCall& call) {
                 return decomposed::foreachAddScaled(call, at::_foreach_mul);
             }});
    rows.add({"_foreach_addcdiv.Scalar"}, InInductor{[](const DecompositionCall& call) {
                 return decomposed::foreachAddScaled(call, at::_foreach_div);
             }});
    rows.add({"_foreach_lerp.Scalar", "_foreach_lerp.ScalarList"}, InInductor{decomposed::foreachLerp});
    rows.add({"heaviside"}, shapes::ledByFirst, heaviside);
    rows.add({"lerp.Scalar", "lerp.Tensor"}, InCore{lerp}, InInductor{inductorLerp});
    rows.add({"logaddexp"}, shapes::ledByFirst, logaddexp);
    rows.add({"logaddexp2"}, shapes::ledByFirst, logaddexp2);
    rows.add({"addcmul"}, InCore{decomposed::addcmul}, InInductor{decomposed::inductorAddcmul});
    rows.add({"addcdiv"}, InCore{decomposed::addcdiv}, InInductor{decomposed::inductorAddcdiv});
    rows.add({"rsub.Tensor"}, shapes::promoted, decomposed::rsub);
    rows.add({"rsub.Scalar"}, decomposed::rsub);
    rows.add({"clamp_min", "clamp_min.Tensor", "clamp_max", "clamp_max.Tensor"},
             InCore{decomposed::clampToOne});
    rows.add({"floor_divide"}, shapes::floorDivide, decomposed::floorDivide);
    rows.add({"floor_divide.Scalar"}, decomposed::floorDivide);
    rows.add({"frac"}, pointwise([](const DecompositionCall& call, const at::Tensor& x) {
                 if (call.rules().decompositions.fracTruncates) {
                     return x - at::trunc(x);
                 }
                 const at::Tensor whole = at::floor(at::abs(x));
                 return x - whole * at::sign(x);
             }));
    rows.add({"deg2rad"}, pointwise<FloatMath>([](const at::Tensor& x) {
                 return x * 0.017453292519943295769236907684886127134428718885417;
             }));
    rows.add({"rad2deg"}, pointwise<FloatMath>([](const at::Tensor& x) {
                 return x * 57.295779513082320876798154814105170332405472466564;
             }));
    rows.add({"isposinf"},
             [](const DecompositionCall& call) { return decomposed::isInfinite(call, infinity); });
    rows.add({"isneginf"},
             [](const DecompositionCall& call) { return decomposed::isInfinite(call, -infinity); });
    rows.add({"sgn"}, decomposed::sgn);
    rows.add({"sinc"}, decomposed::sinc);
    rows.add({"mvlgamma"}, shapes::contiguousFloatOfFirst, decomposed::mvlgamma);
    rows.add({"logit"}, shapes::floatOfFirst, decomposed::logit);
    rows.add({"logit_backward"}, shapes::bySelf, decomposed::logitBackward);
    rows.add({"nan_to_num"}, shapes::like<0>, decomposed::nanToNum);
    rows.add({"xlogy.Tensor"}, shapes::timesLogarithm, decomposed::xlogy);
    rows.add({"xlogy.Scalar_Self", "xlogy.Scalar_Other"}, decomposed::xlogy);
    rows.add({"special_xlog1py"}, shapes::timesLogarithm, decomposed::xlog1py);
    rows.add({"special_xlog1py.self_scalar", "special_xlog1py.other_scalar"}, decomposed::xlog1py);
    rows.add({"special_entr"}, decomposed::entr);
    rows.add({"special_log_ndtr"}, InCore{decomposed::logNdtr}, InInductor{decomposed::inductorLogNdtr});
    rows.add({"_add_relu.Tensor", "__lshift__.Scalar", "__lshift__.Tensor", "__rshift__.Scalar",
              "__rshift__.Tensor", "_standard_gamma_grad"},
             shapes::promoted);
    rows.add({"remainder.Scalar_Tensor"}, shapes::remainderOfNumber);
    rows.add({"_add_relu.Scalar"}, shapes::like<0>);
    rows.add({"pow.Tensor_Scalar"}, shapes::power);
    rows.add({"div.Tensor_mode"}, shapes::divideInMode);
    rows.add({"copysign.Tensor"}, shapes::copySign);
    rows.add({"ldexp.Tensor"}, shapes::timesPowerOfTwo);
    rows.add({"where.self_out"}, shapes::intoOut);
    rows.add({"logical_and", "logical_or", "logical_xor", "logical_not"}, shapes::toBool);
    rows.add({"abs"}, shapes::absolute);
    rows.add({"complex", "polar"}, shapes::complexOfParts);
    rows.add({"frexp.Tensor"}, shapes::frexp);
    rows.add({"_conj_physical"}, shapes::sameType);
    rows.add({"isnan"}, shapes::boolOfFirst);
    rows.add({"where.self"}, shapes::whereSelf);
    rows.add({"sub.Tensor", "mul.Tensor", "div.Tensor"}, symbolic::quick, symbolic::askQuick,
             Memory::NewOfContiguous);
}

} // namespace aotscope::torch
