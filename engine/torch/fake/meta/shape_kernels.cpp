#include "fake/meta/shape_kernels.h"

#include "dispatch/operators.h"
#include "fake/meta/layouts.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// Calls a rule with the arguments on the dispatcher's stack.
class ShapeKernel final : public c10::OperatorKernel {
public:
    explicit ShapeKernel(ShapeRule rule) : m_rule(rule) {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, c10::Stack* stack) {
        // Rules call operators on meta tensors, which autograd must not record.
        const at::AutoDispatchBelowADInplaceOrView guard;
        const c10::FunctionSchema& schema = op.schema();
        ShapeResults results = m_rule(ShapeCall(schema, argumentsOn(op, *stack)));
        TORCH_INTERNAL_ASSERT(results.size() == schema.returns().size(), schema.name(),
                              ": a shape rule gave ", results.size(), " results.");
        replaceArguments(op, *stack, std::move(results));
    }

private:
    ShapeRule m_rule;
};

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
               std::ranges::all_of(operands, [&](const at::Tensor& operand) {
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
    return op.hasTag(at::Tag::pointwise) && schema.name().starts_with("aten::") &&
           !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
           !schema.hasAnyAliasInfo() && !schema.argumentIndexWithName("memory_format") &&
           (op.hasKernelForDispatchKey(c10::DispatchKey::Meta) ||
            op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
            op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional));
}

/// Silences the warning that a kernel is replaced, which happens on purpose here.
class SilentWarnings final : public c10::WarningHandler {
public:
    void process(const c10::Warning& /*warning*/) override {}
};

} // namespace

void ShapeKernels::add(const std::string& name, ShapeRule rule) {
    auto& dispatcher = c10::Dispatcher::singleton();
    const c10::OperatorName parts = operatorName(name);
    if (!dispatcher.findSchema(parts)) {
        m_unknown.push_back(name);
        return;
    }
    m_names.push_back(name);
    m_registrations.push_back(dispatcher.registerImpl(
        parts, c10::DispatchKey::Meta,
        c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<ShapeKernel>(rule)), std::nullopt, nullptr,
        "aotscope shape rule"));
}

void ShapeKernels::addPointwiseLayouts() {
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findSchema(name);
        if (!op || !isPointwise(*op) || std::ranges::find(m_names, toString(name)) != m_names.end()) {
            continue;
        }
        auto kernel =
            std::make_unique<PointwiseKernel>(op->getComputedKernelForDispatchKey(c10::DispatchKey::Meta));
        m_registrations.push_back(dispatcher.registerImpl(
            name, c10::DispatchKey::Meta, c10::KernelFunction::makeFromBoxedFunctor(std::move(kernel)),
            std::nullopt, nullptr, "aotscope pointwise layout"));
    }
}

const ShapeKernels& installShapeKernels() {
    // Never destroyed: the dispatcher may already be gone when static objects are.
    static const ShapeKernels& installed = *[] {
        SilentWarnings silent;
        const c10::WarningUtils::WarningHandlerGuard guard(&silent);
        auto kernels = std::make_unique<ShapeKernels>();
        addShapeRules(*kernels);
        kernels->addPointwiseLayouts();
        return kernels.release();
    }();
    return installed;
}

namespace {

// Registered when the library is loaded, as LibTorch's own kernels are.
[[maybe_unused]] const ShapeKernels& atLoad = installShapeKernels();

} // namespace

} // namespace aotscope::torch
