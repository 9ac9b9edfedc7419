#include "ops/numpy_arrays.h"
#include "ops/python_operators.h"

#include "base/text_search.h"

#include <functional>
#include <map>
#include <span>
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

struct Unary {
    /// Separated by blanks.
    std::string_view names;
    /// Integers are cast to the default float first (`_fp_unary`).
    bool inFloat = false;
    /// Torch's name; empty: the same.
    std::string_view torch = {};
};
constexpr Unary unaryUfuncs[] = {
    {"absolute bitwise_not ceil conj_physical floor isfinite isinf isnan logical_not negative positive sign "
     "signbit"},
    {"arccos arccosh arcsin arcsinh arctan arctanh cos cosh deg2rad exp exp2 expm1 log log10 log1p log2 "
     "rad2deg reciprocal sin sinh sqrt square tan tanh trunc",
     true},
    {"abs fabs", false, "absolute"},
    {"invert", false, "bitwise_not"},
    {"conjugate conj", false, "conj_physical"},
    {"neg", false, "negative"},
    {"pos", false, "positive"},
    {"fix rint", false, "round"},
    {"cbrt", true, "pow"},
    {"radians", true, "deg2rad"},
    {"degrees", true, "rad2deg"},
};

struct Binary {
    /// Separated by blanks.
    std::string_view names;
    Weak weak = Weak::Own;
    /// Torch's name; empty: the same.
    std::string_view torch = {};
};
constexpr Binary binaryUfuncs[] = {
    {"eq float_power greater greater_equal less less_equal logical_and logical_or logical_xor nextafter "
     "not_equal"},
    {"add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor divide floor_divide "
     "multiply pow remainder subtract true_divide",
     Weak::Yields},
    {"arctan2 copysign fmax fmin fmod gcd heaviside hypot lcm logaddexp logaddexp2 maximum minimum",
     Weak::YieldsAsTensor},
    {"equal", Weak::Own, "eq"},
    {"gt", Weak::Own, "greater"},
    {"ge", Weak::Own, "greater_equal"},
    {"lt", Weak::Own, "less"},
    {"le", Weak::Own, "less_equal"},
    {"iadd", Weak::Yields, "add"},
    {"and_ iand", Weak::Yields, "bitwise_and"},
    {"left_shift lshift ilshift", Weak::Yields, "bitwise_left_shift"},
    {"or_ ior", Weak::Yields, "bitwise_or"},
    {"right_shift rshift irshift", Weak::Yields, "bitwise_right_shift"},
    {"xor ixor", Weak::Yields, "bitwise_xor"},
    {"truediv itruediv", Weak::Yields, "divide"},
    {"floordiv ifloordiv", Weak::Yields, "floor_divide"},
    {"mul imul", Weak::Yields, "multiply"},
    {"power ipow", Weak::Yields, "pow"},
    {"mod imod", Weak::Yields, "remainder"},
    {"sub isub", Weak::Yields, "subtract"},
};

/// The rows by the names of their functions, each with torch's name.
template<typename Row>
using ByName = std::map<std::string, Row, std::less<>>;
template<typename Row>
ByName<Row> byName(std::span<const Row> rows) {
    ByName<Row> all;
    for (Row row : rows) {
        const bool isSame = row.torch.empty();
        for (std::string_view rest = row.names; !rest.empty();) {
            const std::string_view name = base::takePart(rest, ' ');
            row.torch = isSame ? name : row.torch;
            all.emplace("numpy." + std::string(name), row);
        }
    }
    return all;
}
const ByName<Unary>& unaryByName() {
    static const auto all = byName<Unary>(unaryUfuncs);
    return all;
}
const ByName<Binary>& binaryByName() {
    static const auto all = byName<Binary>(binaryUfuncs);
    return all;
}

/// Casts and broadcasts the result to `out` and copies it there.
Value finished(Calls& call, const Value& out, const at::Tensor& result) {
    if (out.isNone()) {
        return result;
    }
    const at::Tensor fitting = numpy::cast(call, result, out.tensor().scalar_type());
    return numpy::intoOut(call, out,
                          call.torch("broadcast_to", {fitting, Value::size(out.tensor().sym_sizes())}));
}

Value callUnary(Calls& call, const Bound& args) {
    const Unary& ufunc = unaryByName().find(args.function())->second;
    at::Tensor x = numpy::cast(call, asArray(call, args["x"]), numpy::dtypeOf(args["dtype"]));
    x = ufunc.inFloat ? numpy::castToFloat(call, x) : x;
    if (ufunc.torch == "absolute" && x.scalar_type() == c10::kBool && args.function() != "numpy.fabs") {
        return finished(call, args["out"], x);
    }
    const Value result =
        ufunc.torch == "pow" ? call.torch("pow", {x, 1.0 / 3.0}) : call.torch(ufunc.torch, {x});
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
        left = numberAs(call, left, typeOfNumber(left));
        return {left, numberAs(call, right, typeOfNumber(right))};
    }
    if (left.isTensor()) {
        return {left, besideArray(call, right, left.tensor().scalar_type(), rule)};
    }
    return {besideArray(call, left, right.tensor().scalar_type(), rule), right};
}

Value callBinary(Calls& call, const Bound& args) {
    const Binary& ufunc = binaryByName().find(args.function())->second;
    const auto [left, right] = operands(call, args, ufunc.weak);
    const Value result = call.torch(ufunc.torch, {left, right});
    // `x += y` writes into x.
    const bool inPlace = args.function().starts_with("numpy.i");
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

} // namespace
} // namespace numpy::ufuncs

FunctionFamily numpyUfuncs() {
    static const std::vector<PythonFunction> rows = [] {
        using namespace numpy::ufuncs;
        std::vector<PythonFunction> all = {
            {"numpy.ne", binaryParameters, notEqual},
            {"numpy.matmul", binaryParameters, matmul},
            {"numpy.divmod", "x1, x2, *, dtype=None", divmod},
            {"numpy.modf", "x", modf},
        };
        for (const auto& [name, ufunc] : unaryByName()) {
            all.push_back({name, unaryParameters, callUnary});
        }
        for (const auto& [name, ufunc] : binaryByName()) {
            all.push_back({name, binaryParameters, callBinary});
        }
        return all;
    }();
    return rows;
}

} // namespace aotscope::torch::ops
