#include "ir/operators/operator_table.h"

/// Arithmetic on elements. Which operators are pointwise stands in resources/op_tags.txt.
namespace aotscope::ir::detail {

void addArithmetic(OperatorTable& table) {
    using enum Trait;
    using enum Computes;
    using enum KernelRule;
    table.add({"aten.__and__", "aten.__or__", "prims.div"}, Recomputable);
    table.add({"aten.clamp"}, MovesValues | LaterGradient, {.overloads = "Tensor", .kernel = {Clamp}});
    table.add({"aten.clip"}, {}, {.kernel = {Clamp}});
    table.add({"aten.clamp_min"}, MovesValues | LaterGradient,
              {.overloads = "Tensor",
               .expression = {Exact, "self min", "is_nan($1) ? $1 : max_nan<{T}>($0, $1)"},
               .backwardNumbers = "1"});
    table.add({"aten.clamp_max"}, MovesValues | LaterGradient,
              {.overloads = "Tensor",
               .expression = {Exact, "self max", "is_nan($1) ? $1 : min_nan<{T}>($0, $1)"},
               .backwardNumbers = "1"});
    table.add({"aten.maximum"}, MovesValues | LaterGradient,
              {.expression = {Exact, "self other", "max_nan<{T}>($0, $1)"}});
    table.add({"aten.minimum"}, MovesValues | LaterGradient,
              {.expression = {Exact, "self other", "min_nan<{T}>($0, $1)"}});
    table.add({"aten.floor", "aten.trunc"}, MovesValues,
              {.expression = {Exact, "self", "{op}{f}($0)", "$0"}});
    table.add({"aten.sqrt", "aten.rsqrt", "aten.log", "aten.log2", "aten.log1p", "aten.lgamma"}, {},
              {.expression = {Arithmetic, "self", "{op}{f}($0)"}, .nonNegative = positions(0)});
    table.add({"aten.log10"}, LaterGradient,
              {.expression = {Arithmetic, "self", "log10{f}($0)"}, .nonNegative = positions(0)});
    table.add({"aten.add"}, {}, {.kernel = {Sum, "+"}, .inductorName = "_mm_plus_mm"});
    table.add({"aten.sub"}, {}, {.kernel = {Sum, "-"}});
    table.add({"aten.rsub"}, {}, {.kernel = {ReversedDifference, "-"}});
    table.add({"aten.pow"}, {}, {.kernel = {Power}});
    table.add({"aten.bitwise_not"}, {}, {.kernel = {BitwiseNot}});
    table.add({"aten.round"}, {}, {.kernel = {Round}});
    table.add({"aten.nan_to_num"}, {}, {.kernel = {NanToNum}});
    table.add({"aten.true_divide"}, {}, {.kernel = {Quotient}});
    table.add({"aten.div"}, {}, {.kernel = {Quotient}, .nonZero = positions(1)});
    table.add({"aten.floor_divide"}, {},
              {.expression = {Arithmetic, "self other", "divide_floor($0, $1)", "divide_floor<{T}>($0, $1)"},
               .nonZero = positions(1)});
    table.add({"aten.fmod"}, {},
              {.expression = {Arithmetic, "self other", "fmod{f}($0, $1)", "remainder_trunc<{T}>($0, $1)"},
               .nonZero = positions(1)});
    table.add(
        {"aten.remainder"}, {},
        {.expression = {Arithmetic, "self other", "remainder_floor($0, $1)", "remainder_floor<{T}>($0, $1)"},
         .nonZero = positions(1)});
    table.add({"aten.gelu"}, CancelsInside,
              {.expression = {Arithmetic, "self",
                              "$0 * {T}(0.5) * ({T}(1) + erf{f}($0 * {T}(0.70710678118654752440)))", "-",
                              "{T}(0.79788456080286535588) * ($0 + {T}(0.044715) * ($0 * $0 * $0)); {T}(0.5) "
                              "* $0 * ({T}(1) + tanh{f}(%0))"}});
    table.add(
        {"aten.gelu_backward"}, CancelsInside,
        {.expression = {Arithmetic, "grad_output self",
                        "{T}(0.5) * ({T}(1) + erf{f}($1 * {T}(0.70710678118654752440))); exp{f}($1 * $1 * "
                        "{T}(-0.5)) * {T}(0.39894228040143267794); $0 * (%0 + $1 * %1)",
                        "-",
                        "{T}(0.79788456080286535588) * ($1 + {T}(0.044715) * ($1 * $1 * $1)); tanh{f}(%0); "
                        "{T}(0.79788456080286535588) * ({T}(1) + {T}(3) * {T}(0.044715) * ($1 * $1)); $0 * "
                        "({T}(0.5) * ({T}(1) + %1) + {T}(0.5) * $1 * ({T}(1) - %1 * %1) * %2)"}});
    table.add({"aten.threshold_backward"}, IsOfThreshold,
              {.expression = {Exact, "grad_output self threshold", "$1 <= $2 ? {T}(0) : $0"}});
    table.add({"aten.le"}, ReadsSign,
              {.overloads = "Scalar", .expression = {Compare, "self other", "$0 <= $1"}});
    table.add({"aten.gt"}, ReadsSign,
              {.overloads = "Scalar", .expression = {Compare, "self other", "$0 > $1"}});
    table.add({"aten.isclose", "aten.allclose"}, WithoutGradient);
    table.add({"aten.exp", "aten.exp2", "aten.expm1", "aten.sin", "aten.cos", "aten.tan", "aten.asin",
               "aten.acos", "aten.atan", "aten.sinh", "aten.cosh", "aten.tanh", "aten.asinh", "aten.acosh",
               "aten.atanh", "aten.erf", "aten.erfc"},
              {}, {.expression = {Arithmetic, "self", "{op}{f}($0)"}});
    table.add("aten.reciprocal", {Arithmetic, "self", "{T}(1) / $0"});
    table.add("aten.sigmoid", {Arithmetic, "self", "{T}(1) / ({T}(1) + exp{f}(-$0))"});
    table.add("aten.silu", {Arithmetic, "self", "$0 / ({T}(1) + exp{f}(-$0))", "-"});
    table.add("aten.mish", {Arithmetic, "self", "$0 * tanh{f}(log1p{f}(exp{f}($0)))", "-"});
    table.add("aten.softplus", {Arithmetic, "self beta=1 threshold=20",
                                "$0 * $1 > $2 ? $0 : log1p{f}(exp{f}($0 * $1)) / $1", "-"});
    table.add("aten.elu", {Arithmetic, "self alpha=1 scale=1 input_scale=1",
                           "$0 < {T}(0) ? expm1{f}($0 * $3) * ($1 * $2) : $0 * $2", "-"});
    table.add("aten.leaky_relu", {Arithmetic, "self negative_slope=0.01", "$0 > {T}(0) ? $0 : $0 * $1", "-"});
    table.add("aten.hardswish",
              {Arithmetic, "self", "$0 * min_nan(max_nan($0 + {T}(3), {T}(0)), {T}(6)) / {T}(6)", "-"});
    table.add("aten.hardsigmoid",
              {Arithmetic, "self", "min_nan(max_nan($0 + {T}(3), {T}(0)), {T}(6)) / {T}(6)", "-"});
    table.add("aten.celu", {Arithmetic, "self alpha=1", "$0 > {T}(0) ? $0 : $1 * expm1{f}($0 / $1)", "-"});
    table.add("aten.selu", {Arithmetic, "self",
                            "{T}(1.0507009873554804934193349852946) * ($0 > {T}(0) ? $0 : "
                            "{T}(1.6732632423543772848170429916717) * expm1{f}($0))",
                            "-"});
    table.add("aten.logaddexp", {Arithmetic, "self other",
                                 "$0 == $1 && $0 - $0 != $0 - $0 && !is_nan($0) ? $0 : max_nan($0, $1) + "
                                 "log1p{f}(exp{f}(-fabs{f}($0 - $1)))",
                                 "-"});
    table.add("aten.hardshrink", {Exact, "self lambd=0.5", "$0 >= -$1 && $0 <= $1 ? {T}(0) : $0", "-"});
    table.add("aten.softshrink",
              {Arithmetic, "self lambd=0.5", "$0 > $1 ? $0 - $1 : $0 < -$1 ? $0 + $1 : $0 * {T}(0)", "-"});
    table.add("aten.relu6", {Exact, "self", "clamp_nan<{T}>($0, {T}(0), {T}(6))"});
    table.add("aten.deg2rad", {Arithmetic, "self", "$0 * {T}(0.017453292519943295769)", "-"});
    table.add("aten.rad2deg", {Arithmetic, "self", "$0 * {T}(57.295779513082320877)", "-"});
    table.add("aten.tanh_backward", {Arithmetic, "grad_output output", "$0 * ({T}(1) - $1 * $1)", "-"});
    table.add("aten.sigmoid_backward", {Arithmetic, "grad_output output", "$0 * ({T}(1) - $1) * $1", "-"});
    table.add("aten.silu_backward",
              {Arithmetic, "grad_output self",
               "{T}(1) / ({T}(1) + exp{f}(-$1)); $0 * %0 * ({T}(1) + $1 * ({T}(1) - %0))", "-"});
    table.add("aten.mish_backward", {Arithmetic, "grad_output self",
                                     "tanh{f}(log1p{f}(exp{f}($1))); {T}(1) / ({T}(1) + exp{f}(-$1)); $0 * "
                                     "(%0 + $1 * %1 * ({T}(1) - %0 * %0))",
                                     "-"});
    table.add("aten.softplus_backward",
              {Arithmetic, "grad_output self beta threshold",
               "exp{f}($1 * $2); $1 * $2 > $3 ? $0 : $0 * %0 / (%0 + {T}(1))", "-"});
    table.add("aten.elu_backward",
              {Arithmetic, "grad_output alpha scale input_scale is_result self_or_result",
               "$1 * $2; $5 <= {T}(0) ? ($4 != {T}(0) ? $0 * $3 * ($5 + %0) : $0 * $3 * %0 * exp{f}($5 * "
               "$3)) : $0 * $2",
               "-"});
    table.add("aten.leaky_relu_backward",
              {Arithmetic, "grad_output self negative_slope", "$1 > {T}(0) ? $0 : $0 * $2", "-"});
    table.add("aten.hardswish_backward",
              {Arithmetic, "grad_output self",
               "$1 <= {T}(-3) ? {T}(0) : $1 < {T}(3) ? $0 * ($1 / {T}(3) + {T}(0.5)) : $0", "-"});
    table.add("aten.hardsigmoid_backward",
              {Arithmetic, "grad_output self",
               "$1 > {T}(-3) && $1 < {T}(3) ? $0 * {T}(0.16666667163372040) : {T}(0)", "-"});
    table.add("aten.hardtanh_backward",
              {Exact, "grad_output self min_val max_val", "$1 <= $2 || $1 >= $3 ? {T}(0) : $0", "-"});
    table.add("aten.native_dropout_backward", {Arithmetic, "grad_output mask scale", "$0 * ($1 * $2)"});
    table.add("aten.mul", {Arithmetic, "self other", "$0 * $1"});
    table.add("aten.square", {Arithmetic, "self", "$0 * $0"});
    table.add("aten.frac", {Arithmetic, "self", "$0 - trunc{f}($0)", "-"});
    table.add("aten.addcmul", {Arithmetic, "self tensor1 tensor2 value=1", "$0 + $3 * $1 * $2"});
    table.add("aten.addcdiv", {Arithmetic, "self tensor1 tensor2 value=1", "$0 + $3 * $1 / $2", "-"});
    table.add("aten.lerp",
              {Arithmetic, "self end weight",
               "fabs{f}($2) < {T}(0.5) ? $0 + $2 * ($1 - $0) : $1 - ($1 - $0) * ({T}(1) - $2)", "-"});
    table.add({"aten.atan2", "aten.copysign"}, {},
              {.expression = {Arithmetic, "self other", "{op}{f}($0, $1)"}});
    table.add("aten.hypot", {Arithmetic, "self other", "hypot{f}($0, $1)", "-"});
    table.add("aten.xlogy",
              {Arithmetic, "self other", "is_nan($1) ? $1 : $0 == {T}(0) ? {T}(0) : $0 * log{f}($1)"});
    table.add("aten.neg", {Exact, "self", "-$0"});
    table.add("aten.abs", {Exact, "self", "fabs{f}($0)", "$0 < {T}(0) ? {T}(-$0) : $0"});
    table.add({"aten.sign", "aten.sgn"}, {}, {.expression = {Exact, "self", "sign_of($0)"}});
    table.add("aten.ceil", {Exact, "self", "ceil{f}($0)", "$0"});
    table.add("aten.relu", {Exact, "self", "max_nan($0, {T}(0))"});
    table.add("aten.hardtanh", {Exact, "self min_val=-1 max_val=1", "clamp_nan<{T}>($0, $1, $2)"});
    table.add("aten.threshold", {Exact, "self threshold value", "$0 <= $1 ? $2 : $0"});
    table.add({"aten.fmax"}, LaterGradient,
              {.expression = {Exact, "self other", "fmax{f}($0, $1)", "max_nan<{T}>($0, $1)"}});
    table.add({"aten.fmin"}, LaterGradient,
              {.expression = {Exact, "self other", "fmin{f}($0, $1)", "min_nan<{T}>($0, $1)"}});
    table.add(
        {"aten.trace", "aten.special_ndtri", "aten.special_log_ndtr", "aten.special_i1", "aten.special_i1e"},
        LaterGradient);
    table.add({"aten.ldexp"}, LaterGradient, {.overloads = "Tensor default"});
    // They have a gradient since torch 2.15.
    table.add({"aten.special_bessel_j0", "aten.special_bessel_j1", "aten.special_bessel_y0",
               "aten.special_bessel_y1", "aten.special_modified_bessel_i0", "aten.special_modified_bessel_i1",
               "aten.special_modified_bessel_k0", "aten.special_modified_bessel_k1", "aten.aminmax",
               "aten.nextafter", "aten.narrow_copy"},
              LaterResult);
    table.add("aten.bitwise_and", {Exact, "self other", "-", "$0 & $1"});
    table.add("aten.bitwise_or", {Exact, "self other", "-", "$0 | $1"});
    table.add("aten.bitwise_xor", {Exact, "self other", "-", "$0 ^ $1"});
    table.add({"aten.bitwise_left_shift", "aten.__lshift__"}, {},
              {.expression = {Exact, "self other", "-", "shift_left<{T}>($0, $1)"}});
    table.add({"aten.bitwise_right_shift", "aten.__rshift__"}, {},
              {.expression = {Exact, "self other", "-", "shift_right<{T}>($0, $1)"}});
    table.add("aten.eq", {Compare, "self other", "$0 == $1"});
    table.add("aten.ne", {Compare, "self other", "$0 != $1"});
    table.add("aten.lt", {Compare, "self other", "$0 < $1"});
    table.add("aten.ge", {Compare, "self other", "$0 >= $1"});
    table.add("aten.logical_and", {Logical, "self other", "$0 && $1"});
    table.add("aten.logical_or", {Logical, "self other", "$0 || $1"});
    table.add("aten.logical_xor", {Logical, "self other", "$0 != $1"});
    table.add("aten.logical_not", {Logical, "self", "!$0"});
    table.add("aten.isnan", {Test, "self", "is_nan($0)", "false"});
    table.add("aten.isinf", {Test, "self", "$0 - $0 != $0 - $0 && !is_nan($0)", "false"});
    table.add("aten.isfinite", {Test, "self", "$0 - $0 == $0 - $0", "true"});
    table.add("aten.isposinf", {Test, "self", "$0 > {T}(0) && $0 - $0 != $0 - $0", "false"});
    table.add("aten.isneginf", {Test, "self", "$0 < {T}(0) && $0 - $0 != $0 - $0", "false"});
}

} // namespace aotscope::ir::detail
