// Fused kernels beside ATen: every operator that has a rule, for every dtype.
#include "kernel_check_support.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace aotscope;
using test::checkEqual;
using test::graphOf;
using test::kernelCheckOf;

namespace {

/// A graph of calls that are all returned. In `calls`, "name|dtype|sizes|operator|arguments": D is the dtype
/// of the test, N its name in torch.
struct Program {
    std::string inputs;
    std::vector<std::string> calls;
};

std::string replaced(std::string text, const std::string& dtype, const std::string& name) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto isLetter = [&](std::size_t i) {
            return i < text.size() &&
                   (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
        };
        if ((text[at] == 'D' || text[at] == 'N') && (at == 0 || !isLetter(at - 1)) && !isLetter(at + 1)) {
            text.replace(at, 1, text[at] == 'D' ? dtype : name);
        }
    }
    return text;
}

ir::GraphPtr graphOfCalls(const Program& program, const std::string& dtype, const std::string& name) {
    std::string body;
    std::string returned;
    for (const std::string& call : program.calls) {
        std::vector<std::string> parts;
        for (std::size_t begin = 0; begin <= call.size();) {
            const std::size_t end = std::min(call.find('|', begin), call.size());
            parts.push_back(call.substr(begin, end - begin));
            begin = end + 1;
        }
        const bool isPick = parts[3].starts_with('[');
        const std::string type = parts[1].empty() ? "" : ": \"" + parts[1] + parts[2] + "\"";
        body += "        " + parts[0] + type + " = " +
                (isPick ? parts[4] + parts[3] : "torch.ops.aten." + parts[3] + "(" + parts[4] + ")") + "\n";
        returned += type.empty() ? "" : parts[0] + ", ";
    }
    return graphOf(replaced(program.inputs, dtype, name),
                   replaced(body, dtype, name) + "        return (" + returned + ")\n");
}

const std::vector<std::pair<std::string, std::string>> floatTypes = {
    {"f32", "float32"}, {"f64", "float64"}, {"bf16", "bfloat16"}, {"f16", "float16"}};

