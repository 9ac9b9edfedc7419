#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <algorithm>

/// Functions of the module torch that are implemented in Python. Follows torch 2.11, torch/functional.py.
namespace aotscope::torch::ops {

namespace {

Value broadcastShapes(Calls& /*call*/, const Bound& args) {
    std::vector<c10::SymInt> sizes;
    for (const Value& shape : args["shapes"].items()) {
        const std::vector<c10::SymInt> next = shape.symInts();
        if (next.size() > sizes.size()) {
            sizes.insert(sizes.begin(), next.size() - sizes.size(), 1);
        }
        for (std::size_t i = 0; i < next.size(); ++i) {
            c10::SymInt& size = sizes[sizes.size() - next.size() + i];
            size = size == 1 ? next[i] : size;
        }
    }
    return Value::size(sizes);
}

/// Converts einsum subscripts from lists of numbers to letters.
std::string letters(const Value& subscripts) {
    std::string text;
    for (const Value& subscript : subscripts.items()) {
        if (subscript.is<Ellipsis>()) {
            text += "...";
        } else {
            const std::int64_t n = subscript.integer();
            text += static_cast<char>(n < 26 ? 'A' + n : 'a' + n - 26);
        }
    }
    return text;
}

Value einsum(Calls& call, const Bound& args) {
    const auto given = args["args"].items();
    if (given.size() < 2) {
        fail("ops.arguments", "einsum needs an equation and operands.");
    }
    std::string equation;
    Values operands;
    if (given[0].isTensor()) {
        for (std::size_t i = 0; i + 1 < given.size(); i += 2) {
            operands.push_back(given[i]);
            equation += (equation.empty() ? "" : ",") + letters(given[i + 1]);
        }
        equation += given.size() % 2 == 1 ? "->" + letters(given.back()) : "";
    } else {
        equation = given[0].string();
        operands.assign(given.begin() + 1, given.end());
    }
    if (operands.size() == 1 && operands[0].isSequence()) {
        const auto items = operands[0].items();
        operands = Values(items.begin(), items.end());
    }
    return call.torch("einsum", {equation, Value::tuple(std::move(operands))});
}

Value meshgrid(Calls& call, const Bound& args) {
    const Keywords indexing =
        args["indexing"].isNone() ? Keywords() : Keywords{{"indexing", args["indexing"]}};
    return call.torch("meshgrid", {listOrArguments(args["tensors"])}, indexing);
}

Value stft(Calls& call, const Bound& args) {
    Value input = args["input"];
    if (args.flag("center")) {
        const at::Tensor signal = input.tensor();
        const std::int64_t rank = signal.dim();
        Values extended(static_cast<std::size_t>(std::max<std::int64_t>(0, 3 - rank)), Value(1));
        extended.insert(extended.end(), signal.sym_sizes().begin(), signal.sym_sizes().end());
        const Value half = args["n_fft"].integer() / 2;
        input = call.method("view", {input, Value::list(std::move(extended))});
        input = call.torch("pad", {input, Value::list({half, half}), args["pad_mode"], Value()});
        const at::Tensor padded = input.tensor();
        const c10::SymIntArrayRef sizes = padded.sym_sizes();
        input = call.method("view",
                            {input, Value::size(sizes.slice(sizes.size() - static_cast<std::size_t>(rank)))});
    }
    return call.torch("stft", {input, args["n_fft"], args["hop_length"], args["win_length"], args["window"],
                               args["normalized"], args["onesided"], args["return_complex"],
                               args["align_to_window"]});
}

/// The unique values, with inverse indices and counts where requested.
Value chosenOfUnique(const Value& all, const Bound& args) {
    const auto items = all.items();
    Values chosen{items[0]};
    if (args.flag("return_inverse")) {
        chosen.push_back(items[1]);
    }
    if (args.flag("return_counts")) {
        chosen.push_back(items[2]);
    }
    return chosen.size() == 1 ? chosen[0] : Value::tuple(std::move(chosen));
}

Value unique(Calls& call, const Bound& args) {
    const Keywords options = args.with({"sorted", "return_inverse", "return_counts"});
    return chosenOfUnique(args["dim"].isNone()
                              ? call.torch("_unique2", {args["input"]}, options)
                              : call.torch("unique_dim", {args["input"], args["dim"]}, options),
                          args);
}

Value uniqueConsecutive(Calls& call, const Bound& args) {
    return chosenOfUnique(call.torch("unique_consecutive", {args["input"]},
                                     args.with({"return_inverse", "return_counts", "dim"})),
                          args);
}

Value tensordot(Calls& call, const Bound& args) {
    const Value& dims = args["dims"];
    Values first;
    Values second;
    if (dims.isSequence()) {
        const auto both = dims.items();
        const auto listed = [](const Value& of) {
            const std::vector<c10::SymInt> all = of.symInts();
            return Values(all.begin(), all.end());
        };
        first = listed(both[0]);
        second = listed(both[1]);
    } else {
        const std::int64_t count = dims.isTensor() ? dims.tensor().item().toLong() : dims.integer();
        for (std::int64_t dim = 0; dim < count; ++dim) {
            first.emplace_back(dim - count);
            second.emplace_back(dim);
        }
    }
    return call.torch("tensordot",
                      {args["a"], args["b"], Value::list(std::move(first)), Value::list(std::move(second))},
                      args["out"].isNone() ? Keywords() : args.with({"out"}));
}

Value cdist(Calls& call, const Bound& args) {
    const std::string& mode = args["compute_mode"].string();
    const Value number = mode == "use_mm_for_euclid_dist"         ? Value(1)
                         : mode == "donot_use_mm_for_euclid_dist" ? Value(2)
                                                                  : Value();
    return call.torch("cdist", {args["x1"], args["x2"], args["p"], number});
}

Value atLeast(Calls& call, const Bound& args) {
    const auto items = args["tensors"].items();
    return call.torch(args.ownName(), {items.size() == 1 ? items[0] : args["tensors"]});
}

Value allDims(const at::Tensor& input) {
    Values dims;
    for (std::int64_t dim = 0; dim < input.dim(); ++dim) {
        dims.emplace_back(dim);
    }
    return Value::list(std::move(dims));
}

Value norm(Calls& call, const Bound& args) {
    const at::Tensor& input = args.tensor("input");
    const Value& p = args["p"];
    Value dim = args["dim"];
    if (dim.isInt()) {
        dim = Value::list({dim});
    }
    Keywords options{{"dtype", args["dtype"]}};
    if (!args["out"].isNone()) {
        options.emplace_back("out", args["out"]);
    }
    if (p.isString()) {
        if (p.string() == "fro" && (dim.isNone() || dim.items().size() <= 2)) {
            return call.torch("linalg_vector_norm", {input, 2, dim, args["keepdim"]}, options);
        }
        return call.torch("linalg_matrix_norm",
                          {input, p, dim.isNone() ? allDims(input) : dim, args["keepdim"]}, options);
    }
    return call.torch("linalg_vector_norm", {input, p.isNone() ? Value(2.0) : p, dim, args["keepdim"]},
                      options);
}

Value unravelIndex(Calls& call, const Bound& args) {
    const std::vector<c10::SymInt> shape = args["shape"].symInts();
    const at::Tensor& indices = args.tensor("indices");
    Values coefficients(shape.size());
    c10::SymInt product = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        coefficients[i] = product;
        product = product * shape[i];
    }
    const Keywords options{{"device", indices.device()}, {"dtype", c10::kLong}};
    Value result = indices.unsqueeze(-1);
    result =
        call.method("floor_divide",
                    {result, call.function("torch.tensor", {Value::list(std::move(coefficients))}, options)});
    const Value sizes =
        call.function("torch.tensor", {Value::list(Values(shape.begin(), shape.end()))}, options);
    result = callPythonOperator(call, "mod", {result, sizes});
    return call.method("unbind", {result, -1});
}

Value lu(Calls& call, const Bound& args) {
    const Value all = call.torch("_lu_with_info", {args["A"]},
                                 {{"pivot", args["pivot"]}, {"check_errors", !args.flag("get_infos")}});
    return args.flag("get_infos") ? all : Value::tuple({all.items()[0], all.items()[1]});
}

Value where(Calls& call, const Bound& args) {
    if (args["input"].isNone()) {
        return call.torch("where", {args["condition"]});
    }
    return call.torch("where", {args["condition"], args["input"], args["other"]});
}

/// torch.nonzero and Tensor.nonzero.
Value nonzero(Calls& call, const Bound& args) {
    return args.flag("as_tuple") ? call.torch("nonzero_numpy", {args["input"]})
                                 : call.op("aten.nonzero.default", {args["input"]});
}

const PythonFunction torchFunctionsTable[] = {
    {"torch.nn.functional.grouped_mm", "mat_a, mat_b, *, offs=None, bias=None, out_dtype=None",
     [](Calls& c, const Bound& a) {
         return c.torch("_grouped_mm", {a["mat_a"], a["mat_b"]}, a.with({"offs", "bias", "out_dtype"}));
     }},
    {"torch.functional.broadcast_tensors cartesian_prod block_diag", "*tensors",
     callsTorch<sameName, "tensors">},
    {"torch.functional.broadcast_shapes torch._C._infer_size", "*shapes", broadcastShapes},
    {"torch.functional.split", "tensor, split_size_or_sections, dim=0",
     callsMethod<"split", "tensor", "split_size_or_sections", "dim">},
    {"torch.functional.einsum", "*args", einsum},
    {"torch.functional.meshgrid", "*tensors, indexing=None", meshgrid},
    {"torch.functional.stft",
     "input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode=\"reflect\", "
     "normalized=False, onesided=None, return_complex=None, align_to_window=None",
     stft},
    {"torch.functional.unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None",
     unique},
    {"torch.functional.unique_consecutive", "input, return_inverse=False, return_counts=False, dim=None",
     uniqueConsecutive},
    {"torch.functional.tensordot", "a, b, dims=2, out=None", tensordot},
    {"torch.functional.chain_matmul", "*matrices, out=None", callsTorch<"chain_matmul", "matrices">},
    {"torch.functional.cdist", "x1, x2, p=2.0, compute_mode=\"use_mm_for_euclid_dist_if_necessary\"", cdist},
    {"torch.functional.atleast_1d atleast_2d atleast_3d", "*tensors", atLeast},
    {"torch.functional.norm", "input, p=\"fro\", dim=None, keepdim=False, out=None, dtype=None", norm},
    {"torch.functional.unravel_index", "indices, shape", unravelIndex},
    {"torch.functional.lu", "A, pivot=True, get_infos=False, out=None", lu},
    {"torch._segment_reduce",
     "data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None",
     [](Calls& c, const Bound& a) {
         return c.torch("segment_reduce", {a["data"], a["reduce"]},
                        a.with({"lengths", "indices", "offsets", "axis", "unsafe", "initial"}));
     }},
    {"torch.where", "condition, input=None, other=None", where},
    {"torch.nonzero Tensor.nonzero", "input, *, as_tuple=False", nonzero},
    {"torch.is_tensor", "obj", [](Calls&, const Bound& a) -> Value { return a["obj"].isTensor(); }},
    {"torch.get_default_dtype", "",
     [](Calls&, const Bound&) -> Value { return c10::get_default_dtype_as_scalartype(); }},
};

} // namespace

Value listOrArguments(const Value& arguments) {
    const auto items = arguments.items();
    return items.size() == 1 && items[0].isSequence() ? items[0] : arguments;
}

constinit const FunctionFamily torchFunctions = torchFunctionsTable;

} // namespace aotscope::torch::ops
