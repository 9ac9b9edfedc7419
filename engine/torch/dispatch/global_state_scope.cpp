#include "dispatch/global_state_scope.h"

#include "dispatch/dtypes.h"

#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

namespace aotscope::torch {

namespace {

/// Sets what differs: some setters warn, and most scopes change nothing.
void change(const aot::GlobalState& from, const aot::GlobalState& to) {
    at::Context& context = at::globalContext();
    if (from.defaultDtype != to.defaultDtype) {
        c10::set_default_dtype(c10::scalarTypeToTypeMeta(scalarType(to.defaultDtype).value_or(c10::kFloat)));
    }
    if (from.deterministic != to.deterministic || from.deterministicWarnOnly != to.deterministicWarnOnly) {
        context.setDeterministicAlgorithms(to.deterministic, to.deterministicWarnOnly);
    }
    if (from.fillUninitializedMemory != to.fillUninitializedMemory) {
        context.setDeterministicFillUninitializedMemory(to.fillUninitializedMemory);
    }
    if (from.allowTf32 != to.allowTf32) {
        context.setAllowTF32CuBLAS(to.allowTf32);
    }
    if (from.fp16Sums != to.fp16Sums) {
        context.setAllowFP16ReductionCuBLAS(to.fp16Sums == aot::ReducedSums::Allowed,
                                            to.fp16Sums != aot::ReducedSums::NeitherNorSplit);
    }
    if (from.bf16Sums != to.bf16Sums) {
        context.setAllowBF16ReductionCuBLAS(to.bf16Sums == aot::ReducedSums::Allowed,
                                            to.bf16Sums != aot::ReducedSums::NeitherNorSplit);
    }
}

} // namespace

aot::GlobalState currentGlobalState() {
    const at::Context& context = at::globalContext();
    aot::GlobalState state;
    state.defaultDtype = dtypeOf(c10::get_default_dtype_as_scalartype());
    state.gradEnabled = c10::GradMode::is_enabled();
    state.inferenceMode = c10::InferenceMode::is_enabled();
    state.deterministic = context.deterministicAlgorithms();
    state.deterministicWarnOnly = context.deterministicAlgorithmsWarnOnly();
    state.fillUninitializedMemory = context.deterministicFillUninitializedMemory();
    state.allowTf32 = context.float32MatmulPrecision() != at::Float32MatmulPrecision::HIGHEST;
    state.fp16Sums = static_cast<aot::ReducedSums>(context.allowFP16ReductionCuBLAS());
    state.bf16Sums = static_cast<aot::ReducedSums>(context.allowBF16ReductionCuBLAS());
    return state;
}

GlobalStateScope::GlobalStateScope(const aot::GlobalState& state)
    : m_before(currentGlobalState()), m_own(state) {
    change(m_before, m_own);
}

GlobalStateScope::~GlobalStateScope() {
    if (!m_isLent) {
        change(currentGlobalState(), m_before);
    }
}

void GlobalStateScope::lend() {
    m_isLent = true;
    change(currentGlobalState(), m_before);
}

void GlobalStateScope::takeBack() {
    m_isLent = false;
    change(currentGlobalState(), m_own);
}

} // namespace aotscope::torch