Program pointwisePrograms() {
    const std::string sizes = "[3, 37][37, 1]";
    Program program;
    program.inputs = "x: \"D[3, 37][37, 1]\", y: \"D[3, 37][37, 1]\", g: \"D[3, 37][37, 1]\", z: "
                     "\"f32[][]\", w: \"f64[][]\", "
                     "m: \"b8[3, 37][37, 1]\"";
    const auto add = [&](const std::string& name, const std::string& dtype, const std::string& call,
                         const std::string& arguments) {
        program.calls.push_back(name + "|" + dtype + "|" + sizes + "|" + call + "|" + arguments);
    };
    add("a1", "D", "abs.default", "x");
    add("a", "D", "add.Tensor", "a1, 0.5");
    for (const char* name :
         {"exp",      "exp2",       "expm1",      "log",   "log2",      "log10",       "log1p",  "sqrt",
          "rsqrt",    "reciprocal", "sin",        "cos",   "tan",       "asin",        "acos",   "atan",
          "sinh",     "cosh",       "tanh",       "asinh", "acosh",     "atanh",       "erf",    "erfc",
          "lgamma",   "sigmoid",    "silu",       "mish",  "hardswish", "hardsigmoid", "square", "frac",
          "neg",      "abs",        "sign",       "sgn",   "ceil",      "floor",       "trunc",  "round",
          "relu",     "deg2rad",    "rad2deg",    "selu",  "celu",      "softplus",    "elu",    "leaky_relu",
          "hardtanh", "hardshrink", "softshrink", "clone", "gelu"}) {
        add(std::string("u_") + name, "D", std::string(name) + ".default", "x");
    }
    for (const char* name : {"isnan", "isinf", "isfinite", "isposinf", "isneginf", "logical_not"}) {
        add(std::string("u_") + name, "b8", std::string(name) + ".default", "x");
    }
    const std::vector<std::array<std::string, 3>> calls = {
        {"gelu_tanh", "gelu.default", "x, approximate = 'tanh'"},
        {"tanh_b", "tanh_backward.default", "g, y"},
        {"sigmoid_b", "sigmoid_backward.default", "g, y"},
        {"silu_b", "silu_backward.default", "g, x"},
        {"mish_b", "mish_backward.default", "g, x"},
        {"softplus_b", "softplus_backward.default", "g, x, 1.0, 20.0"},
        {"elu_b", "elu_backward.default", "g, 1.0, 1.0, 1.0, False, x"},
        {"leaky_b", "leaky_relu_backward.default", "g, x, 0.01, False"},
        {"hardswish_b", "hardswish_backward.default", "g, x"},
        {"hardsigmoid_b", "hardsigmoid_backward.default", "g, x"},
        {"hardtanh_b", "hardtanh_backward.default", "g, x, -0.5, 0.5"},
        {"threshold_b", "threshold_backward.default", "g, x, 0.1"},
        {"gelu_b", "gelu_backward.default", "g, x"},
        {"gelu_tanh_b", "gelu_backward.default", "g, x, approximate = 'tanh'"},
        {"dropout_b", "native_dropout_backward.default", "g, m, 2.0"},
        {"threshold_1", "threshold.default", "x, 0.1, 20.0"},
        {"nan_to_num_1", "nan_to_num.default", "x, 0.0, 1.0, -1.0"},
        {"tril_1", "tril.default", "x, 3"},
        {"triu_1", "triu.default", "x, -1"},
        {"add_1", "add.Tensor", "x, y"},
        {"add_2", "add.Tensor", "x, y, alpha = 3"},
        {"add_3", "add.Tensor", "x, 0.1"},
        {"sub_1", "sub.Tensor", "x, y"},
        {"sub_2", "sub.Tensor", "x, y, alpha = 0.3"},
        {"rsub_1", "rsub.Scalar", "x, 0.7"},
        {"mul_1", "mul.Tensor", "x, y"},
        {"mul_2", "mul.Tensor", "x, 0.3"},
        {"mul_3", "mul.Tensor", "x, z"},
        {"mul_4", "mul.Tensor", "x, w"},
        {"div_1", "div.Tensor", "x, y"},
        {"div_2", "div.Tensor", "x, 0.3"},
        {"div_3", "div.Scalar", "x, 3"},
        {"div_floor", "div.Tensor_mode", "x, y, rounding_mode = 'floor'"},
        {"div_trunc", "div.Tensor_mode", "x, y, rounding_mode = 'trunc'"},
        {"floor_divide_1", "floor_divide.default", "x, y"},
        {"remainder_1", "remainder.Tensor", "x, y"},
        {"remainder_2", "remainder.Scalar", "x, 0.7"},
        {"fmod_1", "fmod.Tensor", "x, y"},
        {"pow_1", "pow.Tensor_Scalar", "x, 2"},
        {"pow_2", "pow.Tensor_Scalar", "x, 3"},
        {"pow_3", "pow.Tensor_Scalar", "a, 0.5"},
        {"pow_4", "pow.Tensor_Scalar", "a, -1.0"},
        {"pow_5", "pow.Tensor_Scalar", "a, 1.5"},
        {"pow_6", "pow.Tensor_Tensor", "a, y"},
        {"pow_7", "pow.Scalar", "2.0, x"},
        {"maximum_1", "maximum.default", "x, y"},
        {"minimum_1", "minimum.default", "x, y"},
        {"fmax_1", "fmax.default", "x, y"},
        {"fmin_1", "fmin.default", "x, y"},
        {"atan2_1", "atan2.default", "x, y"},
        {"hypot_1", "hypot.default", "x, y"},
        {"copysign_1", "copysign.Tensor", "x, y"},
        {"clamp_1", "clamp.default", "x, -0.1, 0.3"},
        {"clamp_2", "clamp.Tensor", "x, y, None"},
        {"clamp_3", "clamp_min.default", "x, 0.1"},
        {"clamp_4", "clamp_max.Tensor", "x, y"},
        {"where_1", "where.self", "m, x, y"},
        {"where_2", "where.ScalarOther", "m, x, 0.3"},
        {"masked_fill_1", "masked_fill.Scalar", "x, m, 0.3"},
        {"addcmul_1", "addcmul.default", "x, y, g, value = 0.5"},
        {"addcdiv_1", "addcdiv.default", "x, y, a, value = 0.5"},
        {"lerp_1", "lerp.Scalar", "x, y, 0.3"},
        {"lerp_2", "lerp.Tensor", "x, y, a"},
        {"xlogy_1", "xlogy.Tensor", "a, a"},
        {"logaddexp_1", "logaddexp.default", "x, y"},
        {"flip_1", "flip.default", "x, [1]"},
        {"roll_1", "roll.default", "x, [5, 1], [1, 0]"},
    };
    for (const auto& [name, call, arguments] : calls) {
        add(name, "D", call, arguments);
    }
    for (const std::string name : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        add("c_" + name, "b8", name + ".Tensor", "x, y");
        add("d_" + name, "b8", name + ".Scalar", "x, 0.1");
    }
    for (const std::string name : {"and", "or", "xor"}) {
        add("l_" + name, "b8", "logical_" + name + ".default", "x, m");
    }
    return program;
}

