#include "ir/symbolic/tree.h"

#include <cmath>
#include <limits>

namespace aotscope::ir {

namespace {

__extension__ using Wide = __int128;

/// A number as in sympy: an exact fraction, or a double after an operation with a float.
struct Number {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
    double real = 0;
    bool exact = true;
    bool truth = false; ///< A boolean; numerator is 0 or 1.

    [[nodiscard]] double toReal() const {
        return exact ? static_cast<double>(numerator) / static_cast<double>(denominator) : real;
    }
    [[nodiscard]] bool isInteger() const { return exact && denominator == 1; }
    [[nodiscard]] bool isTrue() const { return exact ? numerator != 0 : real != 0; }
};

struct Failure {
    std::string code;
    std::string message;
};

Number realNumber(double value) {
    Number number;
    number.exact = false;
    number.real = value;
    return number;
}

Number truthNumber(bool value) {
    Number number;
    number.numerator = value ? 1 : 0;
    number.truth = true;
    return number;
}

/// Thrown and caught within this file: the recursion has one result type and many ways to fail.
[[noreturn]] void failOverflow() {
    throw Failure{"ir.symbol_overflow", "a value does not fit into 64 bits"};
}
[[noreturn]] void failDivision() {
    throw Failure{"ir.symbol_division", "division by zero"};
}

std::int64_t narrow(Wide value) {
    if (value > std::numeric_limits<std::int64_t>::max() ||
        value < std::numeric_limits<std::int64_t>::min()) {
        failOverflow();
    }
    return static_cast<std::int64_t>(value);
}

Wide greatestCommonDivisor(Wide a, Wide b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

Number fraction(Wide numerator, Wide denominator) {
    if (denominator == 0) {
        failDivision();
    }
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    const Wide divisor = greatestCommonDivisor(numerator, denominator);
    Number number;
    number.numerator = narrow(numerator / divisor);
    number.denominator = narrow(denominator / divisor);
    return number;
}

Number integer(Wide value) {
    return fraction(value, 1);
}

Number fromReal(double rounded) {
    if (!(std::abs(rounded) < 9.2e18)) {
        failOverflow();
    }
    return integer(static_cast<std::int64_t>(rounded));
}

Wide floorDivide(Wide a, Wide b) {
    if (b == 0) {
        failDivision();
    }
    const Wide quotient = a / b;
    return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

Number add(const Number& a, const Number& b) {
    if (!a.exact || !b.exact) {
        return realNumber(a.toReal() + b.toReal());
    }
    // Fast path without fractions; integers cannot overflow 128 bits here.
    if (a.denominator == 1 && b.denominator == 1) {
        return integer(Wide(a.numerator) + b.numerator);
    }
    Wide left = 0;
    Wide right = 0;
    Wide sum = 0;
    if (__builtin_mul_overflow(Wide(a.numerator), Wide(b.denominator), &left) ||
        __builtin_mul_overflow(Wide(b.numerator), Wide(a.denominator), &right) ||
        __builtin_add_overflow(left, right, &sum)) {
        failOverflow();
    }
    return fraction(sum, Wide(a.denominator) * b.denominator);
}

Number multiply(const Number& a, const Number& b) {
    if (!a.exact || !b.exact) {
        return realNumber(a.toReal() * b.toReal());
    }
    return fraction(Wide(a.numerator) * b.numerator, Wide(a.denominator) * b.denominator);
}

Number negate(const Number& a) {
    return a.exact ? fraction(-Wide(a.numerator), a.denominator) : realNumber(-a.real);
}

Number divide(const Number& a, const Number& b) {
    if (!a.exact || !b.exact) {
        if (b.toReal() == 0) {
            failDivision();
        }
        return realNumber(a.toReal() / b.toReal());
    }
    return fraction(Wide(a.numerator) * b.denominator, Wide(a.denominator) * b.numerator);
}

Number floorOf(const Number& a) {
    return a.exact ? integer(floorDivide(a.numerator, a.denominator)) : fromReal(std::floor(a.real));
}

Number ceilingOf(const Number& a) {
    return a.exact ? integer(-floorDivide(-Wide(a.numerator), a.denominator)) : fromReal(std::ceil(a.real));
}

Number truncate(const Number& a) {
    return a.exact ? integer(Wide(a.numerator) / a.denominator) : fromReal(std::trunc(a.real));
}

/// Rounds half to even, as Python's round.
Number roundOf(const Number& a) {
    return fromReal(std::nearbyint(a.toReal()));
}

Number roundDecimal(const Number& a, const Number& digits) {
    const double scale = std::pow(10.0, digits.toReal());
    return realNumber(std::nearbyint(a.toReal() * scale) / scale);
}

Number modulo(const Number& a, const Number& b) {
    return add(a, negate(multiply(b, floorOf(divide(a, b)))));
}

Number power(Number base, const Number& exponent) {
    if (!base.exact || !exponent.isInteger()) {
        return realNumber(std::pow(base.toReal(), exponent.toReal()));
    }
    std::int64_t count = exponent.numerator;
    if (count < 0) {
        base = divide(integer(1), base);
        count = count == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max()
                                                                  : -count;
    }
    Number result = integer(1);
    while (count > 0) {
        if ((count & 1) != 0) {
            result = multiply(result, base);
        }
        count >>= 1;
        if (count > 0) {
            base = multiply(base, base);
        }
    }
    return result;
}

/// -1, 0, 1; 2: unordered (NaN).
int compare(const Number& a, const Number& b) {
    if (a.exact && b.exact) {
        const Wide left = Wide(a.numerator) * b.denominator;
        const Wide right = Wide(b.numerator) * a.denominator;
        return left < right ? -1 : (left > right ? 1 : 0);
    }
    const double left = a.toReal();
    const double right = b.toReal();
    return std::isnan(left) || std::isnan(right) ? 2 : (left < right ? -1 : (left > right ? 1 : 0));
}

Number shift(const Number& a, const Number& by, bool left) {
    if (!a.isInteger() || !by.isInteger() || by.numerator < 0) {
        throw Failure{"ir.symbol_syntax", "a shift needs integers and a non-negative count"};
    }
    if (!left) {
        return integer(by.numerator > 63 ? (a.numerator < 0 ? -1 : 0) : a.numerator >> by.numerator);
    }
    if (by.numerator > 63 && a.numerator != 0) {
        failOverflow();
    }
    return by.numerator > 63 ? integer(0) : integer(Wide(a.numerator) * (Wide(1) << by.numerator));
}

/// And, Or, Xor: logical for booleans, bitwise for integers.
Number bitOperation(SymFunction function, const Number& a, const Number& b) {
    const auto apply = [function](std::int64_t x, std::int64_t y) {
        return function == SymFunction::And ? (x & y) : (function == SymFunction::Or ? (x | y) : (x ^ y));
    };
    if (a.truth && b.truth) {
        return truthNumber(apply(a.numerator, b.numerator) != 0);
    }
    if (!a.isInteger() || !b.isInteger()) {
        throw Failure{"ir.symbol_syntax", "a logical operator needs truth values or integers"};
    }
    return integer(apply(a.numerator, b.numerator));
}

class Evaluator {
public:
    explicit Evaluator(const SymbolBindings& bindings) : m_bindings(bindings) {}

    [[nodiscard]] Number evaluate(const SymExprNode& node) const {
        switch (node.function) {
        case SymFunction::Constant:
            return constant(node);
        case SymFunction::Symbol:
            return symbol(node.name);
        case SymFunction::Unknown:
            throw Failure{"ir.symbol_syntax", "the function " + node.name + " is not known"};
        case SymFunction::Where:
            return evaluate(node.children[evaluate(node.children[0]).isTrue() ? 1 : 2]);
        case SymFunction::Piecewise:
            return piecewise(node);
        case SymFunction::Tuple:
            throw Failure{"ir.symbol_syntax", "a tuple stands where a value is expected"};
        default:
            return node.children.size() == 1 ? ofOne(node, evaluate(node.children[0])) : ofSeveral(node);
        }
    }

private:
    static Number constant(const SymExprNode& node) {
        if (const auto* value = std::get_if<std::int64_t>(&node.constant)) {
            return integer(*value);
        }
        if (const auto* value = std::get_if<double>(&node.constant)) {
            return realNumber(*value);
        }
        return truthNumber(std::get<bool>(node.constant));
    }

    [[nodiscard]] Number symbol(const std::string& name) const {
        const auto bound = m_bindings.find(name);
        if (bound == m_bindings.end()) {
            throw Failure{"ir.symbol_unbound", "the symbol " + name + " has no value"};
        }
        return integer(bound->second);
    }

    [[nodiscard]] Number piecewise(const SymExprNode& node) const {
        for (const SymExprNode& piece : node.children) {
            if (piece.function != SymFunction::Tuple || piece.children.size() != 2) {
                throw Failure{"ir.symbol_syntax", "a piece of Piecewise is not a (value, condition) pair"};
            }
            if (evaluate(piece.children[1]).isTrue()) {
                return evaluate(piece.children[0]);
            }
        }
        throw Failure{"ir.symbol_syntax", "no piece of Piecewise applies"};
    }

    static Number ofOne(const SymExprNode& node, const Number& a) {
        switch (node.function) {
        case SymFunction::Negate:
            return negate(a);
        case SymFunction::Not:
            return a.truth ? truthNumber(a.numerator == 0) : add(negate(a), integer(-1));
        case SymFunction::Absolute:
            return compare(a, integer(0)) < 0 ? negate(a) : a;
        case SymFunction::Sign:
            return integer(compare(a, integer(0)));
        case SymFunction::Floor:
            return floorOf(a);
        case SymFunction::Ceiling:
            return ceilingOf(a);
        case SymFunction::Truncate:
            return truncate(a);
        case SymFunction::TruncateToFloat:
            return realNumber(std::trunc(a.toReal()));
        case SymFunction::Round:
            return roundOf(a);
        case SymFunction::ToFloat:
            return realNumber(a.toReal());
        case SymFunction::Real:
            return realNumber(node.real(a.toReal()));
        default: // Identity, and Max, Min, And, Or, Add of one argument.
            return a;
        }
    }

    [[nodiscard]] Number ofSeveral(const SymExprNode& node) const {
        if (node.children.empty()) {
            throw Failure{"ir.symbol_syntax", "a function without arguments"};
        }
        if (node.function == SymFunction::ModularIndexing) {
            return modulo(floorOf(divide(evaluate(node.children[0]), evaluate(node.children[1]))),
                          evaluate(node.children[2]));
        }
        Number result = evaluate(node.children[0]);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
            result = ofTwo(node.function, result, evaluate(node.children[i]));
        }
        return result;
    }

    static Number ofTwo(SymFunction function, const Number& a, const Number& b) {
        switch (function) {
        case SymFunction::Add:
            return add(a, b);
        case SymFunction::Multiply:
            return multiply(a, b);
        case SymFunction::Divide:
            return divide(a, b);
        case SymFunction::FloorDivide:
            return floorOf(divide(a, b));
        case SymFunction::CeilDivide:
            return ceilingOf(divide(a, b));
        case SymFunction::Modulo:
            return modulo(a, b);
        case SymFunction::Power:
            return power(a, b);
        case SymFunction::Max:
            return compare(a, b) < 0 ? b : a;
        case SymFunction::Min:
            return compare(a, b) == 1 ? b : a;
        case SymFunction::Equal:
            return truthNumber(compare(a, b) == 0);
        case SymFunction::NotEqual:
            return truthNumber(compare(a, b) != 0);
        case SymFunction::Less:
            return truthNumber(compare(a, b) == -1);
        case SymFunction::LessEqual:
            return truthNumber(compare(a, b) <= 0);
        case SymFunction::Greater:
            return truthNumber(compare(a, b) == 1);
        case SymFunction::GreaterEqual:
            return truthNumber(compare(a, b) == 0 || compare(a, b) == 1);
        case SymFunction::ShiftLeft:
        case SymFunction::ShiftRight:
            return shift(a, b, function == SymFunction::ShiftLeft);
        case SymFunction::RoundDecimal:
            return roundDecimal(a, b);
        default:
            return bitOperation(function, a, b);
        }
    }

    const SymbolBindings& m_bindings;
};

} // namespace

base::Result<SymbolValue> evaluateSymbolic(const SymExprNode& tree, const SymbolBindings& bindings) {
    try {
        const Number number = Evaluator(bindings).evaluate(tree);
        if (number.truth) {
            return SymbolValue(number.numerator != 0);
        }
        return number.isInteger() ? SymbolValue(number.numerator) : SymbolValue(number.toReal());
    } catch (const Failure& failure) {
        return base::Error{.code = failure.code,
                           .message = "The symbolic expression has no value: " + failure.message + "."};
    }
}

} // namespace aotscope::ir
