#include "ops/functional.h"
#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <ATen/ops/embedding.h>

/// Embeddings. Follows torch 2.11, torch/nn/functional.py.
namespace aotscope::torch::ops {

namespace {

void renormalize(Calls& call, const Bound& args, const Value& input) {
    call.torch("embedding_renorm_",
               {args.tensor("weight").detach(), input, args["max_norm"], args["norm_type"]});
}

Value embedding(Calls& call, const Bound& args) {
    Value padding = args["padding_idx"];
    if (padding.isNone()) {
        padding = -1;
    } else if (padding.symInt() < 0) {
        padding = args.tensor("weight").sym_size(0) + padding.symInt();
    }
    Value input = args["input"];
    if (!args["max_norm"].isNone()) {
        input = call.method("contiguous", {input});
        renormalize(call, args, input);
    }
    return at::embedding_symint(args.tensor("weight"), input.tensor(), padding.symInt(),
                                args.flag("scale_grad_by_freq"), args.flag("sparse"));
}

Value embeddingBag(Calls& call, const Bound& args) {
    Value input = args["input"];
    Value weight = args["weight"];
    if (weight.tensor().scalar_type() == c10::kLong && input.tensor().is_floating_point()) {
        std::swap(input, weight);
    }
    Value offsets = args["offsets"];
    Value sampleWeights = args["per_sample_weights"];
    Value lastOffset = args["include_last_offset"];
    const at::Tensor indices = input.tensor();
    if (indices.dim() == 2) {
        offsets = call.torch("arange", {0, indices.sym_numel(), indices.sym_size(1)},
                             {{"dtype", indices.scalar_type()}, {"device", indices.device()}});
        lastOffset = false;
        input = call.method("reshape", {input, -1});
        if (!sampleWeights.isNone()) {
            sampleWeights = call.method("reshape", {sampleWeights, -1});
        }
    } else if (indices.dim() != 1 || offsets.isNone()) {
        fail("ops.arguments", "embedding_bag needs an input of 1 dimension with offsets, or of 2.");
    }
    if (!args["max_norm"].isNone()) {
        renormalize(call, args, input);
    }
    const std::int64_t mode = modeNumber(args, "mode", {"sum", "mean", "max"});
    return call
        .torch("embedding_bag", {weight, input, offsets, args["scale_grad_by_freq"], mode, args["sparse"],
                                 sampleWeights, lastOffset, args["padding_idx"]})
        .items()[0];
}

const PythonFunction functionalSparseTable[] = {
    {"torch.nn.functional.embedding",
     "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False",
     embedding},
    {"torch.nn.functional.embedding_bag",
     "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode=\"mean\", "
     "sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None",
     embeddingBag},
};

} // namespace

constinit const FunctionFamily sparseFunctions = functionalSparseTable;

} // namespace aotscope::torch::ops
