#include "trace/tracer.h"

#include "dispatch/map_tensors.h"
#include "dispatch/operators.h"
#include "run/execution/operator_watch.h"
#include "trace/functional_tensor.h"

#include <ATen/EmptyTensor.h>
#include <ATen/InferSize.h>
#include <ATen/TensorUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/enum_tag.h>
#include <c10/util/ScopeExit.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

/// Calls of operators on functional tensors.
namespace aotscope::torch {

namespace {

/// Includes the Functionalize key and excludes the keys above it, except those of lazy conjugates, negatives
/// and zeros. Follows torch 2.11, torch/_subclasses/functional_tensor.py: FunctionalTensorMode.
class FunctionalizeScope {
public:
    FunctionalizeScope() : m_guard(included(), excluded()) {}

private:
    static c10::DispatchKeySet included() {
        return c10::impl::tls_local_dispatch_key_set().included_.add(c10::DispatchKey::Functionalize);
    }
    static c10::DispatchKeySet excluded() {
        return (c10::impl::tls_local_dispatch_key_set().excluded_ |
                c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset)
                   .add(c10::DispatchKey::TESTING_ONLY_GenericMode) -
               // The fallbacks of these make lazy conjugates real before a functional copy_ reads them.
               c10::DispatchKeySet({c10::DispatchKey::Functionalize, c10::DispatchKey::Conjugate,
                                    c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor});
    }
    c10::impl::ForceDispatchKeyGuard m_guard;
};

bool isUnsafeView(const c10::OperatorHandle& op) {
    return op.operator_name().name == "aten::_unsafe_view";
}

/// PyTorch checks the offset of a view when it sets the view's storage.
void askWhereViewsBegin(c10::ArrayRef<c10::IValue> results) {
    for (const c10::IValue& result : results) {
        forEachTensor(result,
                      [](const at::Tensor& view) { static_cast<void>(view.sym_storage_offset().sym_ge(0)); });
    }
}

c10::SymInt bytesOf(const at::Tensor& tensor) {
    return at::detail::computeStorageNbytes(tensor.sym_sizes(), tensor.sym_strides(),
                                            tensor.dtype().itemsize(), tensor.sym_storage_offset());
}

/// An operator that changes a tensor's sizes and strides in place (`transpose_`, `unsqueeze_`). PyTorch runs
/// it a second time on the FunctionalTensor wrapper alone, to update its metadata; that run checks the
/// storage size. A trace records this symbolic arithmetic, so its nodes take FX names. Follows torch 2.11,
/// torch/_subclasses/functional_tensor.py: FunctionalTensorMode.__torch_dispatch__ (inplace_view).
class InPlaceView {
public:
    /// Saves the sizes and strides before the operator runs. Does nothing for other operators or plain sizes.
    InPlaceView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);
    /// Repeats the checks on the changed tensor.
    void ask(const at::Tensor& changed) const;

private:
    void askForGeometry(std::size_t dims) const;

    std::optional<c10::OperatorHandle> m_op;
    std::vector<c10::IValue> m_numbers;
    std::vector<c10::SymInt> m_sizes;
    std::vector<c10::SymInt> m_strides;
};

InPlaceView::InPlaceView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    if (!op.hasTag(at::Tag::inplace_view) || !arguments[0].isTensor() ||
        op.operator_name().name == "aten::detach_") {
        return;
    }
    const at::Tensor& tensor = arguments[0].toTensor();
    if (tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
        m_op = op;
        m_numbers.assign(arguments.begin() + 1, arguments.end());
        m_sizes = tensor.sym_sizes().vec();
        m_strides = tensor.sym_strides().vec();
    }
}

void InPlaceView::ask(const at::Tensor& changed) const {
    if (!m_op) {
        return;
    }
    askForGeometry(m_sizes.size());
    for (const c10::SymInt& stride : changed.sym_strides()) {
        static_cast<void>(stride.sym_ge(0));
    }
    const c10::SymInt bytes = bytesOf(changed);
    const c10::SymInt bytesWithOffset = bytesOf(changed);
    static_cast<void>(bytes.sym_eq(0));
    const c10::SymBool isEmpty = bytes.sym_eq(0);
    static_cast<void>(isEmpty.sym_or(bytesWithOffset.sym_le(bytes)));
}

void InPlaceView::askForGeometry(std::size_t dims) const {
    const auto wrapped = [&](const c10::IValue& dim, std::size_t count) {
        return static_cast<std::size_t>(c10::maybe_wrap_dim(dim.toInt(), static_cast<std::int64_t>(count)));
    };
    const std::string& name = m_op->operator_name().name;
    if (name == "aten::unsqueeze_") {
        const std::size_t dim = wrapped(m_numbers.front(), dims + 1);
        if (dim < dims) {
            static_cast<void>(m_sizes[dim] * m_strides[dim]);
        }
    } else if (name == "aten::squeeze_") {
        for (std::size_t d = 0; d < dims; ++d) {
            const bool isMeant =
                m_numbers.empty() || (m_numbers.front().isInt() && wrapped(m_numbers.front(), dims) == d);
            if (isMeant) {
                static_cast<void>(m_sizes[d].sym_ne(1));
            }
        }
    }
}

} // namespace

