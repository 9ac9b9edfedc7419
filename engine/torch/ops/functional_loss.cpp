#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"
#include "fake/reference_layout.h"
#include "fake/shape_environment.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <numbers>

/// Losses. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

/// The reduction of a loss, also from the deprecated arguments `size_average` and `reduce`.
std::string reductionName(const Bound& args) {
    const Value& average = args["size_average"];
    const Value& reduce = args["reduce"];
    if (average.isNone() && reduce.isNone()) {
        return args["reduction"].string();
    }
    const bool reduces = reduce.isNone() || reduce.truth();
    return !reduces ? "none" : average.isNone() || average.truth() ? "mean" : "sum";
}

Value reductionValue(std::string_view name) {
    if (name == "none") {
        return 0;
    }
    if (name == "mean" || name == "elementwise_mean") {
        return 1;
    }
    if (name == "sum") {
        return 2;
    }
    fail("ops.arguments", "\"" + std::string(name) + "\" is not a reduction of a loss.");
}

Value reduction(const Bound& args) {
    return reductionValue(reductionName(args));
}

Value reduced(Calls& call, const Value& loss, std::string_view name) {
    return name == "none" ? loss : call.method(name, {loss});
}

/// Whether at least one of two tensors has symbolic sizes and both have the same shape for the logged sizes.
bool areAlike(const at::Tensor& left, const at::Tensor& right) {
    const bool symbolic = left.unsafeGetTensorImpl()->has_symbolic_sizes_strides() ||
                          right.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
    return symbolic && sampledValues(left.sym_sizes(), 0) == sampledValues(right.sym_sizes(), 0);
}

/// `target.size() != input.size()`: compares size by size up to the first difference, for the guards.
void compareSizes(const Bound& args) {
    const auto target = args.tensor("target").sym_sizes();
    const auto input = args.tensor("input").sym_sizes();
    for (std::size_t d = 0; d < std::min(target.size(), input.size()); ++d) {
        if (!target[d].sym_eq(input[d]).guard_or_false(__FILE__, __LINE__)) {
            return;
        }
    }
}

std::pair<Value, Value> broadcast(Calls& call, const Bound& args) {
    compareSizes(args);
    if (areAlike(args.tensor("input"), args.tensor("target"))) {
        // PyTorch's shape function adds no node for tensors of equal shape.
        static_cast<void>(reference::broadcast(
            {reference::Layout(args.tensor("input")), reference::Layout(args.tensor("target"))}));
        return {args["input"], args["target"]};
    }
    const Value both = call.torch("broadcast_tensors", {Value::list({args["input"], args["target"]})});
    return {both.items()[0], both.items()[1]};
}

Value gaussianLoss(Calls& call, const Bound& args) {
    const Value& input = args["input"];
    Value var = args["var"];
    if (var.isFloat()) {
        var = callPythonOperator(call, "mul", {var, call.torch("ones_like", {input})});
    } else {
        const Value negative = call.torch("any", {callPythonOperator(call, "lt", {var, 0})});
        if (negative.tensor().item().toBool()) {
            fail("ops.arguments", "gaussian_nll_loss got a negative variance.");
        }
    }
    const c10::SymIntArrayRef sizes = args.tensor("input").sym_sizes();
    const c10::SymIntArrayRef varSizes = var.tensor().sym_sizes();
    if (varSizes != sizes && varSizes == sizes.slice(0, sizes.size() - 1)) {
        var = var.tensor().unsqueeze(-1);
    }
    var = var.tensor().clone();
    const bool recordsGradients = c10::GradMode::is_enabled();
    call.function("torch._C._set_grad_enabled", {false});
    call.method("clamp_", {var}, {{"min", args["eps"]}});
    call.function("torch._C._set_grad_enabled", {recordsGradients});
    const Value logarithm = call.torch("log", {var});
    Value square = callPythonOperator(call, "sub", {input, args["target"]});
    square = callPythonOperator(call, "pow", {square, 2});
    square = callPythonOperator(call, "truediv", {square, var});
    Value loss = callPythonOperator(call, "add", {logarithm, square});
    loss = callPythonOperator(call, "mul", {0.5, loss});
    if (args.flag("full")) {
        loss = callPythonOperator(call, "iadd", {loss, 0.5 * std::log(2 * std::numbers::pi)});
    }
    return reduced(call, loss, args["reduction"].string());
}

