#pragma once

#include "ir/symbolic/tree.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

/// The functions and constants of symbolic expressions by name: those of sympy, PyTorch and Python. Follows
/// torch 2.11, torch/utils/_sympy/functions.py (FloorDiv, Mod, …) and torch/utils/_sympy/numbers.py (int_oo).
namespace aotscope::ir {

struct NamedFunction {
    std::string_view name;
    SymFunction function;
    int minArguments;
    int maxArguments;
};

inline constexpr int anyNumber = std::numeric_limits<int>::max();

inline constexpr std::array namedFunctions{
    NamedFunction{"Max", SymFunction::Max, 1, anyNumber},
    NamedFunction{"max", SymFunction::Max, 1, anyNumber},
    NamedFunction{"Min", SymFunction::Min, 1, anyNumber},
    NamedFunction{"min", SymFunction::Min, 1, anyNumber},
    NamedFunction{"Mod", SymFunction::Modulo, 2, 2},
    NamedFunction{"PythonMod", SymFunction::Modulo, 2, 2},
    NamedFunction{"FloorDiv", SymFunction::FloorDivide, 2, 2},
    NamedFunction{"CleanDiv", SymFunction::FloorDivide, 2, 2},
    NamedFunction{"CeilDiv", SymFunction::CeilDivide, 2, 2},
    NamedFunction{"ModularIndexing", SymFunction::ModularIndexing, 3, 3},
    NamedFunction{"Identity", SymFunction::Identity, 1, 1},
    NamedFunction{"Eq", SymFunction::Equal, 2, 2},
    NamedFunction{"Ne", SymFunction::NotEqual, 2, 2},
    NamedFunction{"Lt", SymFunction::Less, 2, 2},
    NamedFunction{"Le", SymFunction::LessEqual, 2, 2},
    NamedFunction{"Gt", SymFunction::Greater, 2, 2},
    NamedFunction{"Ge", SymFunction::GreaterEqual, 2, 2},
    NamedFunction{"And", SymFunction::And, 1, anyNumber},
    NamedFunction{"Or", SymFunction::Or, 1, anyNumber},
    NamedFunction{"Xor", SymFunction::Xor, 2, anyNumber},
    NamedFunction{"Not", SymFunction::Not, 1, 1},
    NamedFunction{"BitwiseFn_bitwise_and", SymFunction::And, 2, 2},
    NamedFunction{"BitwiseFn_bitwise_or", SymFunction::Or, 2, 2},
    NamedFunction{"BitwiseFn_bitwise_xor", SymFunction::Xor, 2, 2},
    NamedFunction{"Abs", SymFunction::Absolute, 1, 1},
    NamedFunction{"abs", SymFunction::Absolute, 1, 1},
    NamedFunction{"sign", SymFunction::Sign, 1, 1},
    NamedFunction{"floor", SymFunction::Floor, 1, 1},
    NamedFunction{"FloorToInt", SymFunction::Floor, 1, 1},
    NamedFunction{"ceiling", SymFunction::Ceiling, 1, 1},
    NamedFunction{"ceil", SymFunction::Ceiling, 1, 1},
    NamedFunction{"CeilToInt", SymFunction::Ceiling, 1, 1},
    NamedFunction{"TruncToInt", SymFunction::Truncate, 1, 1},
    NamedFunction{"trunc", SymFunction::Truncate, 1, 1},
    NamedFunction{"int", SymFunction::Truncate, 1, 1},
    NamedFunction{"TruncToFloat", SymFunction::TruncateToFloat, 1, 1},
    NamedFunction{"RoundToInt", SymFunction::Round, 1, 1},
    NamedFunction{"RoundDecimal", SymFunction::RoundDecimal, 2, 2},
    NamedFunction{"ToFloat", SymFunction::ToFloat, 1, 1},
    NamedFunction{"float", SymFunction::ToFloat, 1, 1},
    NamedFunction{"IntTrueDiv", SymFunction::Divide, 2, 2},
    NamedFunction{"FloatTrueDiv", SymFunction::Divide, 2, 2},
    NamedFunction{"Pow", SymFunction::Power, 2, 2},
    NamedFunction{"PowByNatural", SymFunction::Power, 2, 2},
    NamedFunction{"FloatPow", SymFunction::Power, 2, 2},
    NamedFunction{"LShift", SymFunction::ShiftLeft, 2, 2},
    NamedFunction{"RShift", SymFunction::ShiftRight, 2, 2},
    NamedFunction{"Where", SymFunction::Where, 3, 3},
    NamedFunction{"ITE", SymFunction::Where, 3, 3},
    NamedFunction{"Piecewise", SymFunction::Piecewise, 1, anyNumber},
};

inline constexpr std::array<std::pair<std::string_view, RealFunction>, 16> realFunctions{{
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"asinh", [](double x) { return std::asinh(x); }},
    {"acosh", [](double x) { return std::acosh(x); }},
    {"atanh", [](double x) { return std::atanh(x); }},
}};

inline constexpr std::array<std::pair<std::string_view, double>, 6> namedConstants{{
    {"oo", std::numeric_limits<double>::infinity()},
    {"int_oo", std::numeric_limits<double>::infinity()},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
    {"pi", 3.141592653589793},
    {"E", 2.718281828459045},
}};

} // namespace aotscope::ir