/// PyTorch wraps the views and mutated tensors that an operator returns in a tensor subclass, which computes
/// its storage size. A trace records this symbolic arithmetic, so its nodes take FX names. New tensors
/// compute their storage size themselves.
void Tracer::noteBytes(const at::Tensor& outer) const {
    if (!m_environment.rules().storageSizesAreTakenOver && m_environment.onComputed &&
        outer.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
        static_cast<void>(bytesOf(outer));
    }
}

/// Where storage sizes are taken over, all arithmetic after an operator on inner tensors counts as theirs.
/// That of functionalization's own kernel for `_unsafe_view`, which infers sizes and strides, is the
/// program's, so it is repeated here.
void Tracer::noteUnsafeView(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) const {
    if (!m_environment.rules().storageSizesAreTakenOver || !m_environment.onComputed || !isUnsafeView(op)) {
        return;
    }
    const at::Tensor self = arguments[0].toTensor();
    c10::SymInt elements = 1;
    for (const c10::SymInt& size : self.sym_sizes()) {
        elements = elements * size;
    }
    const std::vector<c10::SymInt> size = arguments[1].toSymIntVector();
    const at::SymDimVector inferred = at::infer_size_dv(size, elements);
    static_cast<void>(at::detail::computeStride(self.sym_sizes(), self.sym_strides(), inferred));
}

void Tracer::callFunctional(const c10::OperatorHandle& op, c10::Stack& stack) {
    const std::size_t count = op.schema().arguments().size();
    const InPlaceView inPlace(op, argumentsOn(op, stack));
    // Few operators have more than four tensors.
    c10::SmallVector<std::pair<const c10::TensorImpl*, at::Tensor>, 4> outerOf;
    for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
        stack[i] = mapTensors(stack[i], [&](const at::Tensor& tensor) -> at::Tensor {
            const FunctionalTensorImpl* outer = asFunctional(tensor);
            if (outer == nullptr) {
                return tensor;
            }
            outerOf.emplace_back(outer->wrapperTensor().unsafeGetTensorImpl(), tensor);
            return outer->wrapperTensor();
        });
    }
    {
        const FunctionalizeScope scope;
        if (m_recorder != nullptr && replaysFirst) {
            for (std::size_t i = stack.size() - count; i < stack.size(); ++i) {
                forEachTensor(stack[i], [&](const at::Tensor& tensor) { replayViews(tensor); });
            }
        }
        std::vector<c10::IValue> arguments;
        if (isUnsafeView(op)) {
            arguments.assign(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
        }
        {
            // Operators run below a call on functional wrappers.
            const BelowState before = std::exchange(
                m_belowState, {.isBelow = true, .recordsArithmetic = m_environment.recordsArithmetic});
            const auto leave = c10::make_scope_exit([&] {
                m_environment.recordsArithmetic = m_belowState.recordsArithmetic;
                m_belowState = before;
            });
            op.callBoxedForDispatchKey(c10::DispatchKey::Functionalize, stack);
        }
        noteUnsafeView(op, arguments);
    }
    const std::size_t firstResult = stack.size() - op.schema().returns().size();
    for (std::size_t i = firstResult; i < stack.size(); ++i) {
        stack[i] = mapTensors(stack[i], [&](const at::Tensor& tensor) -> at::Tensor {
            if (!at::functionalization::impl::isFunctionalTensor(tensor)) {
                return tensor;
            }
            const auto same = std::find_if(outerOf.begin(), outerOf.end(), [&](const auto& outer) {
                return outer.first == tensor.unsafeGetTensorImpl();
            });
            if (same != outerOf.end()) {
                asFunctional(same->second)->mirror();
                noteBytes(same->second);
                if (m_environment.onComputed) {
                    inPlace.ask(same->second);
                }
                return same->second;
            }
            at::Tensor outer = wrapFunctional(tensor);
            const auto* functional = at::functionalization::impl::unsafeGetFunctionalWrapper(tensor);
            if (makesView(op) || !functional->view_metas().empty()) {
                noteBytes(outer);
            }
            return outer;
        });
    }
    if (m_environment.onComputed && makesView(op)) {
        askWhereViewsBegin(c10::ArrayRef<c10::IValue>(stack).slice(firstResult));
    }
}

void Tracer::replayViews(const at::Tensor& wrapper) {
    if (!at::functionalization::impl::isFunctionalTensor(wrapper) ||
        at::functionalization::impl::unsafeGetFunctionalWrapper(wrapper)->is_up_to_date()) {
        return;
    }
    const auto node = m_recorder->tryNode(at::functionalization::impl::from_functional_tensor(wrapper));
    RecordingState& state = m_recorder->state();
    const std::shared_ptr<const ir::NodeOrigin> origin = state.origin;
    const std::shared_ptr<const ir::NodeOrigin> replayed =
        node ? m_recorder->graph().node(*node).origin : nullptr;
    if (replayed && *replayed != ir::NodeOrigin{}) {
        state.origin = replayed;
    }
    at::functionalization::impl::sync(wrapper);
    state.origin = origin;
}

void syncFunctional(const at::Tensor& functional) {
    if (const FunctionalTensorImpl* outer = asFunctional(functional)) {
        const FunctionalizeScope scope;
        at::functionalization::impl::sync(outer->wrapperTensor());
    }
}

at::Tensor fromFunctional(const at::Tensor& tensor) {
    const FunctionalTensorImpl* outer = asFunctional(tensor);
    if (outer == nullptr) {
        return tensor;
    }
    syncFunctional(tensor);
    return at::functionalization::impl::from_functional_tensor(outer->wrapperTensor());
}

} // namespace aotscope::torch
