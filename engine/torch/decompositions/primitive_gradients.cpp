#include "decompositions/aten_operators.h"
#include "decompositions/primitives.h"
#include "dispatch/release_rules.h"

#include "torch_headers.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace aotscope::torch::prims {

namespace {

using ::torch::autograd::AutogradContext;
using ::torch::autograd::variable_list;

bool isNumber(const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

at::Tensor belowAutograd(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
    const at::AutoDispatchBelowAutograd below;
    return fma(a, b, c);
}

/// Follows torch 2.15, torch/_inductor/inductor_prims.py: _fma_setup_context, _fma_backward.
class FusedMultiplyAdd : public ::torch::autograd::Function<FusedMultiplyAdd> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                              const at::Tensor& c) {
        context->saved_data["a"] = c10::IValue(a.sym_sizes());
        context->saved_data["b"] = c10::IValue(b.sym_sizes());
        context->saved_data["c"] = c10::IValue(c.sym_sizes());
        if (isNumber(b)) {
            context->saved_data["number"] = b;
            context->save_for_backward({a});
        } else {
            context->save_for_backward({a, b});
        }
        return belowAutograd(a, b, c);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        TORCH_CHECK(traceRules().fmaHasAGradient,
                    "backwards not supported on prim: in this release of torch prims::fma has no derivative");
        const at::Tensor& grad = gradients.front();
        const variable_list saved = context->get_saved_variables();
        const auto sizes = [&](const char* name) { return context->saved_data[name].toSymIntVector(); };
        const bool hasNumber = saved.size() == 1;
        const at::Tensor b = hasNumber ? context->saved_data["number"].toTensor() : saved[1];
        variable_list made(3);
        if (context->needs_input_grad(0)) {
            made[0] = at::mul(grad, b).sum_to_size_symint(sizes("a"));
        }
        if (!hasNumber && context->needs_input_grad(1)) {
            made[1] = at::mul(grad, saved[0]).sum_to_size_symint(sizes("b"));
        }
        if (context->needs_input_grad(2)) {
            made[2] = grad.sum_to_size_symint(sizes("c"));
        }
        return made;
    }
};

at::Tensor fmaWithGradient(const at::Tensor& a, const at::Tensor& b, const at::Tensor& c) {
    return FusedMultiplyAdd::apply(a, b, c);
}

} // namespace

} // namespace aotscope::torch::prims

TORCH_LIBRARY_IMPL(prims, Autograd, library) {
    library.impl("fma", aotscope::torch::prims::fmaWithGradient);
}
