#include "dispatch/python_functions.h"

#include "dispatch/failure.h"

#include <cmath>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

[[noreturn]] void unsupported(std::string_view name, const Args& args) {
    std::string kinds;
    for (const IValue& arg : args) {
        kinds += (kinds.empty() ? "" : ", ") + arg.tagKind();
    }
    fail("run.arguments",
         "The Python function " + std::string(name) + " is not defined for (" + kinds + ").");
}

[[noreturn]] void overflow(std::string_view name) {
    fail("run.overflow", "The result of " + std::string(name) + " does not fit into 64 bits.");
}

bool isNumber(const IValue& value) {
    return value.isInt() || value.isDouble() || value.isBool();
}
bool isInteger(const IValue& value) {
    return value.isInt() || value.isBool();
}
std::int64_t integer(const IValue& value) {
    return value.isBool() ? static_cast<std::int64_t>(value.toBool()) : value.toInt();
}
double real(const IValue& value) {
    return value.isDouble() ? value.toDouble() : static_cast<double>(integer(value));
}

/// Python's rounding of a quotient: towards minus infinity.
std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    if (b == 0) {
        fail("run.division_by_zero", "An integer was divided by zero.");
    }
    if (b == -1) {
        if (a == std::numeric_limits<std::int64_t>::min()) {
            overflow("floordiv");
        }
        return -a;
    }
    const std::int64_t quotient = a / b;
    return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

std::int64_t floorModulo(std::int64_t a, std::int64_t b) {
    if (b == -1) {
        return 0;
    }
    return a - floorDivide(a, b) * b;
}

IValue power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) {
        return std::pow(static_cast<double>(base), static_cast<double>(exponent));
    }
    std::int64_t result = 1;
    while (exponent != 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) {
            overflow("pow");
        }
        exponent >>= 1;
        if (exponent != 0 && __builtin_mul_overflow(base, base, &base)) {
            overflow("pow");
        }
    }
    return result;
}

std::optional<IValue> integerOperation(std::string_view name, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (name == "add" || name == "iadd") {
        if (__builtin_add_overflow(a, b, &result)) {
            overflow(name);
        }
        return result;
    }
    if (name == "sub" || name == "isub") {
        if (__builtin_sub_overflow(a, b, &result)) {
            overflow(name);
        }
        return result;
    }
    if (name == "mul" || name == "imul") {
        if (__builtin_mul_overflow(a, b, &result)) {
            overflow(name);
        }
        return result;
    }
    if (name == "floordiv") {
        return floorDivide(a, b);
    }
    if (name == "mod") {
        return floorModulo(a, b);
    }
    if (name == "pow") {
        return power(a, b);
    }
    if (name == "and_") {
        return a & b;
    }
    if (name == "or_") {
        return a | b;
    }
    if (name == "xor") {
        return a ^ b;
    }
    if (name == "lshift" && b >= 0 && b < 62 && std::abs(a) < (std::int64_t{1} << (62 - b))) {
        return a << b;
    }
    if (name == "rshift" && b >= 0) {
        return a >> std::min<std::int64_t>(b, 63);
    }
    return std::nullopt;
}

std::optional<IValue> realOperation(std::string_view name, double a, double b) {
    if (name == "add" || name == "iadd") {
        return a + b;
    }
    if (name == "sub" || name == "isub") {
        return a - b;
    }
    if (name == "mul" || name == "imul") {
        return a * b;
    }
    if (name == "truediv") {
        if (b == 0) {
            fail("run.division_by_zero", "A number was divided by zero.");
        }
        return a / b;
    }
    if (name == "floordiv") {
        return std::floor(a / b);
    }
    if (name == "mod") {
        return a - std::floor(a / b) * b;
    }
    if (name == "pow") {
        return std::pow(a, b);
    }
    return std::nullopt;
}

template<typename T>
std::optional<bool> comparison(std::string_view name, T a, T b) {
    if (name == "eq") {
        return a == b;
    }
    if (name == "ne") {
        return a != b;
    }
    if (name == "lt") {
        return a < b;
    }
    if (name == "le") {
        return a <= b;
    }
    if (name == "gt") {
        return a > b;
    }
    if (name == "ge") {
        return a >= b;
    }
    return std::nullopt;
}

std::optional<IValue> numberOperation(std::string_view name, const IValue& a, const IValue& b) {
    if (a.isBool() && b.isBool() && (name == "and_" || name == "or_" || name == "xor")) {
        const bool x = a.toBool();
        const bool y = b.toBool();
        return name == "and_" ? (x && y) : name == "or_" ? (x || y) : (x != y);
    }
    if (isInteger(a) && isInteger(b)) {
        if (const auto answer = comparison(name, integer(a), integer(b))) {
            return *answer;
        }
        if (auto result = integerOperation(name, integer(a), integer(b))) {
            return result;
        }
    }
    if (const auto answer = comparison(name, real(a), real(b))) {
        return *answer;
    }
    return realOperation(name, real(a), real(b));
}

