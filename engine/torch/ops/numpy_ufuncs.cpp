#include "ops/numpy_arrays.h"
#include "ops/python_operators.h"

#include <utility>

/// NumPy's universal functions, and Python's operators on arrays, which call the same functions. Follows
/// torch 2.11, torch/_numpy/_ufuncs.py and torch/_dynamo/utils.py: numpy_operator_wrapper.
namespace aotscope::torch::ops {

namespace numpy::ufuncs {
namespace {

/// How a Python number is converted next to an array.
enum class Weak : std::uint8_t {
    /// To a tensor of the number's own dtype; PyTorch's type promotion decides.
    Own,
    /// To the array's dtype when that can hold the number's kind (NEP 50).
    Yields,
    /// The same, as a tensor: PyTorch's function takes no numbers.
    YieldsAsTensor,
};

/// Casts and broadcasts the result to `out` and copies it there.
Value finished(Calls& call, const Value& out, const at::Tensor& result) {
    if (out.isNone()) {
        return result;
    }
    const at::Tensor fitting = numpy::cast(call, result, out.tensor().scalar_type());
    return numpy::intoOut(call, out,
                          call.torch("broadcast_to", {fitting, Value::size(out.tensor().sym_sizes())}));
}

/// The body of a function of one array. `InFloat`: integers are cast to the default float first
/// (`_fp_unary`).
template<bool InFloat, FixedText Op = sameName>
Value unary(Calls& call, const Bound& args) {
    const std::string_view op = operatorOf<Op>(args);
    at::Tensor x = numpy::cast(call, asArray(call, args["x"]), numpy::dtypeOf(args["dtype"]));
    x = InFloat ? numpy::castToFloat(call, x) : x;
    if (op == "absolute" && x.scalar_type() == c10::kBool && args.ownName() != "fabs") {
        return finished(call, args["out"], x);
    }
    const Value result = op == "pow" ? call.torch("pow", {x, 1.0 / 3.0}) : call.torch(op, {x});
    return finished(call, args["out"], result.tensor());
}

int category(c10::ScalarType type) {
    return type == c10::kBool ? 0 : c10::isIntegralType(type, false) ? 1 : c10::isFloatingType(type) ? 2 : 3;
}

at::Tensor numberAs(Calls& call, const Value& number, c10::ScalarType type) {
    return call.function("torch.as_tensor", {number}, {{"dtype", type}}).tensor();
}

/// _dtypes_impl.nep50_to_tensors, for the number `weak` next to an array.
Value besideArray(Calls& call, const Value& weak, c10::ScalarType array, Weak rule) {
    const c10::ScalarType own = typeOf(weak);
    if (rule == Weak::Own) {
        return numberAs(call, weak, own);
    }
    std::optional<c10::ScalarType> taken;
    if (category(own) <= category(array)) {
        taken = array;
    } else if (own == c10::kComplexDouble && array == c10::kFloat) {
        taken = c10::kComplexFloat;
    }
    return own != taken || rule == Weak::YieldsAsTensor ? Value(numberAs(call, weak, taken.value_or(own)))
                                                        : weak;
}

std::pair<Value, Value> operands(Calls& call, const Bound& args, Weak rule) {
    Value left = numpy::asOperand(call, args["x1"]);
    Value right = numpy::asOperand(call, args["x2"]);
    if (const auto dtype = numpy::dtypeOf(args["dtype"])) {
        const auto fitted = [&](const Value& value) -> Value {
            return value.isTensor() ? numpy::cast(call, value.tensor(), dtype)
                                    : numberAs(call, value, *dtype);
        };
        left = fitted(left);
        return {left, fitted(right)};
    }
    if (left.isTensor() && right.isTensor()) {
        const auto both = numpy::promoted(call, {left.tensor(), right.tensor()});
        return {both[0], both[1]};
    }
    if (!left.isTensor() && !right.isTensor()) {
        left = numberAs(call, left, typeOf(left));
        return {left, numberAs(call, right, typeOf(right))};
    }
    if (left.isTensor()) {
        return {left, besideArray(call, right, left.tensor().scalar_type(), rule)};
    }
    return {besideArray(call, left, right.tensor().scalar_type(), rule), right};
}

template<Weak Rule, FixedText Op = sameName>
Value binary(Calls& call, const Bound& args) {
    const auto [left, right] = operands(call, args, Rule);
    const Value result = call.torch(operatorOf<Op>(args), {left, right});
    // `x += y` writes into x.
    const bool inPlace = args.ownName().starts_with('i');
    return finished(call, inPlace ? Value(args.tensor("x1")) : args["out"], result.tensor());
}

Value notEqual(Calls& call, const Bound& args) {
    const auto [left, right] = operands(call, args, Weak::Own);
    return call.torch("bitwise_not", {call.torch("eq", {left, right})});
}

/// LibTorch has no matmul for bools, and on the CPU none for halves.
Value matmul(Calls& call, const Bound& args) {
    std::vector<at::Tensor> both{asArray(call, args["x1"]), asArray(call, args["x2"])};
    const c10::ScalarType type = numpy::dtypeOf(args["dtype"]).value_or(numpy::resultType(both));
    const bool isHalf = (both[0].scalar_type() == c10::kHalf || both[1].scalar_type() == c10::kHalf) &&
                        (both[0].is_cpu() || both[1].is_cpu());
    const c10::ScalarType work = isHalf ? c10::kFloat : type == c10::kBool ? c10::kByte : type;
    both = numpy::promoted(call, numpy::promoted(call, std::move(both), type), work);
    return finished(call, args["out"],
                    numpy::cast(call, call.torch("matmul", {both[0], both[1]}).tensor(), type));
}

Value divmod(Calls& call, const Bound& args) {
    const auto both = numpy::promoted(call, {asArray(call, args["x1"]), asArray(call, args["x2"])},
                                      numpy::dtypeOf(args["dtype"]));
    const Values operands{both[0], both[1]};
    const Value quotient = callPythonOperator(call, "floordiv", operands);
    return Value::tuple({quotient, callPythonOperator(call, "mod", operands)});
}

Value modf(Calls& call, const Bound& args) {
    const auto both = numpy::promoted(call, {asArray(call, args["x"]), asArray(call, 1)});
    const Values operands{both[0], both[1]};
    const Value quotient = callPythonOperator(call, "floordiv", operands);
    return Value::tuple({callPythonOperator(call, "mod", operands), quotient});
}

constexpr std::string_view unaryParameters = "x, out=None, *, dtype=None";
constexpr std::string_view binaryParameters = "x1, x2, out=None, *, dtype=None";

const PythonFunction table[] = {
    {"numpy.ne", binaryParameters, notEqual},
    {"numpy.matmul", binaryParameters, matmul},
    {"numpy.divmod", "x1, x2, *, dtype=None", divmod},
    {"numpy.modf", "x", modf},
    {"numpy.absolute bitwise_not ceil conj_physical floor isfinite isinf isnan logical_not negative positive "
     "sign signbit",
     unaryParameters, unary<false>},
    {"numpy.arccos arccosh arcsin arcsinh arctan arctanh cos cosh deg2rad exp exp2 expm1 log log10 log1p "
     "log2 "
     "rad2deg reciprocal sin sinh sqrt square tan tanh trunc",
     unaryParameters, unary<true>},
    {"numpy.abs fabs", unaryParameters, unary<false, "absolute">},
    {"numpy.invert", unaryParameters, unary<false, "bitwise_not">},
    {"numpy.conjugate conj", unaryParameters, unary<false, "conj_physical">},
    {"numpy.neg", unaryParameters, unary<false, "negative">},
    {"numpy.pos", unaryParameters, unary<false, "positive">},
    {"numpy.fix rint", unaryParameters, unary<false, "round">},
    {"numpy.cbrt", unaryParameters, unary<true, "pow">},
    {"numpy.radians", unaryParameters, unary<true, "deg2rad">},
    {"numpy.degrees", unaryParameters, unary<true, "rad2deg">},
    {"numpy.eq float_power greater greater_equal less less_equal logical_and logical_or logical_xor "
     "nextafter "
     "not_equal",
     binaryParameters, binary<Weak::Own>},
    {"numpy.add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor divide "
     "floor_divide multiply pow remainder subtract true_divide",
     binaryParameters, binary<Weak::Yields>},
    {"numpy.arctan2 copysign fmax fmin fmod gcd heaviside hypot lcm logaddexp logaddexp2 maximum minimum",
     binaryParameters, binary<Weak::YieldsAsTensor>},
    {"numpy.equal", binaryParameters, binary<Weak::Own, "eq">},
    {"numpy.gt", binaryParameters, binary<Weak::Own, "greater">},
    {"numpy.ge", binaryParameters, binary<Weak::Own, "greater_equal">},
    {"numpy.lt", binaryParameters, binary<Weak::Own, "less">},
    {"numpy.le", binaryParameters, binary<Weak::Own, "less_equal">},
    {"numpy.iadd", binaryParameters, binary<Weak::Yields, "add">},
    {"numpy.and_ iand", binaryParameters, binary<Weak::Yields, "bitwise_and">},
    {"numpy.left_shift lshift ilshift", binaryParameters, binary<Weak::Yields, "bitwise_left_shift">},
    {"numpy.or_ ior", binaryParameters, binary<Weak::Yields, "bitwise_or">},
    {"numpy.right_shift rshift irshift", binaryParameters, binary<Weak::Yields, "bitwise_right_shift">},
    {"numpy.xor ixor", binaryParameters, binary<Weak::Yields, "bitwise_xor">},
    {"numpy.truediv itruediv", binaryParameters, binary<Weak::Yields, "divide">},
    {"numpy.floordiv ifloordiv", binaryParameters, binary<Weak::Yields, "floor_divide">},
    {"numpy.mul imul", binaryParameters, binary<Weak::Yields, "multiply">},
    {"numpy.power ipow", binaryParameters, binary<Weak::Yields, "pow">},
    {"numpy.mod imod", binaryParameters, binary<Weak::Yields, "remainder">},
    {"numpy.sub isub", binaryParameters, binary<Weak::Yields, "subtract">},
};

} // namespace
} // namespace numpy::ufuncs

constinit const FunctionFamily numpyUfuncs = numpy::ufuncs::table;

} // namespace aotscope::torch::ops