Program castPrograms() {
    Program program;
    program.inputs = "x: \"D[3, 37][37, 1]\"";
    program.calls.push_back("a|D|[3, 37][37, 1]|abs.default|x");
    const std::vector<std::pair<std::string, std::string>> types = {{"f32", "float32"},
                                                                    {"f64", "float64"},
                                                                    {"bf16", "bfloat16"},
                                                                    {"f16", "float16"},
                                                                    {"i32", "int32"},
                                                                    {"i64", "int64"},
                                                                    {"i16", "int16"},
                                                                    {"i8", "int8"},
                                                                    {"u8", "uint8"},
                                                                    {"b8", "bool"},
                                                                    {"f8e4m3fn", "float8_e4m3fn"},
                                                                    {"f8e5m2", "float8_e5m2"},
                                                                    {"f8e4m3fnuz", "float8_e4m3fnuz"},
                                                                    {"f8e5m2fnuz", "float8_e5m2fnuz"}};
    for (const auto& [type, name] : types) {
        const std::string source = type == "u8" ? "a" : "x";
        program.calls.push_back("t_" + type + "|" + type + "|[3, 37][37, 1]|_to_copy.default|" + source +
                                ", dtype = torch." + name);
        program.calls.push_back("q_" + type + "|D|[3, 37][37, 1]|_to_copy.default|t_" + type +
                                ", dtype = torch.N");
    }
    return program;
}

Program integerPrograms() {
    Program program;
    program.inputs =
        "x: \"D[3, 37][37, 1]\", y: \"D[3, 37][37, 1]\", z: \"f32[37][1]\", m: \"b8[3, 37][37, 1]\"";
    const auto add = [&](const std::string& name, const std::string& dtype, const std::string& call,
                         const std::string& arguments, const std::string& sizes = "[3, 37][37, 1]") {
        program.calls.push_back(name + "|" + dtype + "|" + sizes + "|" + call + "|" + arguments);
    };
    add("p1", "D", "remainder.Scalar", "y, 5");
    add("p", "D", "add.Tensor", "p1, 2");
    add("q", "D", "remainder.Scalar", "x, 7");
    const std::vector<std::array<std::string, 2>> same = {
        {"add.Tensor", "x, y"},
        {"add.Tensor", "x, y, alpha = 3"},
        {"sub.Tensor", "x, y"},
        {"mul.Tensor", "x, y"},
        {"mul.Tensor", "x, 3"},
        {"div.Tensor_mode", "x, p, rounding_mode = 'floor'"},
        {"div.Tensor_mode", "x, p, rounding_mode = 'trunc'"},
        {"floor_divide.default", "x, p"},
        {"remainder.Tensor", "x, p"},
        {"fmod.Tensor", "x, p"},
        {"pow.Tensor_Scalar", "x, 3"},
        {"maximum.default", "x, y"},
        {"minimum.default", "x, y"},
        {"clamp.default", "x, 1, 5"},
        {"where.self", "m, x, y"},
        {"masked_fill.Scalar", "x, m, 3"},
        {"bitwise_and.Tensor", "x, y"},
        {"bitwise_or.Tensor", "x, y"},
        {"bitwise_xor.Tensor", "x, y"},
        {"bitwise_not.default", "x"},
        {"abs.default", "x"},
        {"neg.default", "x"},
        {"sign.default", "x"},
        {"relu.default", "x"},
        {"square.default", "x"},
        {"bitwise_left_shift.Tensor", "q, p"},
        {"bitwise_right_shift.Tensor", "x, p"}};
    for (std::size_t i = 0; i < same.size(); ++i) {
        add("s" + std::to_string(i), "D", same[i][0], same[i][1]);
    }
    add("div_1", "f32", "div.Tensor", "x, p");
    add("sqrt_1", "f32", "sqrt.default", "p");
    add("exp_1", "f32", "exp.default", "q");
    add("mul_1", "f32", "mul.Tensor", "x, 0.5");
    add("add_1", "f32", "add.Tensor", "x, z");
    add("eq_1", "b8", "eq.Scalar", "x, 2");
    add("gt_1", "b8", "gt.Tensor", "x, y");
    add("cast_1", "bf16", "_to_copy.default", "x, dtype = torch.bfloat16");
    add("sum_1", "i64", "sum.dim_IntList", "x, [1]", "[3][1]");
    add("amax_1", "D", "amax.default", "x, [1]", "[3][1]");
    add("amin_1", "D", "amin.default", "x, [1]", "[3][1]");
    add("prod_1", "i64", "prod.dim_int", "x, 1", "[3][1]");
    add("argmax_1", "i64", "argmax.default", "x, 1", "[3][1]");
    return program;
}