/// Python's operators and the ATen overloads that do the same on tensors.
IValue tensorOperation(std::string_view name, const Args& args) {
    static const std::pair<std::string_view, std::pair<const char*, const char*>> binary[] = {
        {"add", {"aten.add.Tensor", nullptr}},
        {"sub", {"aten.sub.Tensor", "aten.rsub.Scalar"}},
        {"mul", {"aten.mul.Tensor", nullptr}},
        {"truediv", {"aten.div.Tensor", nullptr}},
        {"floordiv", {"aten.floor_divide.default", nullptr}},
        {"mod", {"aten.remainder.Tensor", "aten.remainder.Scalar_Tensor"}},
        {"pow", {"aten.pow.Tensor_Tensor", "aten.pow.Scalar"}},
        {"matmul", {"aten.matmul.default", nullptr}},
        {"and_", {"aten.bitwise_and.Tensor", nullptr}},
        {"or_", {"aten.bitwise_or.Tensor", nullptr}},
        {"xor", {"aten.bitwise_xor.Tensor", nullptr}},
        {"eq", {"aten.eq.Tensor", nullptr}},
        {"ne", {"aten.ne.Tensor", nullptr}},
        {"lt", {"aten.lt.Tensor", nullptr}},
        {"le", {"aten.le.Tensor", nullptr}},
        {"gt", {"aten.gt.Tensor", nullptr}},
        {"ge", {"aten.ge.Tensor", nullptr}},
        {"iadd", {"aten.add_.Tensor", nullptr}},
        {"isub", {"aten.sub_.Tensor", nullptr}},
        {"imul", {"aten.mul_.Tensor", nullptr}},
        {"itruediv", {"aten.div_.Tensor", nullptr}},
    };
    if (args.size() == 1) {
        if (name == "neg" || name == "abs") {
            return callAten(name == "neg" ? "aten.neg.default" : "aten.abs.default", args);
        }
        if (name == "invert") {
            return callAten("aten.bitwise_not.default", args);
        }
        if (name == "pos") {
            return args[0];
        }
    }
    if (args.size() == 2) {
        for (const auto& [python, overloads] : binary) {
            if (python != name) {
                continue;
            }
            if (!args[0].isTensor() && name == "sub") {
                return callAten(overloads.second, {args[1], args[0]});
            }
            const bool reflected = !args[0].isTensor() && overloads.second != nullptr;
            return callAten(reflected ? overloads.second : overloads.first, args);
        }
    }
    unsupported(name, args);
}

IValue getItem(const IValue& container, const IValue& key) {
    if (!key.isInt()) {
        unsupported("getitem", {container, key});
    }
    std::int64_t index = key.toInt();
    const auto pick = [&](const auto& items) -> IValue {
        const auto size = static_cast<std::int64_t>(items.size());
        if (index < 0) {
            index += size;
        }
        if (index < 0 || index >= size) {
            fail("run.index", "Element " + std::to_string(key.toInt()) + " was asked for; there are " +
                                  std::to_string(size) + ".");
        }
        return items[static_cast<std::size_t>(index)];
    };
    if (container.isTuple()) {
        return pick(container.toTupleRef().elements());
    }
    if (container.isList()) {
        return pick(container.toListRef());
    }
    if (container.isTensor() && container.toTensor().defined()) {
        return callAten("aten.select.int", {container, std::int64_t{0}, key});
    }
    unsupported("getitem", {container, key});
}

IValue toIntegerChecked(double value, std::string_view name) {
    if (!(std::abs(value) < 9.2e18)) {
        overflow(name);
    }
    return static_cast<std::int64_t>(value);
}

