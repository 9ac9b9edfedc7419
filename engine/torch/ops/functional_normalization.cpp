#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

/// Normalizations. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

/// The default of torch.backends.cudnn.enabled.
constexpr bool cudnnEnabled = true;

/// Throws when the product of the sizes is known to be 1: one value has no statistics (`_verify_batch_size`).
void checkMoreThanOne(const std::vector<c10::SymInt>& sizes) {
    c10::SymInt product = 1;
    for (const c10::SymInt& size : sizes) {
        product = product * size;
    }
    if (product == 1) {
        fail("ops.arguments", "A normalization in training needs more than one value per channel.");
    }
}

/// batch_norm and instance_norm. `training`: the parameter that asks for statistics of the input, over the
/// batch too for the first.
Value withStatistics(Calls& call, const Bound& args, std::string_view training, bool overBatch) {
    const Value& input = args["input"];
    if (args.flag(training)) {
        const at::Tensor& tensor = args.tensor("input");
        std::vector<c10::SymInt> sizes;
        for (std::int64_t dim = overBatch ? 0 : 2; dim < tensor.dim(); ++dim) {
            if (dim != 1) {
                sizes.push_back(tensor.sym_size(dim));
            }
        }
        checkMoreThanOne(sizes);
    }
    return call.torch(args.ownName(),
                      {input, args["weight"], args["bias"], args["running_mean"], args["running_var"],
                       args[training], args["momentum"], args["eps"], cudnnEnabled});
}

Value layerNorm(Calls& call, const Bound& args) {
    return call.torch("layer_norm", {args["input"], args["normalized_shape"], args["weight"], args["bias"],
                                     args["eps"], cudnnEnabled});
}

Value groupNorm(Calls& call, const Bound& args) {
    const at::Tensor& input = args.tensor("input");
    if (input.dim() < 2) {
        fail("ops.arguments", "group_norm needs an input of at least 2 dimensions.");
    }
    const c10::SymInt groups = args["num_groups"].symInt();
    std::vector<c10::SymInt> sizes{input.sym_size(0) * input.sym_size(1) / groups};
    const c10::SymIntArrayRef all = input.sym_sizes();
    sizes.insert(sizes.end(), all.begin() + 2, all.end());
    checkMoreThanOne(sizes);
    return call.torch("group_norm",
                      {input, args["num_groups"], args["weight"], args["bias"], args["eps"], cudnnEnabled});
}

Value localResponseNorm(Calls& call, const Bound& args) {
    const at::Tensor& input = args.tensor("input");
    if (input.dim() < 3) {
        fail("ops.arguments", "local_response_norm needs an input of at least 3 dimensions.");
    }
    if (input.sym_numel() == 0) {
        return input;
    }
    const std::int64_t size = args["size"].integer();
    Value div = call.method("mul", {input, input});
    const auto pool = [&](std::string_view op, Values padding, Values kernel) {
        div = call.torch("pad", {div, Value::tuple(std::move(padding)), "constant", Value()});
        div = call.torch(op, {div, Value::tuple(std::move(kernel))}, {{"stride", 1}});
        div = call.method("squeeze", {div, 1});
    };
    if (input.dim() == 3) {
        div = div.tensor().unsqueeze(1);
        pool("avg_pool2d", {0, 0, size / 2, (size - 1) / 2}, {size, 1});
    } else {
        div = call.method("view", {div, input.sym_size(0), 1, input.sym_size(1), input.sym_size(2), -1});
        pool("avg_pool3d", {0, 0, 0, 0, size / 2, (size - 1) / 2}, {size, 1, 1});
        div = call.method("view", {div, Value::size(input.sym_sizes())});
    }
    div = call.method("mul", {div, args["alpha"]});
    div = call.method("pow", {call.method("add", {div, args["k"]}), args["beta"]});
    return call.method("div", {input, div});
}

Value normalize(Calls& call, const Bound& args) {
    const Value& input = args["input"];
    const bool toOut = !args["out"].isNone();
    Value denominator = call.method("norm", {input, args["p"], args["dim"]}, {{"keepdim", true}});
    denominator = call.method(toOut ? "clamp_min_" : "clamp_min", {denominator, args["eps"]});
    denominator = call.method("expand_as", {denominator, input});
    return toOut ? call.torch("div", {input, denominator}, {{"out", args["out"]}})
                 : call.method("div", {input, denominator});
}

const PythonFunction functionalNormalizationTable[] = {
    {"torch.nn.functional.batch_norm",
     "input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05",
     sharing<withStatistics, "training", true>},
    {"torch.nn.functional.instance_norm",
     "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, "
     "momentum=0.1, eps=1e-05",
     sharing<withStatistics, "use_input_stats", false>},
    {"torch.nn.functional.layer_norm", "input, normalized_shape, weight=None, bias=None, eps=1e-05",
     layerNorm},
    {"torch.nn.functional.rms_norm", "input, normalized_shape, weight=None, eps=None",
     callsTorch<"rms_norm", "input", "normalized_shape", "weight", "eps">},
    {"torch.nn.functional.group_norm", "input, num_groups, weight=None, bias=None, eps=1e-05", groupNorm},
    {"torch.nn.functional.local_response_norm", "input, size, alpha=0.0001, beta=0.75, k=1.0",
     localResponseNorm},
    {"torch.nn.functional.normalize", "input, p=2.0, dim=1, eps=1e-12, out=None", normalize},
};

} // namespace

constinit const FunctionFamily normalizationFunctions = functionalNormalizationTable;

} // namespace aotscope::torch::ops
