#include "trace/view_sequence.h"

#include "trace/functional_tensor.h"
#include "trace/graph_recorder.h"
#include "trace/tracer.h"

#include "ir/text/printer.h"

#include <ATen/FunctionalStorageImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <utility>

namespace aotscope::torch {

std::optional<std::string> viewSequence(const at::Tensor& functional, ShapeEnvironment& environment) {
    const FunctionalTensorImpl* outer = asFunctional(functional);
    if (outer == nullptr) {
        return std::nullopt;
    }
    const auto& views = outer->wrapper().view_metas();
    if (std::ranges::any_of(views, [](const auto& view) { return view->has_symbolic_inputs; })) {
        return std::nullopt;
    }
    // The memory of every functional tensor is one of these.
    auto* storage = static_cast<at::functionalization::FunctionalStorageImpl*>(
        outer->wrapperTensor().unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl());
    const FakeTensorImpl* known = asFake(storage->base());
    if (known == nullptr) {
        return std::nullopt;
    }
    GraphRecorder recorder;
    at::Tensor value(known->shallow_copy_and_detach(c10::VariableVersion(0), true));
    static_cast<void>(recorder.placeholder("base", ir::PlainAOTInput{0}, value));
    {
        Tracer tracer(&recorder, environment);
        const TraceScope scope(tracer);
        const at::AutoDispatchBelowADInplaceOrView belowAutograd;
        for (const auto& view : views) {
            value = view->forward(value);
        }
    }
    recorder.output(std::vector<c10::IValue>{value}, {});
    return ir::printGraph(*recorder.graph().finish()).text;
}

} // namespace aotscope::torch