Program reductionPrograms() {
    Program program;
    program.inputs =
        "x: \"D[4, 3, 40][120, 40, 1]\", y: \"D[4, 3, 40][120, 40, 1]\", g: \"D[4, 3, 40][120, 40, 1]\", "
        "w: \"D[40][1]\", b: \"D[40][1]\", h: \"D[4, 6, 4, 5][120, 20, 5, 1]\", "
        "k: \"D[4, 6, 4, 5][120, 20, 5, 1]\", u: \"D[6][1]\", v: \"D[6][1]\"";
    const std::string rows = "[4, 3][3, 1]";
    const std::string kept = "[4, 3, 1][3, 1, 1]";
    const std::string all = "[4, 3, 40][120, 40, 1]";
    const std::vector<std::array<std::string, 4>> calls = {
        {"sum_1", rows, "sum.dim_IntList", "x, [-1]"},
        {"sum_2", kept, "sum.dim_IntList", "x, [-1], True"},
        {"sum_3", "[4][1]", "sum.dim_IntList", "x, [1, 2]"},
        {"sum_4", "[][]", "sum.default", "x"},
        {"mean_1", rows, "mean.dim", "x, [2]"},
        {"mean_2", "[][]", "mean.default", "x"},
        {"amax_1", rows, "amax.default", "x, [-1]"},
        {"amin_1", rows, "amin.default", "x, [-1]"},
        {"max_1", "[][]", "max.default", "x"},
        {"var_1", rows, "var.correction", "x, [2], correction = 1"},
        {"std_1", rows, "std.correction", "x, [2], correction = 0"},
        {"prod_1", rows, "prod.dim_int", "x, 2"},
        {"lse_1", rows, "logsumexp.default", "x, [2]"},
        {"norm_1", rows, "linalg_vector_norm.default", "x, 2, [2]"},
        {"norm_2", rows, "linalg_vector_norm.default", "x, 1, [2]"},
        {"softmax_1", all, "_softmax.default", "x, 2, False"},
        {"log_softmax_1", all, "_log_softmax.default", "x, 2, False"},
        {"safe_softmax_1", all, "_safe_softmax.default", "x, 2"},
        {"softmax_b", all, "_softmax_backward_data.default", "g, y, 2, torch.N"},
        {"log_softmax_b", all, "_log_softmax_backward_data.default", "g, y, 2, torch.N"},
        {"mse_1", "[][]", "mse_loss.default", "x, y"},
        {"mse_2", all, "mse_loss.default", "x, y, 0"},
        {"mse_3", "[][]", "mse_loss.default", "x, y, 2"},
        {"mse_b", all, "mse_loss_backward.default", "mse_1, x, y, 1"},
    };
    for (const auto& [name, sizes, call, arguments] : calls) {
        program.calls.push_back(name + "|D|" + sizes + "|" + call + "|" + arguments);
    }
    for (const char* call :
         {"any_1|b8|[4, 3][3, 1]|any.dim|x, 2",
          "all_1|b8|[4, 3][3, 1]|all.dim|x, 2",
          "argmax_1|i64|[4, 3][3, 1]|argmax.default|x, 2",
          "argmin_1|i64|[][]|argmin.default|x",
          "mx|||max.dim|x, 2",
          "mx0|D|[4, 3][3, 1]|[0]|mx",
          "mx1|i64|[4, 3][3, 1]|[1]|mx",
          "vm|||var_mean.correction|x, [2], correction = 1, keepdim = True",
          "vm0|D|[4, 3, 1][3, 1, 1]|[0]|vm",
          "vm1|D|[4, 3, 1][3, 1, 1]|[1]|vm",
          "ln|||native_layer_norm.default|x, [40], w, b, 1e-05",
          "ln0|D|[4, 3, 40][120, 40, 1]|[0]|ln",
          "ln1|D|[4, 3, 1][3, 1, 1]|[1]|ln",
          "ln2|D|[4, 3, 1][3, 1, 1]|[2]|ln",
          "lb|||native_layer_norm_backward.default|g, x, [40], ln1, ln2, w, b, [True, True, True]",
          "lb0|D|[4, 3, 40][120, 40, 1]|[0]|lb",
          "lb1|D|[40][1]|[1]|lb",
          "lb2|D|[40][1]|[2]|lb",
          "gn|||native_group_norm.default|h, u, v, 4, 6, 20, 2, 1e-05",
          "gn0|D|[4, 6, 4, 5][120, 20, 5, 1]|[0]|gn",
          "gn1|D|[4, 2][2, 1]|[1]|gn",
          "gn2|D|[4, 2][2, 1]|[2]|gn",
          "gb|||native_group_norm_backward.default|k, h, gn1, gn2, u, 4, 6, 20, 2, [True, True, True]",
          "gb0|D|[4, 6, 4, 5][120, 20, 5, 1]|[0]|gb",
          "gb1|D|[6][1]|[1]|gb"}) {
        program.calls.emplace_back(call);
    }
    return program;
}

} // namespace

