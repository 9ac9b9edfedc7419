#include "fake/meta/pointwise.h"
#include "dispatch/operators.h"
#include "fake/meta/layouts.h"
#include "fake/meta/shape_call.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// LibTorch's own Meta kernel, whose results then get the layout of PyTorch's reference operators.
class PointwiseKernel final : public c10::OperatorKernel {
public:
    explicit PointwiseKernel(c10::SafeKernelFunction libTorch) : m_libTorch(std::move(libTorch)) {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack) {
        const at::AutoDispatchBelowADInplaceOrView guard;
        const std::vector<at::Tensor> operands = ShapeCall(op.schema(), argumentsOn(op, *stack)).allTensors();
        m_libTorch.callBoxed(op, keys, stack);
        if (operands.empty()) {
            return;
        }
        if (isPlain(operands, stack->back())) {
            return;
        }
        const ElementwiseLayout layout = elementwiseLayout(operands);
        for (std::size_t i = stack->size() - op.schema().returns().size(); i < stack->size(); ++i) {
            c10::IValue& result = (*stack)[i];
            if (result.isTensor() && result.toTensor().sizes() == at::IntArrayRef(layout.sizes)) {
                result = laidOut(result.toTensor(), layout);
            }
        }
    }

private:
    /// Whether all tensors are contiguous and of one shape: the common case, in which the layouts agree.
    static bool isPlain(const std::vector<at::Tensor>& operands, const c10::IValue& result) {
        if (!result.isTensor()) {
            return false;
        }
        const at::Tensor& made = result.toTensor();
        return made.strides() == at::IntArrayRef(contiguousStrides(made.sizes())) &&
               std::all_of(operands.begin(), operands.end(), [&](const at::Tensor& operand) {
                   return operand.sizes() == made.sizes() && operand.strides() == made.strides();
               });
    }

    static at::Tensor laidOut(const at::Tensor& result, const ElementwiseLayout& layout) {
        at::Tensor made = newPermuted(result, layout.sizes, layout.order);
        return made.strides() == result.strides() ? result : made;
    }

    c10::SafeKernelFunction m_libTorch;
};

bool isPointwise(const c10::OperatorHandle& op) {
    const c10::FunctionSchema& schema = op.schema();
    const auto aliases = [](const c10::Argument& argument) { return argument.alias_info() != nullptr; };
    return op.hasTag(at::Tag::pointwise) && schema.name().starts_with("aten::") &&
           !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
           std::none_of(schema.arguments().begin(), schema.arguments().end(), aliases) &&
           std::none_of(schema.returns().begin(), schema.returns().end(), aliases) &&
           !schema.argumentIndexWithName("memory_format");
}

} // namespace

std::vector<PointwiseOperator> pointwiseOperators(const std::vector<std::string>& except) {
    std::vector<PointwiseOperator> found;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findSchema(name);
        if (!op || !isPointwise(*op) ||
            std::find(except.begin(), except.end(), toString(name)) != except.end() ||
            !(op->hasKernelForDispatchKey(c10::DispatchKey::Meta) ||
              op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
              op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional))) {
            continue;
        }
        auto kernel =
            std::make_unique<PointwiseKernel>(op->getComputedKernelForDispatchKey(c10::DispatchKey::Meta));
        found.push_back({name, c10::KernelFunction::makeFromBoxedFunctor(std::move(kernel))});
    }
    return found;
}

} // namespace aotscope::torch
