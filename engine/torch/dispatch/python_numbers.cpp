#include "dispatch/python_numbers.h"

#include "dispatch/failure.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace aotscope::torch::python {

using c10::IValue;

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

namespace {

[[noreturn]] void overflow(std::string_view name) {
    fail("run.overflow", "The result of " + std::string(name) + " does not fit into 64 bits.");
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

/// The function of a name in a table; null: there is none.
template<typename Function, std::size_t count>
Function functionNamed(const std::pair<std::string_view, Function> (&table)[count], std::string_view name) {
    const auto* found = std::ranges::find(table, name, &std::pair<std::string_view, Function>::first);
    return found == std::end(table) ? nullptr : found->second;
}

/// "iadd" is "add" for numbers, which nothing can change.
std::string_view withoutInPlace(std::string_view name) {
    return name == "iadd" || name == "isub" || name == "imul" ? name.substr(1) : name;
}

std::optional<IValue> integerOperation(std::string_view name, std::int64_t a, std::int64_t b) {
    // True: the result does not fit.
    using Function = bool (*)(std::int64_t a, std::int64_t b, std::int64_t & result);
    constexpr std::pair<std::string_view, Function> functions[] = {
        {"add", [](auto x, auto y, auto& result) { return __builtin_add_overflow(x, y, &result); }},
        {"sub", [](auto x, auto y, auto& result) { return __builtin_sub_overflow(x, y, &result); }},
        {"mul", [](auto x, auto y, auto& result) { return __builtin_mul_overflow(x, y, &result); }},
        {"floordiv", [](auto x, auto y, auto& result) { return result = floorDivide(x, y), false; }},
        {"mod", [](auto x, auto y, auto& result) { return result = floorModulo(x, y), false; }},
        {"and_", [](auto x, auto y, auto& result) { return result = x & y, false; }},
        {"or_", [](auto x, auto y, auto& result) { return result = x | y, false; }},
        {"xor", [](auto x, auto y, auto& result) { return result = x ^ y, false; }},
    };
    if (const Function function = functionNamed(functions, withoutInPlace(name))) {
        std::int64_t result = 0;
        if (function(a, b, result)) {
            overflow(name);
        }
        return result;
    }
    if (name == "pow") {
        return power(a, b);
    }
    if (name == "lshift" && b >= 0 && b < 62 && std::abs(a) < (std::int64_t{1} << (62 - b))) {
        return a << b;
    }
    return name == "rshift" && b >= 0 ? std::optional<IValue>(a >> std::min<std::int64_t>(b, 63))
                                      : std::nullopt;
}

std::optional<IValue> realOperation(std::string_view name, double a, double b) {
    using Function = double (*)(double a, double b);
    constexpr std::pair<std::string_view, Function> functions[] = {
        {"add", [](double x, double y) { return x + y; }},
        {"sub", [](double x, double y) { return x - y; }},
        {"mul", [](double x, double y) { return x * y; }},
        {"truediv", [](double x, double y) { return x / y; }},
        {"floordiv", [](double x, double y) { return std::floor(x / y); }},
        {"mod", [](double x, double y) { return x - std::floor(x / y) * y; }},
        {"pow", [](double x, double y) { return std::pow(x, y); }},
    };
    if (name == "truediv" && b == 0) {
        fail("run.division_by_zero", "A number was divided by zero.");
    }
    const Function function = functionNamed(functions, withoutInPlace(name));
    return function == nullptr ? std::nullopt : std::optional<IValue>(function(a, b));
}

template<typename T>
std::optional<bool> comparison(std::string_view name, T a, T b) {
    using Function = bool (*)(T a, T b);
    constexpr std::pair<std::string_view, Function> functions[] = {
        {"eq", [](T x, T y) { return x == y; }}, {"ne", [](T x, T y) { return x != y; }},
        {"lt", [](T x, T y) { return x < y; }},  {"le", [](T x, T y) { return x <= y; }},
        {"gt", [](T x, T y) { return x > y; }},  {"ge", [](T x, T y) { return x >= y; }},
    };
    const Function function = functionNamed(functions, name);
    return function == nullptr ? std::nullopt : std::optional(function(a, b));
}

IValue toIntegerChecked(double value, std::string_view name) {
    if (!(std::abs(value) < 9.2e18)) {
        overflow(name);
    }
    return static_cast<std::int64_t>(value);
}

} // namespace

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
    using Function = double (*)(double);
    static const std::pair<std::string_view, Function> functions[] = {
        {"sqrt", std::sqrt}, {"exp", std::exp},     {"exp2", std::exp2}, {"log", std::log},
        {"log2", std::log2}, {"log10", std::log10}, {"sin", std::sin},   {"cos", std::cos},
        {"tan", std::tan},   {"asin", std::asin},   {"acos", std::acos}, {"atan", std::atan},
        {"sinh", std::sinh}, {"cosh", std::cosh},   {"tanh", std::tanh}, {"fabs", std::fabs},
    };
    const std::string_view plain = name.starts_with("_sym_")  ? name.substr(5)
                                   : name.starts_with("sym_") ? name.substr(4)
                                                              : name;
    const Function function = functionNamed(functions, plain);
    return function == nullptr ? std::nullopt : std::optional<IValue>(function(real(a)));
}

} // namespace aotscope::torch::python