TEST_CASE("pointwise operators of floats equal ATen's") {
    for (const auto& [dtype, name] : floatTypes) {
        CAPTURE(dtype);
        checkEqual(kernelCheckOf(graphOfCalls(pointwisePrograms(), dtype, name)));
    }
}

TEST_CASE("casts equal ATen's to the last bit, also those to float8") {
    for (const auto& [dtype, name] : floatTypes) {
        CAPTURE(dtype);
        const session::KernelCheck check = kernelCheckOf(graphOfCalls(castPrograms(), dtype, name));
        checkEqual(check);
        CHECK(std::ranges::all_of(check.kernels, &session::KernelVerdict::identical));
    }
}

TEST_CASE("operators of integers equal ATen's to the last bit") {
    for (const auto& [dtype, name] : std::vector<std::pair<std::string, std::string>>{
             {"i64", "int64"}, {"i32", "int32"}, {"i16", "int16"}, {"i8", "int8"}, {"u8", "uint8"}}) {
        CAPTURE(dtype);
        checkEqual(kernelCheckOf(graphOfCalls(integerPrograms(), dtype, name)));
    }
}

TEST_CASE("reductions, softmax, losses and normalizations equal ATen's") {
    for (const auto& [dtype, name] : floatTypes) {
        CAPTURE(dtype);
        checkEqual(kernelCheckOf(graphOfCalls(reductionPrograms(), dtype, name)));
    }
}

TEST_CASE("NaN and infinities come through as in ATen") {
    const auto graph = graphOf("x: \"f32[4][1]\", y: \"f32[4][1]\"", R"(
        maximum: "f32[4][1]" = torch.ops.aten.maximum.default(x, y)
        minimum: "f32[4][1]" = torch.ops.aten.minimum.default(x, y)
        clamp: "f32[4][1]" = torch.ops.aten.clamp.default(x, -1, 1)
        relu: "f32[4][1]" = torch.ops.aten.relu.default(x)
        amax: "f32[][]" = torch.ops.aten.amax.default(x)
        argmax: "i64[][]" = torch.ops.aten.argmax.default(x)
        sum_1: "f32[][]" = torch.ops.aten.sum.default(y)
        to: "bf16[4][1]" = torch.ops.aten._to_copy.default(x, dtype = torch.bfloat16)
        to_1: "f8e4m3fn[4][1]" = torch.ops.aten._to_copy.default(y, dtype = torch.float8_e4m3fn)
        to_2: "f8e5m2[4][1]" = torch.ops.aten._to_copy.default(y, dtype = torch.float8_e5m2)
        return (maximum, minimum, clamp, relu, amax, argmax, sum_1, to, to_1, to_2)
)");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    session::RunOptions options;
    options.inputs["x"] = test::floats({4}, {nan, 2, -infinity, 500});
    options.inputs["y"] = test::floats({4}, {1, nan, infinity, -465});
    checkEqual(kernelCheckOf(graph, options));
}

TEST_CASE("functions that lose digits inside are allowed what they lose, and no more") {
    // 1 + erf(x / sqrt(2)) is the difference of two numbers near 1 for all of these.
    std::vector<float> numbers;
    for (int i = 0; i < 4096; ++i) {
        numbers.push_back(-3.6F + 0.0001F * static_cast<float>(i));
    }
    const auto graph = graphOf("x: \"f32[4096]\", y: \"f32[4096]\"", R"(
        gelu: "f32[4096]" = torch.ops.aten.gelu.default(x)
        gelu_backward: "f32[4096]" = torch.ops.aten.gelu_backward.default(y, x)
        return (gelu, gelu_backward)
)");
    const auto check = kernelCheckOf(graph, test::withInputs({{"x", test::floats({4096}, numbers)}}));
    checkEqual(check);
    for (const session::KernelVerdict& kernel : check.kernels) {
        CHECK(kernel.allowed < 1e-5);
    }
}
