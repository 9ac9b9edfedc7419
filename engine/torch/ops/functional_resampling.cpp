#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <algorithm>

/// Interpolation, sampling and padding. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

struct Scaling {
    Value size;
    Value factors;
};

Scaling scalingOf(Calls& call, const Bound& args, std::size_t dims) {
    const Value& size = args["size"];
    const Value& factor = args["scale_factor"];
    if (size.isNone() == factor.isNone()) {
        fail("ops.arguments", "interpolate needs either a size or a scale factor.");
    }
    const auto toList = [dims](const Value& value) {
        return value.isSequence() ? value : Value::list(Values(dims, value));
    };
    Scaling scaling;
    if (!size.isNone()) {
        scaling.size = toList(size);
        return scaling;
    }
    scaling.factors = toList(factor);
    const bool recompute =
        (!args["recompute_scale_factor"].isNone() && args.flag("recompute_scale_factor")) ||
        args["mode"].string() == "area";
    if (recompute) {
        scaling.size = scaledSizes(call, args.tensor("input"), scaling.factors, dims);
        scaling.factors = {};
    }
    return scaling;
}

Value alignCorners(const Bound& args) {
    return args["align_corners"].isNone() ? Value(false) : args["align_corners"];
}

Value interpolate(Calls& call, const Bound& args) {
    const at::Tensor& input = args.tensor("input");
    const std::string& mode = args["mode"].string();
    const std::int64_t rank = input.dim();
    if (rank < 3 || rank > 5) {
        fail("ops.arguments", "interpolate needs an input of 3, 4 or 5 dimensions.");
    }
    const auto dims = static_cast<std::size_t>(rank - 2);
    const std::string suffix = std::to_string(dims) + "d";
    const Scaling scaling = scalingOf(call, args, dims);
    if (mode == "nearest" || mode == "nearest-exact") {
        const std::string op = mode == "nearest" ? "upsample_nearest" : "_upsample_nearest_exact";
        return call.torch(op + suffix, {input, scaling.size, scaling.factors});
    }
    if (mode == "area") {
        return call.torch("adaptive_avg_pool" + suffix, {input, scaling.size});
    }
    const Value align = alignCorners(args);
    const std::string_view linear = rank == 3 ? "linear" : rank == 4 ? "bilinear" : "trilinear";
    if (mode != linear && !(mode == "bicubic" && rank == 4)) {
        fail("ops.arguments", "interpolate has no mode \"" + mode + "\" for an input of " +
                                  std::to_string(rank) + " dimensions.");
    }
    const bool antialias = args.flag("antialias");
    return call.torch((antialias ? "_upsample_" : "upsample_") + mode + suffix + (antialias ? "_aa" : ""),
                      {input, scaling.size, align, scaling.factors});
}

Value upsampleAs(Calls& call, const Bound& args, std::string_view mode, const Value& align) {
    return call.function("torch.nn.functional.interpolate",
                         {args["input"], args["size"], args["scale_factor"]},
                         {{"mode", std::string(mode)}, {"align_corners", align}});
}

Value gridSample(Calls& call, const Bound& args) {
    return call.torch("grid_sampler", {args["input"], args["grid"],
                                       modeNumber(args, "mode", {"bilinear", "nearest", "bicubic"}),
                                       modeNumber(args, "padding_mode", {"zeros", "border", "reflection"}),
                                       alignCorners(args)});
}

Value affineGrid(Calls& call, const Bound& args) {
    return call.torch("affine_grid_generator", {args["theta"], args["size"], alignCorners(args)});
}

const PythonFunction functionalResamplingTable[] = {
    {"torch.nn.functional.interpolate",
     "input, size=None, scale_factor=None, mode=\"nearest\", align_corners=None, "
     "recompute_scale_factor=None, antialias=False",
     interpolate},
    {"torch.nn.functional.upsample",
     "input, size=None, scale_factor=None, mode=\"nearest\", align_corners=None",
     [](Calls& c, const Bound& a) { return upsampleAs(c, a, a["mode"].string(), a["align_corners"]); }},
    {"torch.nn.functional.upsample_nearest", "input, size=None, scale_factor=None",
     [](Calls& c, const Bound& a) { return upsampleAs(c, a, "nearest", {}); }},
    {"torch.nn.functional.upsample_bilinear", "input, size=None, scale_factor=None",
     [](Calls& c, const Bound& a) { return upsampleAs(c, a, "bilinear", true); }},
    {"torch.nn.functional.grid_sample",
     "input, grid, mode=\"bilinear\", padding_mode=\"zeros\", align_corners=None", gridSample},
    {"torch.nn.functional.affine_grid", "theta, size, align_corners=None", affineGrid},
    {"torch.nn.functional.pad", "input, pad, mode=\"constant\", value=None",
     callsTorch<"pad", "input", "pad", "mode", "value">},
};

} // namespace

std::int64_t modeNumber(const Bound& args, std::string_view parameter,
                        std::initializer_list<std::string_view> modes) {
    const std::string& name = args[parameter].string();
    const auto* found = std::ranges::find(modes, name);
    if (found == modes.end()) {
        fail("ops.arguments", "\"" + name + "\" is not a mode of " + std::string(args.ownName()) + ".");
    }
    return found - modes.begin();
}

constinit const FunctionFamily resamplingFunctions = functionalResamplingTable;

} // namespace aotscope::torch::ops
