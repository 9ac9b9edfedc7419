#include "ops/functional.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/functorch/TensorWrapper.h>
#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/autograd.h>

/// The calls that torch.func's transforms leave in a graph: levels of vmap and grad, tensors wrapped for a
/// level, and gradients computed inside the program.
namespace aotscope::torch::ops {

namespace {

namespace functorch = at::functorch;

Value pushVmap(Calls& call, const Bound& args) {
    return call.state().pushVmap(args["batch_size"].symInt(), args["randomness"].string());
}

template<functorch::TransformType Type>
Value pop(Calls& call, const Bound& /*args*/) {
    return call.state().popLevel(Type);
}

/// Enters what takes no arguments.
template<std::int64_t (GraphState::*Enter)()>
Value enter(Calls& call, const Bound& /*args*/) {
    return (call.state().*Enter)();
}

Value addBatchDim(Calls& /*call*/, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    const std::int64_t dim = args["batch_dim"].integer();
    return functorch::addBatchDim(self, dim < 0 ? dim + self.dim() : dim, args["level"].integer());
}

/// Moves dimension `from` to position `to`; the other dimensions keep their order.
at::Tensor moveDimension(const at::Tensor& self, std::int64_t from, std::int64_t to) {
    const std::int64_t rank = self.dim();
    from = from < 0 ? from + rank : from;
    to = to < 0 ? to + rank : to;
    if (from == to) {
        return self;
    }
    std::vector<std::int64_t> order;
    for (std::int64_t dim = 0; dim < rank; ++dim) {
        if (dim != from) {
            order.push_back(dim);
        }
    }
    order.insert(order.begin() + to, from);
    return self.permute(order);
}

Value removeBatchDim(Calls& /*call*/, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    const std::int64_t level = args["level"].integer();
    const std::int64_t outDim = args["out_dim"].integer();
    const auto* batched = functorch::maybeGetBatchedImpl(self);
    if (batched == nullptr || batched->level() != level) {
        // Not batched at this level: the batch dimension is an expanded one.
        const auto sizes = self.sym_sizes();
        std::vector<c10::SymInt> expanded(sizes.begin(), sizes.end());
        const std::int64_t dim = outDim < 0 ? outDim + self.dim() + 1 : outDim;
        expanded.insert(expanded.begin() + dim, args["batch_size"].symInt());
        return self.unsqueeze(dim).expand_symint(expanded);
    }
    return moveDimension(batched->value(), batched->bdim(), outDim);
}

Value enableForwardGrad(Calls& /*call*/, const Bound& args) {
    c10::AutogradState::get_tls_state().set_fw_grad_mode(args.flag("mode"));
    return {};
}

Value exitDual(Calls& call, const Bound& args) {
    call.state().exitDualLevel(args["level"].integer());
    return {};
}

Value wrapForGrad(Calls& /*call*/, const Bound& args) {
    return functorch::makeTensorWrapper(args.tensor("self"), args["level"].integer());
}

Value unwrapForGrad(Calls& /*call*/, const Bound& args) {
    const at::Tensor& self = args.tensor("self");
    const functorch::TensorWrapper* wrapper = functorch::maybeGetTensorWrapper(self);
    const bool ofLevel = wrapper != nullptr && wrapper->level() == args["level"].integer();
    return ofLevel ? wrapper->value() : self;
}

Value makeDual(Calls& call, const Bound& args) {
    return call.torch("_make_dual", {args["tensor"], args["tangent"]}, {{"level", args["level"]}});
}

Value unpackDual(Calls& call, const Bound& args) {
    return call.torch("_unpack_dual", {args["tensor"]}, {{"level", args["level"]}});
}

Value allowInPlaceRequiresGrad(Calls& /*call*/, const Bound& args) {
    functorch::setInplaceRequiresGradAllowed(args.flag("allowed"));
    return {};
}

Value requireGrad(Calls& /*call*/, const Bound& args) {
    const at::Tensor& tensor = args.tensor("x");
    tensor.set_requires_grad(true);
    return tensor;
}

/// Differentiates the outputs that require grad; an input without a gradient gets zeros.
Value autogradGrad(Calls& call, const Bound& args) {
    const auto outputs = args["outputs"].items();
    std::vector<at::Tensor> differentiated;
    std::vector<at::Tensor> gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const at::Tensor& output = outputs[i].tensor();
        if (!output.requires_grad()) {
            continue;
        }
        differentiated.push_back(output);
        const Value given = args["grad_outputs"].isNone() ? Value() : args["grad_outputs"].items()[i];
        const Value ones = given.isNone() ? call.torch("ones_like", {output},
                                                       {{"memory_format", c10::MemoryFormat::Preserve}})
                                          : given;
        gradients.push_back(ones.tensor());
    }
    const std::vector<at::Tensor> inputs = base::mapped(args["inputs"].items(), &Value::tensor);
    std::vector<at::Tensor> found(inputs.size());
    if (!differentiated.empty()) {
        const bool again = args.flag("create_graph");
        found = ::torch::autograd::grad(differentiated, inputs, gradients, args.flag("retain_graph") || again,
                                        again, /*allow_unused=*/true);
    }
    Values results;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        results.push_back(found[i].defined() ? Value(found[i]) : call.torch("zeros_like", {inputs[i]}));
    }
    return Value::tuple(std::move(results));
}

