#include "trace/graph_function.h"

#include <torch/csrc/autograd/custom_function.h>

namespace aotscope::torch {

namespace {

using ::torch::autograd::AutogradContext;
using ::torch::autograd::variable_list;

class GraphFunction : public ::torch::autograd::Function<GraphFunction> {
public:
    static variable_list forward(AutogradContext* context, const std::shared_ptr<GraphFunctionCalls>& calls,
                                 at::TensorList inputs) {
        context->saved_data["calls"] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(calls));
        variable_list outputs = calls->forward(inputs.vec());
        const auto selected = [&outputs](const std::vector<std::int64_t>& indices) {
            variable_list marked;
            for (const std::int64_t index : indices) {
                marked.push_back(outputs.at(static_cast<std::size_t>(index)));
            }
            return marked;
        };
        if (!calls->nonDifferentiable.empty()) {
            context->mark_non_differentiable(selected(calls->nonDifferentiable));
        }
        if (!calls->dirty.empty()) {
            context->mark_dirty(selected(calls->dirty));
        }
        return outputs;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const auto holder =
            c10::static_intrusive_pointer_cast<Holder>(context->saved_data["calls"].toCapsule());
        variable_list results = holder->calls->backward(gradients);
        // The first input of the node is the GraphFunctionCalls, which has no gradient.
        results.insert(results.begin(), at::Tensor());
        return results;
    }

private:
    struct Holder : ::torch::CustomClassHolder {
        explicit Holder(std::shared_ptr<GraphFunctionCalls> held) : calls(std::move(held)) {}
        std::shared_ptr<GraphFunctionCalls> calls;
    };
};

} // namespace

std::vector<at::Tensor> applyGraphFunction(const std::shared_ptr<GraphFunctionCalls>& calls,
                                           const std::vector<at::Tensor>& inputs) {
    return GraphFunction::apply(calls, at::TensorList(inputs));
}

bool isGraphFunctionOutput(const at::Tensor& tensor) {
    return dynamic_cast<::torch::autograd::CppNode<GraphFunction>*>(tensor.grad_fn().get()) != nullptr;
}

} // namespace aotscope::torch
