#include "ops/numpy_arrays.h"
#include "ops/python_operators.h"

#include <array>
#include <utility>

/// NumPy's universal functions, and Python's operators on arrays, which call the same functions. Follows
/// torch 2.11, torch/_numpy/_ufuncs.py and torch/_dynamo/utils.py: numpy_operator_wrapper.
namespace aotscope::torch::ops {

namespace numpy::ufuncs {
namespace {

struct Unary {
    std::string_view name;
    std::string_view torch;
    /// Integers are cast to the default float first (`_fp_unary`).
    bool inFloat = false;
};
constexpr std::array unaryUfuncs = {
    Unary{"numpy.fabs", "absolute"},
    Unary{"numpy.arccos", "arccos", true},
    Unary{"numpy.arccosh", "arccosh", true},
    Unary{"numpy.arcsin", "arcsin", true},
    Unary{"numpy.arcsinh", "arcsinh", true},
    Unary{"numpy.arctan", "arctan", true},
    Unary{"numpy.arctanh", "arctanh", true},
    Unary{"numpy.bitwise_not", "bitwise_not"},
    Unary{"numpy.invert", "bitwise_not"},
    Unary{"numpy.ceil", "ceil"},
    Unary{"numpy.conjugate", "conj_physical"},
    Unary{"numpy.conj", "conj_physical"},
    Unary{"numpy.conj_physical", "conj_physical"},
    Unary{"numpy.cos", "cos", true},
    Unary{"numpy.cosh", "cosh", true},
    Unary{"numpy.deg2rad", "deg2rad", true},
    Unary{"numpy.radians", "deg2rad", true},
    Unary{"numpy.exp", "exp", true},
    Unary{"numpy.exp2", "exp2", true},
    Unary{"numpy.expm1", "expm1", true},
    Unary{"numpy.floor", "floor"},
    Unary{"numpy.isfinite", "isfinite"},
    Unary{"numpy.isinf", "isinf"},
    Unary{"numpy.isnan", "isnan"},
    Unary{"numpy.log", "log", true},
    Unary{"numpy.log10", "log10", true},
    Unary{"numpy.log1p", "log1p", true},
    Unary{"numpy.log2", "log2", true},
    Unary{"numpy.logical_not", "logical_not"},
    Unary{"numpy.negative", "negative"},
    Unary{"numpy.neg", "negative"},
    Unary{"numpy.rad2deg", "rad2deg", true},
    Unary{"numpy.degrees", "rad2deg", true},
    Unary{"numpy.reciprocal", "reciprocal", true},
    Unary{"numpy.fix", "round"},
    Unary{"numpy.rint", "round"},
    Unary{"numpy.sign", "sign"},
    Unary{"numpy.signbit", "signbit"},
    Unary{"numpy.sin", "sin", true},
    Unary{"numpy.sinh", "sinh", true},
    Unary{"numpy.sqrt", "sqrt", true},
    Unary{"numpy.square", "square", true},
    Unary{"numpy.tan", "tan", true},
    Unary{"numpy.tanh", "tanh", true},
    Unary{"numpy.trunc", "trunc", true},
    Unary{"numpy.positive", "positive"},
    Unary{"numpy.pos", "positive"},
    Unary{"numpy.absolute", "absolute"},
    Unary{"numpy.abs", "absolute"},
    Unary{"numpy.cbrt", "pow", true},
};

/// Casts and broadcasts the result to `out` and copies it there.
Value finished(Calls& call, const Bound& args, const at::Tensor& result) {
    const Value& out = args["out"];
    if (out.isNone()) {
        return result;
    }
    const at::Tensor fitting = numpy::cast(call, result, out.tensor().scalar_type());
    return numpy::intoOut(call, out,
                          call.torch("broadcast_to", {fitting, Value::size(out.tensor().sym_sizes())}));
}

template<std::size_t I>
Value callUnary(Calls& call, const Bound& args) {
    constexpr Unary ufunc = unaryUfuncs[I];
    at::Tensor x = numpy::cast(call, asArray(call, args["x"]), numpy::dtypeOf(args["dtype"]));
    x = ufunc.inFloat ? numpy::castToFloat(call, x) : x;
    if (ufunc.torch == "absolute" && x.scalar_type() == c10::kBool && ufunc.name != "numpy.fabs") {
        return finished(call, args, x);
    }
    const Value result =
        ufunc.torch == "pow" ? call.torch("pow", {x, 1.0 / 3.0}) : call.torch(ufunc.torch, {x});
    return finished(call, args, result.tensor());
}

/// How a Python number is converted next to an array.
enum class Weak : std::uint8_t {
    /// To a tensor of the number's own dtype; PyTorch's type promotion decides.
    Own,
    /// To the array's dtype when that can hold the number's kind (NEP 50).
    Yields,
    /// The same, as a tensor: PyTorch's function takes no numbers.
    YieldsAsTensor,
};
struct Binary {
    std::string_view name;
    std::string_view torch;
    Weak weak = Weak::Own;
};
constexpr std::array binaryUfuncs = {
    Binary{"numpy.add", "add", Weak::Yields},
    Binary{"numpy.iadd", "add", Weak::Yields},
    Binary{"numpy.arctan2", "arctan2", Weak::YieldsAsTensor},
    Binary{"numpy.bitwise_and", "bitwise_and", Weak::Yields},
    Binary{"numpy.and_", "bitwise_and", Weak::Yields},
    Binary{"numpy.iand", "bitwise_and", Weak::Yields},
    Binary{"numpy.bitwise_left_shift", "bitwise_left_shift", Weak::Yields},
    Binary{"numpy.left_shift", "bitwise_left_shift", Weak::Yields},
    Binary{"numpy.lshift", "bitwise_left_shift", Weak::Yields},
    Binary{"numpy.ilshift", "bitwise_left_shift", Weak::Yields},
    Binary{"numpy.bitwise_or", "bitwise_or", Weak::Yields},
    Binary{"numpy.or_", "bitwise_or", Weak::Yields},
    Binary{"numpy.ior", "bitwise_or", Weak::Yields},
    Binary{"numpy.bitwise_right_shift", "bitwise_right_shift", Weak::Yields},
    Binary{"numpy.right_shift", "bitwise_right_shift", Weak::Yields},
    Binary{"numpy.rshift", "bitwise_right_shift", Weak::Yields},
    Binary{"numpy.irshift", "bitwise_right_shift", Weak::Yields},
    Binary{"numpy.bitwise_xor", "bitwise_xor", Weak::Yields},
    Binary{"numpy.xor", "bitwise_xor", Weak::Yields},
    Binary{"numpy.ixor", "bitwise_xor", Weak::Yields},
    Binary{"numpy.copysign", "copysign", Weak::YieldsAsTensor},
    Binary{"numpy.divide", "divide", Weak::Yields},
    Binary{"numpy.true_divide", "true_divide", Weak::Yields},
    Binary{"numpy.truediv", "divide", Weak::Yields},
    Binary{"numpy.itruediv", "divide", Weak::Yields},
    Binary{"numpy.equal", "eq"},
    Binary{"numpy.eq", "eq"},
    Binary{"numpy.float_power", "float_power"},
    Binary{"numpy.floor_divide", "floor_divide", Weak::Yields},
    Binary{"numpy.floordiv", "floor_divide", Weak::Yields},
    Binary{"numpy.ifloordiv", "floor_divide", Weak::Yields},
    Binary{"numpy.fmax", "fmax", Weak::YieldsAsTensor},
    Binary{"numpy.fmin", "fmin", Weak::YieldsAsTensor},
    Binary{"numpy.fmod", "fmod", Weak::YieldsAsTensor},
    Binary{"numpy.gcd", "gcd", Weak::YieldsAsTensor},
    Binary{"numpy.greater", "greater"},
    Binary{"numpy.gt", "greater"},
    Binary{"numpy.greater_equal", "greater_equal"},
    Binary{"numpy.ge", "greater_equal"},
    Binary{"numpy.heaviside", "heaviside", Weak::YieldsAsTensor},
    Binary{"numpy.hypot", "hypot", Weak::YieldsAsTensor},
    Binary{"numpy.lcm", "lcm", Weak::YieldsAsTensor},
    Binary{"numpy.less", "less"},
    Binary{"numpy.lt", "less"},
    Binary{"numpy.less_equal", "less_equal"},
    Binary{"numpy.le", "less_equal"},
    Binary{"numpy.logaddexp", "logaddexp", Weak::YieldsAsTensor},
    Binary{"numpy.logaddexp2", "logaddexp2", Weak::YieldsAsTensor},
    Binary{"numpy.logical_and", "logical_and"},
    Binary{"numpy.logical_or", "logical_or"},
    Binary{"numpy.logical_xor", "logical_xor"},
    Binary{"numpy.maximum", "maximum", Weak::YieldsAsTensor},
    Binary{"numpy.minimum", "minimum", Weak::YieldsAsTensor},
    Binary{"numpy.multiply", "multiply", Weak::Yields},
    Binary{"numpy.mul", "multiply", Weak::Yields},
    Binary{"numpy.imul", "multiply", Weak::Yields},
    Binary{"numpy.nextafter", "nextafter"},
    Binary{"numpy.not_equal", "not_equal"},
    Binary{"numpy.power", "pow", Weak::Yields},
    Binary{"numpy.pow", "pow", Weak::Yields},
    Binary{"numpy.ipow", "pow", Weak::Yields},
    Binary{"numpy.remainder", "remainder", Weak::Yields},
    Binary{"numpy.mod", "remainder", Weak::Yields},
    Binary{"numpy.imod", "remainder", Weak::Yields},
    Binary{"numpy.subtract", "subtract", Weak::Yields},
    Binary{"numpy.sub", "subtract", Weak::Yields},
    Binary{"numpy.isub", "subtract", Weak::Yields},
};

int category(c10::ScalarType type) {
    return type == c10::kBool ? 0 : c10::isIntegralType(type, false) ? 1 : c10::isFloatingType(type) ? 2 : 3;
}

c10::ScalarType typeOfNumber(const Value& number) {
    return number.isBool()    ? c10::kBool
           : number.isInt()   ? c10::kLong
           : number.isFloat() ? c10::kDouble
                              : c10::kComplexDouble;
}

at::Tensor numberAs(Calls& call, const Value& number, c10::ScalarType type) {
    return call.function("torch.as_tensor", {number}, {{"dtype", type}}).tensor();
}

/// _dtypes_impl.nep50_to_tensors, for the number `weak` next to an array.
Value besideArray(Calls& call, const Value& weak, c10::ScalarType array, Weak rule) {
    const c10::ScalarType own = typeOfNumber(weak);
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
    const auto read = [&](const Value& given) {
        return given.isNumber() ? given : Value(asArray(call, given));
    };
    Value left = read(args["x1"]);
    Value right = read(args["x2"]);
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
        left = numberAs(call, left, typeOfNumber(left));
        return {left, numberAs(call, right, typeOfNumber(right))};
    }
    if (left.isTensor()) {
        return {left, besideArray(call, right, left.tensor().scalar_type(), rule)};
    }
    return {besideArray(call, left, right.tensor().scalar_type(), rule), right};
}

template<std::size_t I>
Value callBinary(Calls& call, const Bound& args) {
    constexpr Binary ufunc = binaryUfuncs[I];
    const auto [left, right] = operands(call, args, ufunc.weak);
    const Value result = call.torch(ufunc.torch, {left, right});
    // `x += y` writes into x.
    constexpr bool inPlace = ufunc.name[std::string_view("numpy.").size()] == 'i';
    if constexpr (inPlace) {
        const at::Tensor& target = args.tensor("x1");
        const at::Tensor fitting = numpy::cast(call, result.tensor(), target.scalar_type());
        return numpy::intoOut(call, target,
                              call.torch("broadcast_to", {fitting, Value::size(target.sym_sizes())}));
    }
    return finished(call, args, result.tensor());
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
    return finished(call, args, numpy::cast(call, call.torch("matmul", {both[0], both[1]}).tensor(), type));
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

template<std::size_t... I>
void addUnary(std::vector<PythonFunction>& rows, std::index_sequence<I...> /*all*/) {
    (rows.push_back({unaryUfuncs[I].name, unaryParameters, callUnary<I>}), ...);
}
template<std::size_t... I>
void addBinary(std::vector<PythonFunction>& rows, std::index_sequence<I...> /*all*/) {
    (rows.push_back({binaryUfuncs[I].name, binaryParameters, callBinary<I>}), ...);
}

} // namespace
} // namespace numpy::ufuncs

FunctionFamily numpyUfuncs() {
    static const std::vector<PythonFunction> rows = [] {
        std::vector<PythonFunction> all = {
            {"numpy.ne", numpy::ufuncs::binaryParameters, numpy::ufuncs::notEqual},
            {"numpy.matmul", numpy::ufuncs::binaryParameters, numpy::ufuncs::matmul},
            {"numpy.divmod", "x1, x2, *, dtype=None", numpy::ufuncs::divmod},
            {"numpy.modf", "x", numpy::ufuncs::modf},
        };
        numpy::ufuncs::addUnary(all, std::make_index_sequence<numpy::ufuncs::unaryUfuncs.size()>());
        numpy::ufuncs::addBinary(all, std::make_index_sequence<numpy::ufuncs::binaryUfuncs.size()>());
        return all;
    }();
    return rows;
}

} // namespace aotscope::torch::ops