std::optional<IValue> unaryNumber(std::string_view name, const IValue& a) {
    if (name == "pos") {
        return isInteger(a) ? IValue(integer(a)) : a;
    }
    if (name == "neg" || name == "abs") {
        if (!isInteger(a)) {
            return name == "neg" ? -real(a) : std::abs(real(a));
        }
        const std::int64_t value = integer(a);
        if (value == std::numeric_limits<std::int64_t>::min()) {
            overflow(name);
        }
        return name == "neg" || value < 0 ? -value : value;
    }
    if (name == "not_" || name == "sym_not") {
        return isInteger(a) ? integer(a) == 0 : real(a) == 0;
    }
    if (name == "truth") {
        return isInteger(a) ? integer(a) != 0 : real(a) != 0;
    }
    if (name == "invert" && isInteger(a)) {
        return ~integer(a);
    }
    if (name == "floor" || name == "ceil" || name == "trunc" || name == "sym_int" || name == "index" ||
        name == "round") {
        if (isInteger(a)) {
            return integer(a);
        }
        const double value = real(a);
        return toIntegerChecked(name == "floor"   ? std::floor(value)
                                : name == "ceil"  ? std::ceil(value)
                                : name == "round" ? std::nearbyint(value)
                                                  : std::trunc(value),
                                name);
    }
    if (name == "sym_float") {
        return real(a);
    }
    static const std::pair<std::string_view, double (*)(double)> functions[] = {
        {"sqrt", std::sqrt}, {"exp", std::exp},     {"exp2", std::exp2}, {"log", std::log},
        {"log2", std::log2}, {"log10", std::log10}, {"sin", std::sin},   {"cos", std::cos},
        {"tan", std::tan},   {"asin", std::asin},   {"acos", std::acos}, {"atan", std::atan},
        {"sinh", std::sinh}, {"cosh", std::cosh},   {"tanh", std::tanh}, {"fabs", std::fabs},
    };
    const std::string_view plain = name.starts_with("_sym_")  ? name.substr(5)
                                   : name.starts_with("sym_") ? name.substr(4)
                                                              : name;
    for (const auto& [python, function] : functions) {
        if (python == plain) {
            return function(real(a));
        }
    }
    return std::nullopt;
}

std::optional<IValue> symbolicFunction(std::string_view name, const Args& args) {
    if ((name == "sym_max" || name == "max" || name == "sym_min" || name == "min") && args.size() == 2) {
        const bool greater = real(args[0]) >= real(args[1]);
        const bool wantsGreater = name == "sym_max" || name == "max";
        const IValue& chosen = greater == wantsGreater ? args[0] : args[1];
        // One float makes the answer a float, as in PyTorch.
        return args[0].isDouble() || args[1].isDouble() ? IValue(real(chosen)) : chosen;
    }
    if (name == "sym_ite" && args.size() == 3 && args[0].isBool()) {
        return args[0].toBool() ? args[1] : args[2];
    }
    return std::nullopt;
}

IValue symbolicSum(const IValue& items) {
    IValue total = std::int64_t{0};
    const Args list = items.isTuple()
                          ? Args(items.toTupleRef().elements().begin(), items.toTupleRef().elements().end())
                          : Args(items.toListRef().begin(), items.toListRef().end());
    for (const IValue& item : list) {
        auto sum = isNumber(item) ? numberOperation("add", total, item) : std::nullopt;
        if (!sum) {
            unsupported("sym_sum", list);
        }
        total = *sum;
    }
    return total;
}

std::string_view moduleOf(std::string_view target) {
    const std::size_t dot = target.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : target.substr(0, dot);
}

} // namespace

bool isPythonFunction(std::string_view target) {
    const std::string_view module = moduleOf(target);
    if (module == "_operator" || module == "operator" || module == "math" || module == "builtins") {
        return true;
    }
    if (module.empty()) {
        return target == "getitem" || target == "max" || target == "min" || target == "round" ||
               target == "abs";
    }
    const std::string_view name = target.substr(module.size() + 1);
    return module == "torch" && (name.starts_with("sym_") || name.starts_with("_sym_"));
}

IValue callPythonFunction(std::string_view target, const Args& args, const NamedValues& kwargs) {
    const std::size_t dot = target.rfind('.');
    const std::string_view name = dot == std::string_view::npos ? target : target.substr(dot + 1);
    if (!kwargs.empty()) {
        fail("run.arguments", "The Python function " + std::string(target) + " takes no argument \"" +
                                  kwargs.front().first + "\".");
    }
    if (name == "getitem" && args.size() == 2) {
        return getItem(args[0], args[1]);
    }
    if (name == "sym_sum" && args.size() == 1 && (args[0].isTuple() || args[0].isList())) {
        return symbolicSum(args[0]);
    }
    if (name == "round" && args.size() == 2 && args[1].isNone()) {
        return callPythonFunction(target, {args[0]}, kwargs); // to an integer
    }
    bool allNumbers = !args.empty();
    bool anyTensor = false;
    for (const IValue& arg : args) {
        allNumbers = allNumbers && isNumber(arg);
        anyTensor = anyTensor || arg.isTensor();
    }
    if (anyTensor) {
        return tensorOperation(name, args);
    }
    if (allNumbers) {
        std::optional<IValue> result = symbolicFunction(name, args);
        if (!result && args.size() == 1) {
            result = unaryNumber(name, args[0]);
        } else if (!result && args.size() == 2) {
            result = numberOperation(name, args[0], args[1]);
        }
        if (result) {
            return *result;
        }
    }
    unsupported(target, args);
}

} // namespace aotscope::torch
