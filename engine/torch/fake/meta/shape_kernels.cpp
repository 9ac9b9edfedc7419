#include "fake/meta/shape_kernels.h"

#include "dispatch/operators.h"
#include "fake/meta/pointwise.h"

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
    for (PointwiseOperator& op : pointwiseOperators(m_names)) {
        m_registrations.push_back(
            c10::Dispatcher::singleton().registerImpl(op.name, c10::DispatchKey::Meta, std::move(op.kernel),
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
