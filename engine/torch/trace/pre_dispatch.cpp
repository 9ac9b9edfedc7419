#include "trace/pre_dispatch.h"

#include "dispatch/map_tensors.h"
#include "trace/composite.h"
#include "trace/functional_tensor.h"

#include "ir/operator_name.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

bool isDropout(const c10::OperatorHandle& op) {
    return op.operator_name() == c10::OperatorName("aten::dropout", "");
}

/// Whether a composite operator must be decomposed to be functionalized: it mutates or aliases its arguments,
/// or its schema does not tell (FunctionalTensorMode: _can_decompose).
bool isTakenApart(const c10::OperatorHandle& op) {
    if (isDropout(op)) {
        return false;
    }
    const auto tags = op.getTags();
    const auto& arguments = op.schema().arguments();
    return std::ranges::find(tags, at::Tag::maybe_aliasing_or_mutating) != tags.end() ||
           op.operator_name() == c10::OperatorName("aten::native_batch_norm", "") ||
           op.schema().is_mutable() ||
           std::ranges::any_of(arguments, [](const c10::Argument& a) { return a.alias_info() != nullptr; });
}

/// Computes an operator on fake tensors without recording the operators it consists of.
void computeSilently(const c10::OperatorHandle& op, c10::Stack& stack, ShapeEnvironment& environment) {
    Tracer silent(nullptr, environment);
    silent.stayBelow();
    const TraceScope scope(silent);
    const c10::impl::ExcludeDispatchKeyGuard below(
        c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset |
        c10::DispatchKeySet(c10::DispatchKey::TESTING_ONLY_GenericMode));
    op.callBoxed(stack);
}

/// Records a functional composite operator as one node.
void callWhole(Tracer& tracer, const c10::OperatorHandle& op, c10::Stack& stack) {
    const std::size_t first = stack.size() - op.schema().arguments().size();
    for (std::size_t i = first; i < stack.size(); ++i) {
        stack[i] = mapTensors(stack[i], [&](const at::Tensor& tensor) { return fromFunctional(tensor); });
    }
    GraphRecorder* recorder = tracer.recorder();
    ir::NodeId node;
    if (recorder != nullptr) {
        node = recorder->call(op, c10::ArrayRef<c10::IValue>(stack.data() + first, stack.size() - first));
    }
    const c10::Stack arguments(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    computeSilently(op, stack, tracer.environment());
    for (std::size_t i = first; i < stack.size(); ++i) {
        stack[i] = mapTensors(stack[i], [&](const at::Tensor& tensor) -> at::Tensor {
            const bool isArgument = std::ranges::any_of(arguments, [&](const c10::IValue& argument) {
                return argument.isTensor() && argument.toTensor().is_same(tensor);
            });
            const FakeTensorImpl* fake = asFake(tensor);
            // A result that is an argument (dropout in eval mode) becomes a separate value.
            return isArgument && fake != nullptr
                       ? at::Tensor(fake->shallow_copy_and_detach(c10::VariableVersion(0), true))
                       : tensor;
        });
    }
    const c10::ArrayRef<c10::IValue> results(stack.data() + first, stack.size() - first);
    if (recorder != nullptr) {
        recorder->bindResults(node, op, results);
    }
    for (std::size_t i = first; i < stack.size(); ++i) {
        stack[i] = mapTensors(stack[i], [&](const at::Tensor& tensor) -> at::Tensor {
            if (asFake(tensor) == nullptr) {
                return tensor;
            }
            at::Tensor outer = toFunctional(tensor);
            if (isDropout(op)) {
                // Whether dropout copies is decided when the exported graph runs, so its result may not be
                // mutated.
                asFunctional(outer)->wrapper().freeze_storage();
            }
            return outer;
        });
    }
}

void dispatchWhole(Tracer& tracer, const c10::OperatorHandle& op, c10::Stack& stack) {
    const bool isComposite = hasComposite(op);
    if (isComposite && !isTakenApart(op)) {
        callWhole(tracer, op, stack);
    } else if (!isComposite || !decomposeComposite(op, stack, tracer.environment().rules())) {
        tracer.dispatch(op, stack);
    }
}

constexpr std::string_view enterAutocast = "torch.amp.autocast_mode._enter_autocast";
constexpr std::string_view exitAutocast = "torch.amp.autocast_mode._exit_autocast";

} // namespace

PreDispatchScope::PreDispatchScope(Tracer& tracer)
    : m_tracer(tracer),
      m_handler(tracer.beforeAutograd(), [&tracer](const c10::OperatorHandle& op, c10::Stack& stack) {
          dispatchWhole(tracer, op, stack);
      }) {
    tracer.replaysFirst = false;
}

PreDispatchScope::~PreDispatchScope() {
    m_tracer.replaysFirst = true;
}

void StateCalls::record(GraphRecorder& recorder, const ops::NodeCall& call) {
    const ir::Node& node = call.info();
    const std::string name(ir::lastPart(node.target));
    if (node.target == exitAutocast) {
        if (!m_autocasts.empty()) {
            recorder.stateCall(name, node.target, {ir::Argument(m_autocasts.back())}, {});
            m_autocasts.pop_back();
        }
    } else if (node.target == enterAutocast) {
        m_autocasts.push_back(recorder.stateCall(name, node.target, node.args, node.kwargs));
    } else if (node.target == "torch._C._set_grad_enabled") {
        recorder.stateCall(name, node.target, node.args, node.kwargs);
    }
}

} // namespace aotscope::torch
