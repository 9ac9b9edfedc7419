#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

/// Activations, softmaxes and dropouts. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

/// Calls `op`, or its in-place form when `inplace` is set.
Value inPlaceOr(Calls& call, const Bound& args, std::string_view op,
                std::initializer_list<std::string_view> rest) {
    Values values{args["input"]};
    for (const std::string_view name : rest) {
        values.push_back(args[name]);
    }
    return call.torch(std::string(op) + (args.flag("inplace") ? "_" : ""), std::move(values));
}

template<FixedText Op, FixedText... Rest>
Value inPlaceAs(Calls& call, const Bound& args) {
    return inPlaceOr(call, args, operatorOf<Op>(args), {Rest.view()...});
}

/// The default dimension of softmax (`_get_softmax_dim`).
Value softmaxDim(const Bound& args) {
    if (!args["dim"].isNone()) {
        return args["dim"];
    }
    const std::int64_t rank = args.tensor("input").dim();
    return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

Value softmaxOf(Calls& call, const Bound& args, std::string_view method, const Value& input) {
    const Keywords dtype = args["dtype"].isNone() ? Keywords() : Keywords{{"dtype", args["dtype"]}};
    return call.method(method, {input, softmaxDim(args)}, dtype);
}

Value softmin(Calls& call, const Bound& args) {
    return softmaxOf(call, args, "softmax", call.method("neg", {args["input"]}));
}

Value gumbelSoftmax(Calls& call, const Bound& args) {
    const Value& logits = args["logits"];
    const Value& dim = args["dim"];
    const Keywords contiguous{{"memory_format", c10::MemoryFormat::Contiguous}};
    Value gumbels = call.torch("empty_like", {logits}, contiguous);
    gumbels = call.method("log", {call.method("exponential_", {gumbels})});
    gumbels = call.method("neg", {gumbels});
    gumbels = callPythonOperator(call, "truediv",
                                 {callPythonOperator(call, "add", {logits, gumbels}), args["tau"]});
    Value soft = call.method("softmax", {gumbels, dim});
    if (!args.flag("hard")) {
        return soft;
    }
    const Value index = call.method("max", {soft, dim}, {{"keepdim", true}}).items()[1];
    const Value zeros = call.torch("zeros_like", {logits}, contiguous);
    const Value hard = call.method("scatter_", {zeros, dim, index, 1.0});
    const Value difference = callPythonOperator(call, "sub", {hard, soft.tensor().detach()});
    return callPythonOperator(call, "add", {difference, soft});
}

void checkProbability(const Bound& args) {
    const Value& p = args["p"];
    if (p.isNumber() && (p.real() < 0 || p.real() > 1)) {
        fail("ops.arguments", "A dropout probability is not between 0 and 1.");
    }
}

Value dropoutOf(Calls& call, const Bound& args, std::string_view op) {
    checkProbability(args);
    return inPlaceOr(call, args, op, {"p", "training"});
}

/// Dropout of whole channels; the batch dimension may be missing.
Value channelDropout(Calls& call, const Bound& args, std::int64_t batchedRank) {
    checkProbability(args);
    const bool inPlace = args.flag("inplace");
    const bool batched = args.tensor("input").dim() == batchedRank;
    at::Tensor input = args.tensor("input");
    if (!batched) {
        input = inPlace ? input.unsqueeze_(0) : input.unsqueeze(0);
    }
    Value result =
        call.torch(inPlace ? "feature_dropout_" : "feature_dropout", {input, args["p"], args["training"]});
    return batched ? result : call.method(inPlace ? "squeeze_" : "squeeze", {result, 0});
}

constexpr std::string_view plain = "input, inplace=False";
constexpr std::string_view softmaxParameters = "input, dim=None, _stacklevel=3, dtype=None";
constexpr std::string_view dropoutParameters = "input, p=0.5, training=True, inplace=False";
constexpr std::string_view alphaParameters = "input, p=0.5, training=False, inplace=False";

const PythonFunction functionalActivationTable[] = {
    {"torch.nn.functional.relu relu6 selu silu mish hardswish hardsigmoid", plain, inPlaceAs<sameName>},
    {"torch.nn.functional.elu celu", "input, alpha=1.0, inplace=False", inPlaceAs<sameName, "alpha">},
    {"torch.nn.functional.leaky_relu", "input, negative_slope=0.01, inplace=False",
     inPlaceAs<"leaky_relu", "negative_slope">},
    {"torch.nn.functional.hardtanh", "input, min_val=-1.0, max_val=1.0, inplace=False",
     inPlaceAs<"hardtanh", "min_val", "max_val">},
    {"torch.nn.functional.threshold _threshold", "input, threshold, value, inplace=False",
     inPlaceAs<"threshold", "threshold", "value">},
    {"torch.nn.functional.rrelu",
     "input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False",
     inPlaceAs<"rrelu", "lower", "upper", "training">},
    {"torch.nn.functional.glu", "input, dim=-1", callsTorch<"glu", "input", "dim">},
    {"torch.nn.functional.logsigmoid", "input", callsTorch<"log_sigmoid", "input">},
    {"torch.nn.functional.tanhshrink", "input",
     [](Calls& c, const Bound& a) {
         return c.method("sub", {a["input"], c.method("tanh", {a["input"]})});
     }},
    {"torch.nn.functional.softsign", "input",
     [](Calls& c, const Bound& a) {
         const Value scale = c.method("add", {c.method("abs", {a["input"]}), 1});
         return c.method("div", {a["input"], scale});
     }},
    {"torch.nn.functional.tanh sigmoid", "input", callsMethod<sameName, "input">},
    {"torch.nn.functional.softmax log_softmax", softmaxParameters,
     [](Calls& c, const Bound& a) { return softmaxOf(c, a, a.ownName(), a["input"]); }},
    {"torch.nn.functional.softmin", softmaxParameters, softmin},
    {"torch.nn.functional.gumbel_softmax", "logits, tau=1, hard=False, eps=1e-10, dim=-1", gumbelSoftmax},
    {"torch.nn.functional.dropout", dropoutParameters, byOwnName<dropoutOf>},
    {"torch.nn.functional.alpha_dropout feature_alpha_dropout", alphaParameters, byOwnName<dropoutOf>},
    {"torch.nn.functional.dropout1d", dropoutParameters, sharing<channelDropout, 3>},
    {"torch.nn.functional.dropout2d", dropoutParameters, sharing<dropoutOf, "feature_dropout">},
    {"torch.nn.functional.dropout3d", dropoutParameters, sharing<channelDropout, 5>},
};

} // namespace

constinit const FunctionFamily activationFunctions = functionalActivationTable;

} // namespace aotscope::torch::ops