Value klDivergence(Calls& call, const Bound& args) {
    const std::string name = reductionName(args);
    const bool byBatch = name == "batchmean";
    const Value loss =
        call.torch("kl_div", {args["input"], args["target"], reductionValue(byBatch ? "sum" : name)},
                   {{"log_target", args["log_target"]}});
    return byBatch && args.tensor("input").dim() != 0
               ? callPythonOperator(call, "truediv", {loss, args.tensor("input").sym_size(0)})
               : loss;
}

Value binaryCrossEntropy(Calls& call, const Bound& args) {
    compareSizes(args);
    Value weight = args["weight"];
    if (!weight.isNone()) {
        const c10::SymIntArrayRef target = args.tensor("target").sym_sizes();
        const c10::SymIntArrayRef given = weight.tensor().sym_sizes();
        // The broadcast of both shapes.
        std::vector<c10::SymInt> sizes(std::max(target.size(), given.size()), 1);
        for (const c10::SymIntArrayRef shape : {target, given}) {
            for (std::size_t i = 0; i < shape.size(); ++i) {
                c10::SymInt& size = sizes[sizes.size() - 1 - i];
                size = size == 1 ? shape[shape.size() - 1 - i] : size;
            }
        }
        weight = call.method("expand", {weight, Value::size(sizes)});
    }
    return call.torch("binary_cross_entropy", {args["input"], args["target"], weight, reduction(args)});
}

Value binaryCrossEntropyWithLogits(Calls& call, const Bound& args) {
    compareSizes(args);
    return call.torch("binary_cross_entropy_with_logits",
                      {args["input"], args["target"], args["weight"], args["pos_weight"], reduction(args)});
}

Value smoothL1(Calls& call, const Bound& args) {
    const auto [input, target] = broadcast(call, args);
    return args["beta"].real() == 0.0
               ? call.torch("l1_loss", {input, target, reduction(args)})
               : call.torch("smooth_l1_loss", {input, target, reduction(args), args["beta"]});
}

Value huber(Calls& call, const Bound& args) {
    const auto [input, target] = broadcast(call, args);
    const std::string& name = args["reduction"].string();
    if (args["weight"].isNone()) {
        return call.torch("huber_loss", {input, target, reductionValue(name), args["delta"]});
    }
    const Value loss = call.torch("huber_loss", {input, target, 0, args["delta"]});
    const Value weighted = callPythonOperator(call, "mul", {loss, args["weight"]});
    return name == "sum" ? call.torch("sum", {weighted}) : reduced(call, weighted, name);
}

/// l1_loss and mse_loss.
Value differenceLoss(Calls& call, const Bound& args, std::string_view op) {
    const auto [input, target] = broadcast(call, args);
    if (args["weight"].isNone()) {
        return call.torch(op, {input, target, reduction(args)});
    }
    const Value difference = callPythonOperator(call, "sub", {input, target});
    const Value loss = op == "l1_loss" ? call.torch("abs", {difference}) : call.torch("pow", {difference, 2});
    const Value weighted = callPythonOperator(call, "mul", {loss, args["weight"]});
    const std::string name = reductionName(args);
    if (name == "none") {
        return weighted;
    }
    const Value sum = call.torch("sum", {weighted});
    return name == "sum" ? sum
                         : callPythonOperator(call, "truediv", {sum, call.torch("sum", {args["weight"]})});
}

Value multilabelSoftMargin(Calls& call, const Bound& args) {
    const Value& input = args["input"];
    const Value& target = args["target"];
    const auto op = [&](std::string_view name, Values values) {
        return callPythonOperator(call, name, std::move(values));
    };
    const Value first = op("mul", {target, call.torch("log_sigmoid", {input})});
    const Value rest = op("sub", {1, target});
    const Value second = op("mul", {rest, call.torch("log_sigmoid", {op("neg", {input})})});
    Value loss = op("neg", {op("add", {first, second})});
    if (!args["weight"].isNone()) {
        loss = op("mul", {loss, args["weight"]});
    }
    const std::int64_t classDim = input.tensor().dim() - 1;
    loss = call.method("sum", {loss}, {{"dim", classDim}});
    loss = op("truediv", {loss, input.tensor().sym_size(classDim)});
    return reduced(call, loss, reductionName(args));
}

Value tripletWithDistance(Calls& call, const Bound& args) {
    const auto distance = [&](const Value& left, const Value& right) {
        const auto* function = args["distance_function"].as<FunctionReference>();
        return function == nullptr ? call.torch("pairwise_distance", {left, right})
                                   : call.function(function->target, {left, right});
    };
    const Value positive = distance(args["anchor"], args["positive"]);
    Value negative = distance(args["anchor"], args["negative"]);
    if (args.flag("swap")) {
        negative = call.torch("minimum", {negative, distance(args["positive"], args["negative"])});
    }
    Value loss = callPythonOperator(call, "add", {args["margin"], positive});
    loss = call.torch("clamp_min", {callPythonOperator(call, "sub", {loss, negative}), 0});
    const std::string& name = args["reduction"].string();
    return name == "none" ? loss : call.torch(name, {loss});
}

