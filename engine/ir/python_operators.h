#pragma once

#include <array>
#include <string_view>

/// The functions of Python's `operator` module that FX prints as operators (torch/fx/graph.py).
namespace aotscope::ir {

struct PythonOperator {
    /// Without the module: "add".
    std::string_view function;
    /// "+"
    std::string_view sign;
};

/// `{} + {}`, spaces around. A sign that begins another stands behind it.
inline constexpr std::array infixOperators{
    PythonOperator{"eq", "=="},    PythonOperator{"ne", "!="},       PythonOperator{"le", "<="},
    PythonOperator{"ge", ">="},    PythonOperator{"lshift", "<<"},   PythonOperator{"rshift", ">>"},
    PythonOperator{"pow", "**"},   PythonOperator{"floordiv", "//"}, PythonOperator{"lt", "<"},
    PythonOperator{"gt", ">"},     PythonOperator{"add", "+"},       PythonOperator{"sub", "-"},
    PythonOperator{"mul", "*"},    PythonOperator{"truediv", "/"},   PythonOperator{"mod", "%"},
    PythonOperator{"and_", "&"},   PythonOperator{"or_", "|"},       PythonOperator{"xor", "^"},
    PythonOperator{"matmul", "@"},
};

/// `-{}`
inline constexpr std::array prefixOperators{PythonOperator{"neg", "-"}, PythonOperator{"pos", "+"},
                                            PythonOperator{"invert", "~"}};

/// `{} += {};  name = {}`
inline constexpr std::array inPlaceOperators{
    PythonOperator{"ifloordiv", "//="}, PythonOperator{"ilshift", "<<="}, PythonOperator{"irshift", ">>="},
    PythonOperator{"ipow", "**="},      PythonOperator{"iadd", "+="},     PythonOperator{"iand", "&="},
    PythonOperator{"imod", "%="},       PythonOperator{"imul", "*="},     PythonOperator{"imatmul", "@="},
    PythonOperator{"ior", "|="},        PythonOperator{"isub", "-="},     PythonOperator{"itruediv", "/="},
    PythonOperator{"ixor", "^="},
};

} // namespace aotscope::ir
