#include "dispatch/python_numbers.h"

#include "dispatch/failure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

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

} // namespace aotscope::torch::python