const PythonFunction functionalTransformsTable[] = {
    {"torch._functorch.predispatch._vmap_increment_nesting", "batch_size, randomness", pushVmap},
    {"torch._functorch.predispatch._vmap_decrement_nesting", "", pop<functorch::TransformType::Vmap>},
    {"torch._functorch.predispatch._add_batch_dim", "self, batch_dim, level", addBatchDim},
    {"torch._functorch.predispatch._remove_batch_dim", "self, level, batch_size, out_dim", removeBatchDim},
    {"torch._functorch.predispatch._jvp_increment_nesting", "", enter<&GraphState::pushJvp>},
    {"torch._functorch.predispatch._jvp_decrement_nesting", "", pop<functorch::TransformType::Jvp>},
    {"torch._functorch.predispatch._unwrap_for_grad", "self, level", unwrapForGrad},
    {"torch._functorch.predispatch._enter_dual_level", "", enter<&GraphState::enterDualLevel>},
    {"torch._functorch.predispatch._exit_dual_level", "*, level", exitDual},
    {"torch._functorch.predispatch._make_dual", "tensor, tangent, *, level=0", makeDual},
    {"torch._functorch.predispatch._unpack_dual", "tensor, *, level", unpackDual},
    {"torch._C._functorch._vmap_increment_nesting", "batch_size, randomness", pushVmap},
    {"torch._C._functorch._vmap_decrement_nesting", "", pop<functorch::TransformType::Vmap>},
    {"torch._C._functorch._add_batch_dim", "self, batch_dim, level", addBatchDim},
    {"torch._C._functorch._remove_batch_dim", "self, level, batch_size, out_dim", removeBatchDim},
    {"torch._C._functorch._grad_increment_nesting", "", enter<&GraphState::pushGrad>},
    {"torch._C._functorch._grad_decrement_nesting", "", pop<functorch::TransformType::Grad>},
    {"torch._C._functorch._jvp_increment_nesting", "", enter<&GraphState::pushJvp>},
    {"torch._C._functorch._jvp_decrement_nesting", "", pop<functorch::TransformType::Jvp>},
    {"torch._C._set_fwd_grad_enabled", "mode", enableForwardGrad},
    {"torch._C._enter_dual_level", "", enter<&GraphState::enterDualLevel>},
    {"torch._C._exit_dual_level", "level", exitDual},
    {"torch._C._functorch._wrap_for_grad", "self, level", wrapForGrad},
    {"torch._C._functorch._unwrap_for_grad", "self, level", unwrapForGrad},
    {"torch._C._functorch.set_inplace_requires_grad_allowed", "allowed", allowInPlaceRequiresGrad},
    {"torch._functorch.eager_transforms._set_tensor_requires_grad", "x", requireGrad},
    {"torch._functorch.eager_transforms._autograd_grad",
     "outputs, inputs, grad_outputs=None, retain_graph=False, create_graph=True", autogradGrad},
};

} // namespace

constinit const FunctionFamily transformFunctions = functionalTransformsTable;

} // namespace aotscope::torch::ops