/// The body of a loss that hands its arguments to torch.OP, the reduction as a number.
template<FixedText Op, FixedText... Names>
Value lossOf(Calls& call, const Bound& args) {
    return call.torch(operatorOf<Op>(args),
                      {(Names.view() == "reduction" ? reduction(args) : args[Names.view()])...});
}

#define AOTSCOPE_OLD "size_average=None, reduce=None, reduction=\"mean\""
const PythonFunction functionalLossTable[] = {
    {"torch.nn.functional.cross_entropy",
     "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=\"mean\", "
     "label_smoothing=0.0",
     lossOf<"cross_entropy_loss", "input", "target", "weight", "reduction", "ignore_index",
            "label_smoothing">},
    {"torch.nn.functional.nll_loss",
     "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction=\"mean\"",
     lossOf<"nll_loss_nd", "input", "target", "weight", "reduction", "ignore_index">},
    {"torch.nn.functional.poisson_nll_loss",
     "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
     "reduction=\"mean\"",
     lossOf<"poisson_nll_loss", "input", "target", "log_input", "full", "eps", "reduction">},
    {"torch.nn.functional.gaussian_nll_loss", "input, target, var, full=False, eps=1e-06, reduction=\"mean\"",
     gaussianLoss},
    {"torch.nn.functional.kl_div", "input, target, " AOTSCOPE_OLD ", log_target=False", klDivergence},
    {"torch.nn.functional.binary_cross_entropy", "input, target, weight=None, " AOTSCOPE_OLD,
     binaryCrossEntropy},
    {"torch.nn.functional.binary_cross_entropy_with_logits",
     "input, target, weight=None, " AOTSCOPE_OLD ", pos_weight=None", binaryCrossEntropyWithLogits},
    {"torch.nn.functional.smooth_l1_loss", "input, target, " AOTSCOPE_OLD ", beta=1.0", smoothL1},
    {"torch.nn.functional.huber_loss", "input, target, reduction=\"mean\", delta=1.0, weight=None", huber},
    {"torch.nn.functional.l1_loss mse_loss", "input, target, " AOTSCOPE_OLD ", weight=None",
     byOwnName<differenceLoss>},
    {"torch.nn.functional.margin_ranking_loss cosine_embedding_loss",
     "input1, input2, target, margin=0, " AOTSCOPE_OLD,
     lossOf<sameName, "input1", "input2", "target", "margin", "reduction">},
    {"torch.nn.functional.hinge_embedding_loss", "input, target, margin=1.0, " AOTSCOPE_OLD,
     lossOf<"hinge_embedding_loss", "input", "target", "margin", "reduction">},
    {"torch.nn.functional.multilabel_margin_loss soft_margin_loss", "input, target, " AOTSCOPE_OLD,
     lossOf<sameName, "input", "target", "reduction">},
    {"torch.nn.functional.multilabel_soft_margin_loss", "input, target, weight=None, " AOTSCOPE_OLD,
     multilabelSoftMargin},
    {"torch.nn.functional.multi_margin_loss", "input, target, p=1, margin=1.0, weight=None, " AOTSCOPE_OLD,
     lossOf<"multi_margin_loss", "input", "target", "p", "margin", "weight", "reduction">},
    {"torch.nn.functional.triplet_margin_loss",
     "anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, " AOTSCOPE_OLD,
     lossOf<"triplet_margin_loss", "anchor", "positive", "negative", "margin", "p", "eps", "swap",
            "reduction">},
    {"torch.nn.functional.triplet_margin_with_distance_loss",
     "anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction=\"mean\"",
     tripletWithDistance},
    {"torch.nn.functional.ctc_loss",
     "log_probs, targets, input_lengths, target_lengths, blank=0, reduction=\"mean\", zero_infinity=False",
     [](Calls& c, const Bound& a) {
         return c.torch("ctc_loss",
                        {a["log_probs"], a["targets"], a["input_lengths"], a["target_lengths"], a["blank"],
                         reductionValue(a["reduction"].string()), a["zero_infinity"]});
     }},
};
#undef AOTSCOPE_OLD

} // namespace

constinit const FunctionFamily lossFunctions = functionalLossTable;

} // namespace aotscope::torch::ops
