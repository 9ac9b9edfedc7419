#pragma once

#include <array>
#include <string_view>

/// The functions of Python's `operator` module that FX prints as operators. Follows torch 2.11,
/// torch/fx/graph.py: magic_methods, inplace_methods.
namespace aotscope::ir {

struct PythonOperator {
    /// Without the module: "add".
    std::string_view function;
    /// "+"
    std::string_view sign;
};

/// Printed as `{} + {}`. A sign that is a prefix of another one comes after it.
inline constexpr std::array infixOperators{
    PythonOperator{"eq", "=="},    PythonOperator{"ne", "!="},       PythonOperator{"le", "<="},
    PythonOperator{"ge", ">="},    PythonOperator{"lshift", "<<"},   PythonOperator{"rshift", ">>"},
    PythonOperator{"pow", "**"},   PythonOperator{"floordiv", "//"}, PythonOperator{"lt", "<"},
    PythonOperator{"gt", ">"},     PythonOperator{"add", "+"},       PythonOperator{"sub", "-"},
    PythonOperator{"mul", "*"},    PythonOperator{"truediv", "/"},   PythonOperator{"mod", "%"},
    PythonOperator{"and_", "&"},   PythonOperator{"or_", "|"},       PythonOperator{"xor", "^"},
    PythonOperator{"matmul", "@"},
};

/// Printed as `-{}`.
inline constexpr std::array prefixOperators{PythonOperator{"neg", "-"}, PythonOperator{"pos", "+"},
                                            PythonOperator{"invert", "~"}};

/// Printed as `{} += {};  name = {}`.
inline constexpr std::array inPlaceOperators{
    PythonOperator{"ifloordiv", "//="}, PythonOperator{"ilshift", "<<="}, PythonOperator{"irshift", ">>="},
    PythonOperator{"ipow", "**="},      PythonOperator{"iadd", "+="},     PythonOperator{"iand", "&="},
    PythonOperator{"imod", "%="},       PythonOperator{"imul", "*="},     PythonOperator{"imatmul", "@="},
    PythonOperator{"ior", "|="},        PythonOperator{"isub", "-="},     PythonOperator{"itruediv", "/="},
    PythonOperator{"ixor", "^="},
};

} // namespace aotscope::ir
