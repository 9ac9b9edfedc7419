#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include "base/numbers.h"

#include <algorithm>
#include <unordered_map>

/// Operators whose arithmetic is one or a few expressions. Follows torch 2.11, aten/src/ATen/native/cuda: the
/// elementwise kernels (UnaryOps, BinaryOps, Activation*, …).
namespace aotscope::kernels {

namespace {

enum class Family : std::uint8_t {
    /// Computes in the result's dtype, small floats as float, and rounds once.
    Arithmetic,
    /// Returns one of its operands, or a number that needs no rounding.
    Exact,
    /// Compares in the operands' promoted dtype.
    Compare,
    /// Operands as truth values.
    Logical,
    /// Asks one operand, in its own dtype.
    Test,
};

struct TableRow {
    std::string_view packet;
    Family family;
    /// Names of the operands; "value=1": with a default.
    std::string_view operands;
    /// Steps with "; " between them: $0 … are operands, %0 … earlier steps. The last is the result.
    std::string_view text;
    /// For integers and bools where it differs; "-": the operator does not take them.
    std::string_view integers = {};
};

constexpr TableRow tableRows[] = {
    // Functions of floats.
    {"aten.exp", Family::Arithmetic, "self", "exp{f}($0)"},
    {"aten.exp2", Family::Arithmetic, "self", "exp2{f}($0)"},
    {"aten.expm1", Family::Arithmetic, "self", "expm1{f}($0)"},
    {"aten.log", Family::Arithmetic, "self", "log{f}($0)"},
    {"aten.log2", Family::Arithmetic, "self", "log2{f}($0)"},
    {"aten.log10", Family::Arithmetic, "self", "log10{f}($0)"},
    {"aten.log1p", Family::Arithmetic, "self", "log1p{f}($0)"},
    {"aten.sqrt", Family::Arithmetic, "self", "sqrt{f}($0)"},
    {"aten.rsqrt", Family::Arithmetic, "self", "rsqrt{f}($0)"},
    {"aten.reciprocal", Family::Arithmetic, "self", "{T}(1) / $0"},
    {"aten.sin", Family::Arithmetic, "self", "sin{f}($0)"},
    {"aten.cos", Family::Arithmetic, "self", "cos{f}($0)"},
    {"aten.tan", Family::Arithmetic, "self", "tan{f}($0)"},
    {"aten.asin", Family::Arithmetic, "self", "asin{f}($0)"},
    {"aten.acos", Family::Arithmetic, "self", "acos{f}($0)"},
    {"aten.atan", Family::Arithmetic, "self", "atan{f}($0)"},
    {"aten.sinh", Family::Arithmetic, "self", "sinh{f}($0)"},
    {"aten.cosh", Family::Arithmetic, "self", "cosh{f}($0)"},
    {"aten.tanh", Family::Arithmetic, "self", "tanh{f}($0)"},
    {"aten.asinh", Family::Arithmetic, "self", "asinh{f}($0)"},
    {"aten.acosh", Family::Arithmetic, "self", "acosh{f}($0)"},
    {"aten.atanh", Family::Arithmetic, "self", "atanh{f}($0)"},
    {"aten.erf", Family::Arithmetic, "self", "erf{f}($0)"},
    {"aten.erfc", Family::Arithmetic, "self", "erfc{f}($0)"},
    {"aten.lgamma", Family::Arithmetic, "self", "lgamma{f}($0)"},
    {"aten.sigmoid", Family::Arithmetic, "self", "{T}(1) / ({T}(1) + exp{f}(-$0))"},
    {"aten.silu", Family::Arithmetic, "self", "$0 / ({T}(1) + exp{f}(-$0))", "-"},
    {"aten.mish", Family::Arithmetic, "self", "$0 * tanh{f}(log1p{f}(exp{f}($0)))", "-"},
    {"aten.softplus", Family::Arithmetic, "self beta=1 threshold=20",
     "$0 * $1 > $2 ? $0 : log1p{f}(exp{f}($0 * $1)) / $1", "-"},
    {"aten.elu", Family::Arithmetic, "self alpha=1 scale=1 input_scale=1",
     "$0 < {T}(0) ? expm1{f}($0 * $3) * ($1 * $2) : $0 * $2", "-"},
    {"aten.leaky_relu", Family::Arithmetic, "self negative_slope=0.01", "$0 > {T}(0) ? $0 : $0 * $1", "-"},
    {"aten.hardswish", Family::Arithmetic, "self",
     "$0 * min_nan(max_nan($0 + {T}(3), {T}(0)), {T}(6)) / {T}(6)", "-"},
    {"aten.hardsigmoid", Family::Arithmetic, "self", "min_nan(max_nan($0 + {T}(3), {T}(0)), {T}(6)) / {T}(6)",
     "-"},
    {"aten.celu", Family::Arithmetic, "self alpha=1", "$0 > {T}(0) ? $0 : $1 * expm1{f}($0 / $1)", "-"},
    {"aten.selu", Family::Arithmetic, "self",
     "{T}(1.0507009873554804934193349852946) * ($0 > {T}(0) ? $0 : {T}(1.6732632423543772848170429916717) * "
     "expm1{f}($0))",
     "-"},
    {"aten.logaddexp", Family::Arithmetic, "self other",
     "$0 == $1 && $0 - $0 != $0 - $0 && !is_nan($0) ? $0 : max_nan($0, $1) + log1p{f}(exp{f}(-fabs{f}($0 - "
     "$1)))",
     "-"},
    {"aten.hardshrink", Family::Exact, "self lambd=0.5", "$0 >= -$1 && $0 <= $1 ? {T}(0) : $0", "-"},
    {"aten.softshrink", Family::Arithmetic, "self lambd=0.5",
     "$0 > $1 ? $0 - $1 : $0 < -$1 ? $0 + $1 : $0 * {T}(0)", "-"},
    {"aten.relu6", Family::Exact, "self", "clamp_nan<{T}>($0, {T}(0), {T}(6))"},
    {"aten.deg2rad", Family::Arithmetic, "self", "$0 * {T}(0.017453292519943295769)", "-"},
    {"aten.rad2deg", Family::Arithmetic, "self", "$0 * {T}(57.295779513082320877)", "-"},
    // Their gradients.
    {"aten.tanh_backward", Family::Arithmetic, "grad_output output", "$0 * ({T}(1) - $1 * $1)", "-"},
    {"aten.sigmoid_backward", Family::Arithmetic, "grad_output output", "$0 * ({T}(1) - $1) * $1", "-"},
    {"aten.silu_backward", Family::Arithmetic, "grad_output self",
     "{T}(1) / ({T}(1) + exp{f}(-$1)); $0 * %0 * ({T}(1) + $1 * ({T}(1) - %0))", "-"},
    {"aten.mish_backward", Family::Arithmetic, "grad_output self",
     "tanh{f}(log1p{f}(exp{f}($1))); {T}(1) / ({T}(1) + exp{f}(-$1)); $0 * (%0 + $1 * %1 * ({T}(1) - %0 * "
     "%0))",
     "-"},
    {"aten.softplus_backward", Family::Arithmetic, "grad_output self beta threshold",
     "exp{f}($1 * $2); $1 * $2 > $3 ? $0 : $0 * %0 / (%0 + {T}(1))", "-"},
    {"aten.elu_backward", Family::Arithmetic, "grad_output alpha scale input_scale is_result self_or_result",
     "$1 * $2; $5 <= {T}(0) ? ($4 != {T}(0) ? $0 * $3 * ($5 + %0) : $0 * $3 * %0 * exp{f}($5 * $3)) : $0 * "
     "$2",
     "-"},
    {"aten.leaky_relu_backward", Family::Arithmetic, "grad_output self negative_slope",
     "$1 > {T}(0) ? $0 : $0 * $2", "-"},
    {"aten.hardswish_backward", Family::Arithmetic, "grad_output self",
     "$1 <= {T}(-3) ? {T}(0) : $1 < {T}(3) ? $0 * ($1 / {T}(3) + {T}(0.5)) : $0", "-"},
    {"aten.hardsigmoid_backward", Family::Arithmetic, "grad_output self",
     "$1 > {T}(-3) && $1 < {T}(3) ? $0 * {T}(0.16666667163372040) : {T}(0)", "-"},
    {"aten.hardtanh_backward", Family::Exact, "grad_output self min_val max_val",
     "$1 <= $2 || $1 >= $3 ? {T}(0) : $0", "-"},
    {"aten.threshold_backward", Family::Exact, "grad_output self threshold", "$1 <= $2 ? {T}(0) : $0"},
    {"aten.native_dropout_backward", Family::Arithmetic, "grad_output mask scale", "$0 * ($1 * $2)"},
    // Arithmetic.
    {"aten.mul", Family::Arithmetic, "self other", "$0 * $1"},
    {"aten.square", Family::Arithmetic, "self", "$0 * $0"},
    {"aten.frac", Family::Arithmetic, "self", "$0 - trunc{f}($0)", "-"},
    {"aten.addcmul", Family::Arithmetic, "self tensor1 tensor2 value=1", "$0 + $3 * $1 * $2"},
    {"aten.addcdiv", Family::Arithmetic, "self tensor1 tensor2 value=1", "$0 + $3 * $1 / $2", "-"},
    {"aten.lerp", Family::Arithmetic, "self end weight",
     "fabs{f}($2) < {T}(0.5) ? $0 + $2 * ($1 - $0) : $1 - ($1 - $0) * ({T}(1) - $2)", "-"},
    {"aten.atan2", Family::Arithmetic, "self other", "atan2{f}($0, $1)"},
    {"aten.hypot", Family::Arithmetic, "self other", "hypot{f}($0, $1)", "-"},
    {"aten.copysign", Family::Arithmetic, "self other", "copysign{f}($0, $1)"},
    {"aten.fmod", Family::Arithmetic, "self other", "fmod{f}($0, $1)", "remainder_trunc<{T}>($0, $1)"},
    {"aten.remainder", Family::Arithmetic, "self other", "remainder_floor($0, $1)",
     "remainder_floor<{T}>($0, $1)"},
    {"aten.floor_divide", Family::Arithmetic, "self other", "divide_floor($0, $1)",
     "divide_floor<{T}>($0, $1)"},
    {"aten.xlogy", Family::Arithmetic, "self other",
     "is_nan($1) ? $1 : $0 == {T}(0) ? {T}(0) : $0 * log{f}($1)"},
    {"prims.fma", Family::Arithmetic, "a b c", "fma{f}($0, $1, $2)", "-"},
    // What needs no rounding.
    {"aten.neg", Family::Exact, "self", "-$0"},
    {"aten.abs", Family::Exact, "self", "fabs{f}($0)", "$0 < {T}(0) ? {T}(-$0) : $0"},
    {"aten.sign", Family::Exact, "self", "sign_of($0)"},
    {"aten.sgn", Family::Exact, "self", "sign_of($0)"},
    {"aten.ceil", Family::Exact, "self", "ceil{f}($0)", "$0"},
    {"aten.floor", Family::Exact, "self", "floor{f}($0)", "$0"},
    {"aten.trunc", Family::Exact, "self", "trunc{f}($0)", "$0"},
    {"aten.relu", Family::Exact, "self", "max_nan($0, {T}(0))"},
    {"aten.hardtanh", Family::Exact, "self min_val=-1 max_val=1", "clamp_nan<{T}>($0, $1, $2)"},
    {"aten.threshold", Family::Exact, "self threshold value", "$0 <= $1 ? $2 : $0"},
    {"aten.maximum", Family::Exact, "self other", "max_nan<{T}>($0, $1)"},
    {"aten.minimum", Family::Exact, "self other", "min_nan<{T}>($0, $1)"},
    {"aten.fmax", Family::Exact, "self other", "fmax{f}($0, $1)", "max_nan<{T}>($0, $1)"},
    {"aten.fmin", Family::Exact, "self other", "fmin{f}($0, $1)", "min_nan<{T}>($0, $1)"},
    {"aten.clamp_min", Family::Exact, "self min", "is_nan($1) ? $1 : max_nan<{T}>($0, $1)"},
    {"aten.clamp_max", Family::Exact, "self max", "is_nan($1) ? $1 : min_nan<{T}>($0, $1)"},
    {"aten.bitwise_and", Family::Exact, "self other", "-", "$0 & $1"},
    {"aten.bitwise_or", Family::Exact, "self other", "-", "$0 | $1"},
    {"aten.bitwise_xor", Family::Exact, "self other", "-", "$0 ^ $1"},
    {"aten.bitwise_left_shift", Family::Exact, "self other", "-", "shift_left<{T}>($0, $1)"},
    {"aten.bitwise_right_shift", Family::Exact, "self other", "-", "shift_right<{T}>($0, $1)"},
    {"aten.__lshift__", Family::Exact, "self other", "-", "shift_left<{T}>($0, $1)"},
    {"aten.__rshift__", Family::Exact, "self other", "-", "shift_right<{T}>($0, $1)"},
    // Copies and fills: the result's dtype, and where it lies, are the copy's.
    {"aten.clone", Family::Exact, "self", "$0"},
    {"aten.contiguous", Family::Exact, "self", "$0"},
    {"aten.positive", Family::Exact, "self", "$0"},
    {"aten.to", Family::Exact, "self", "$0"},
    {"aten._to_copy", Family::Exact, "self", "$0"},
    {"aten.lift_fresh_copy", Family::Exact, "self", "$0"},
    {"aten.detach_copy", Family::Exact, "self", "$0"},
    {"aten.alias_copy", Family::Exact, "self", "$0"},
    {"aten.copy", Family::Exact, "src", "$0"},
    {"aten.fill", Family::Exact, "value", "$0"},
    {"prims.clone", Family::Exact, "self", "$0"},
    {"prims.convert_element_type", Family::Exact, "a", "$0"},
    // Truth values.
    {"aten.eq", Family::Compare, "self other", "$0 == $1"},
    {"aten.ne", Family::Compare, "self other", "$0 != $1"},
    {"aten.lt", Family::Compare, "self other", "$0 < $1"},
    {"aten.le", Family::Compare, "self other", "$0 <= $1"},
    {"aten.gt", Family::Compare, "self other", "$0 > $1"},
    {"aten.ge", Family::Compare, "self other", "$0 >= $1"},
    {"aten.logical_and", Family::Logical, "self other", "$0 && $1"},
    {"aten.logical_or", Family::Logical, "self other", "$0 || $1"},
    {"aten.logical_xor", Family::Logical, "self other", "$0 != $1"},
    {"aten.logical_not", Family::Logical, "self", "!$0"},
    {"aten.isnan", Family::Test, "self", "is_nan($0)", "false"},
    {"aten.isinf", Family::Test, "self", "$0 - $0 != $0 - $0 && !is_nan($0)", "false"},
    {"aten.isfinite", Family::Test, "self", "$0 - $0 == $0 - $0", "true"},
    {"aten.isposinf", Family::Test, "self", "$0 > {T}(0) && $0 - $0 != $0 - $0", "false"},
    {"aten.isneginf", Family::Test, "self", "$0 < {T}(0) && $0 - $0 != $0 - $0", "false"},
};

const TableRow* tableRowOf(std::string_view packet) {
    static const auto byName = [] {
        std::unordered_map<std::string_view, const TableRow*> rows;
        for (const TableRow& row : tableRows) {
            rows.emplace(row.packet, &row);
        }
        return rows;
    }();
    const auto found = byName.find(packet);
    return found == byName.end() ? nullptr : found->second;
}

struct Operand {
    std::string_view name;
    std::optional<double> otherwise;
};

std::vector<Operand> operandsOf(const TableRow& row) {
    std::vector<Operand> operands;
    for (std::string_view rest = row.operands; !rest.empty();) {
        const std::size_t blank = rest.find(' ');
        const std::string_view word = rest.substr(0, blank);
        const std::size_t equals = word.find('=');
        Operand operand{word.substr(0, equals), {}};
        if (equals != std::string_view::npos) {
            operand.otherwise = base::leadingNumber<double>(word.substr(equals + 1)).value_or(0);
        }
        operands.push_back(operand);
        rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    }
    return operands;
}

/// The operands' promoted dtype.
ir::DType promotedType(const OpCall& call, const std::vector<Operand>& operands) {
    std::vector<PromotedOperand> promoted;
    for (const Operand& operand : operands) {
        if (const TensorLayout* layout = call.layout(operand.name)) {
            promoted.push_back(
                {layout->sizes.empty() ? PromotedOperand::Kind::ZeroDim : PromotedOperand::Kind::Tensor,
                 layout->dtype});
        } else if (const auto number = call.number(operand.name)) {
            constexpr ir::DType types[] = {ir::DType::Bool, ir::DType::Int64, ir::DType::Float64};
            promoted.push_back({PromotedOperand::Kind::PythonNumber, types[number->index()]});
        }
    }
    return promote(promoted);
}

std::string_view textFor(const TableRow& row, ir::DType dtype) {
    return !isFloating(dtype) && !row.integers.empty() ? row.integers : row.text;
}

/// The dtype that decides which text is meant: what the operands are computed in.
ir::DType computedType(const TableRow& row, const OpCall& call, ir::DType result) {
    switch (row.family) {
    case Family::Arithmetic:
    case Family::Exact:
        return result;
    case Family::Compare:
        return promotedType(call, operandsOf(row));
    case Family::Logical:
        return ir::DType::Bool;
    case Family::Test: {
        const TensorLayout* layout = call.layout("self");
        return layout == nullptr ? ir::DType::Unknown : layout->dtype;
    }
    }
    return result;
}

/// Computes the steps of a text; {T} and {f} are of `dtype`, the last step's value is of `result`.
ValueId computeSteps(Lowering& lowering, std::string_view text, std::vector<ValueId> values, ir::DType dtype,
                     ir::DType result) {
    const std::size_t operands = values.size();
    for (std::string_view rest = text;;) {
        const std::size_t end = rest.find("; ");
        std::string step(rest.substr(0, end));
        for (std::size_t at = step.find('%'); at != std::string::npos; at = step.find('%', at + 1)) {
            if (at + 1 < step.size() && step[at + 1] >= '0' && step[at + 1] <= '9') {
                step[at] = '$';
                step[at + 1] = static_cast<char>(step[at + 1] + static_cast<int>(operands));
            }
        }
        const bool last = end == std::string_view::npos;
        if (last && result != dtype) {
            // A comparison: bool result of operands that are not bool.
            std::string typed = step;
            for (const auto& [from, to] :
                 {std::pair<std::string_view, std::string_view>{"{T}", registerType(dtype)},
                  {"{f}", dtype == ir::DType::Float64 ? "" : "f"}}) {
                for (std::size_t at = typed.find(from); at != std::string::npos; at = typed.find(from)) {
                    typed.replace(at, from.size(), to);
                }
            }
            return lowering.compute(result, typed, std::move(values));
        }
        values.push_back(lowering.compute(dtype, step, values));
        if (last) {
            return values.back();
        }
        rest = rest.substr(end + 2);
    }
}

ValueId lowerTable(Lowering& lowering, const OpCall& call, std::size_t result, const Coordinates& at) {
    const TableRow& row = *tableRowOf(call.packet());
    const TensorLayout& layout = *call.facts().layout({call.id(), result});
    const ir::DType dtype = computedType(row, call, layout.dtype);
    const bool exact = row.family != Family::Arithmetic;
    std::vector<ValueId> values;
    for (const Operand& operand : operandsOf(row)) {
        values.push_back(call.tryArgument(operand.name) == nullptr && operand.otherwise
                             ? lowering.literalValue(*operand.otherwise, opmathType(dtype))
                             : lowering.argument(call, operand.name, layout.sizes, at, dtype, exact));
    }
    const std::string_view text = textFor(row, dtype);
    if (text == "$0") {
        return lowering.convert(values[0], layout.dtype);
    }
    switch (row.family) {
    case Family::Arithmetic:
        return lowering.rounded(
            computeSteps(lowering, text, std::move(values), opmathType(dtype), opmathType(dtype)), dtype);
    case Family::Exact:
        return computeSteps(lowering, text, std::move(values), dtype, dtype);
    default:
        return lowering.convert(
            computeSteps(lowering, text, std::move(values), opmathType(dtype), ir::DType::Bool),
            layout.dtype);
    }
}

std::string refuseTable(const OpCall& call) {
    const TableRow& row = *tableRowOf(call.packet());
    const TensorLayout* layout = call.facts().layout({call.id()});
    if (layout == nullptr) {
        return "its size is unknown before the run";
    }
    if (textFor(row, computedType(row, call, layout->dtype)) == "-") {
        return "no rule for the operator with " + std::string(ir::dtypeName(layout->dtype));
    }
    for (const Operand& operand : operandsOf(row)) {
        if (!call.tensor(operand.name) && !call.number(operand.name) &&
            !(operand.otherwise && call.tryArgument(operand.name) == nullptr)) {
            return "reads a number that only the run knows";
        }
    }
    return {};
}

constexpr OperatorRule theTableRule = {lowerTable, refuseTable};

} // namespace

const OperatorRule* tableRule(const OpCall& call) {
    return tableRowOf(call.packet()) == nullptr ? nullptr : &theTableRule;
}

} // namespace aotscope::kernels
