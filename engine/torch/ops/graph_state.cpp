#include "ops/graph_state.h"

#include "dispatch/failure.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/functorch/DynamicLayer.h>
#include <c10/core/AutogradState.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <torch/csrc/autograd/forward_grad.h>

namespace aotscope::torch::ops {

GraphState::~GraphState() { // NOLINT: what could be entered can be left
    while (!m_dualLevels.empty()) {
        exitDualLevel(m_dualLevels.back());
    }
    while (!m_levels.empty()) {
        popLevel(m_levels.back());
    }
    while (!m_autocasts.empty()) {
        exitAutocast();
    }
    while (!m_inference.empty()) {
        m_inference.pop_back();
    }
    if (m_attentionBefore) {
        m_attentionBefore->use();
    }
    if (m_before) {
        at::ThreadLocalState::setThreadLocalState(*m_before);
    }
    c10::AutogradState::set_tls_state(m_autogradBefore);
}

void GraphState::keepBefore() {
    if (!m_before) {
        m_before.emplace();
    }
}

GraphState::AttentionBackends GraphState::AttentionBackends::current() {
    const at::Context& context = at::globalContext();
    return {context.userEnabledFlashSDP(), context.userEnabledMemEfficientSDP(), context.userEnabledMathSDP(),
            context.userEnabledCuDNNSDP(), context.userEnabledOverrideableSDP()};
}

void GraphState::AttentionBackends::use() const {
    at::Context& context = at::globalContext();
    context.setSDPUseFlash(flash);
    context.setSDPUseMemEfficient(memEfficient);
    context.setSDPUseMath(math);
    context.setSDPUseCuDNN(cudnn);
    context.setSDPUseOverrideable(overrideable);
}

void GraphState::allowAttention(const std::vector<std::string>& backends) {
    if (!m_attentionBefore) {
        m_attentionBefore = AttentionBackends::current();
    }
    const auto allowed = [&](std::string_view name) {
        return std::ranges::find(backends, name) != backends.end();
    };
    AttentionBackends{allowed("FLASH_ATTENTION"), allowed("EFFICIENT_ATTENTION"), allowed("MATH"),
                      allowed("CUDNN_ATTENTION"), allowed("OVERRIDEABLE")}
        .use();
}

void GraphState::setGradEnabled(bool enabled) {
    c10::GradMode::set_enabled(enabled);
}

void GraphState::leaveGradMode() {
    m_autogradBefore.set_grad_mode(c10::GradMode::is_enabled());
}

void GraphState::enterAutocast(c10::DeviceType device, std::optional<c10::ScalarType> dtype, bool enabled,
                               std::optional<bool> cacheEnabled) {
    keepBefore();
    m_autocasts.push_back({device, at::autocast::is_autocast_enabled(device),
                           at::autocast::get_autocast_dtype(device),
                           at::autocast::is_autocast_cache_enabled()});
    at::autocast::set_autocast_enabled(device, enabled);
    at::autocast::set_autocast_dtype(device, dtype.value_or(at::autocast::get_autocast_dtype(device)));
    at::autocast::increment_nesting();
    at::autocast::set_autocast_cache_enabled(
        cacheEnabled.value_or(at::autocast::is_autocast_cache_enabled()));
}

void GraphState::exitAutocast() {
    if (m_autocasts.empty()) {
        fail("ops.state", "The graph leaves an autocast region that it did not enter.");
    }
    const Autocast before = m_autocasts.back();
    m_autocasts.pop_back();
    if (at::autocast::decrement_nesting() == 0) {
        at::autocast::clear_cache();
    }
    at::autocast::set_autocast_enabled(before.device, before.enabled);
    at::autocast::set_autocast_dtype(before.device, before.dtype);
    at::autocast::set_autocast_cache_enabled(before.cacheEnabled);
}

void GraphState::enterInference(bool enabled) {
    keepBefore();
    m_inference.push_back(std::make_unique<c10::InferenceMode>(enabled));
}

void GraphState::exitInference() {
    if (m_inference.empty()) {
        fail("ops.state", "The graph leaves an inference mode that it did not enter.");
    }
    m_inference.pop_back();
}

std::int64_t GraphState::pushVmap(c10::SymInt batchSize, const std::string& randomness) {
    keepBefore();
    const auto type = randomness == "error"  ? at::functorch::RandomnessType::Error
                      : randomness == "same" ? at::functorch::RandomnessType::Same
                                             : at::functorch::RandomnessType::Different;
    m_levels.push_back(at::functorch::TransformType::Vmap);
    return at::functorch::initAndPushDynamicLayer(m_levels.back(), std::move(batchSize), type);
}

std::int64_t GraphState::pushGrad() {
    keepBefore();
    m_levels.push_back(at::functorch::TransformType::Grad);
    return at::functorch::initAndPushDynamicLayer(m_levels.back(), std::nullopt, std::nullopt,
                                                  c10::GradMode::is_enabled());
}

std::int64_t GraphState::pushJvp() {
    keepBefore();
    m_levels.push_back(at::functorch::TransformType::Jvp);
    return at::functorch::initAndPushDynamicLayer(m_levels.back(), std::nullopt, std::nullopt, std::nullopt,
                                                  c10::AutogradState::get_tls_state().get_fw_grad_mode());
}

std::int64_t GraphState::enterDualLevel() {
    keepBefore();
    m_dualLevels.push_back(static_cast<std::int64_t>(::torch::autograd::ForwardADLevel::get_next_idx()));
    return m_dualLevels.back();
}

void GraphState::exitDualLevel(std::int64_t level) {
    if (m_dualLevels.empty() || m_dualLevels.back() != level) {
        fail("ops.state", "The graph leaves a level of forward-mode derivatives that it did not enter.");
    }
    m_dualLevels.pop_back();
    ::torch::autograd::ForwardADLevel::release_idx(static_cast<std::uint64_t>(level));
}

std::int64_t GraphState::popLevel(at::functorch::TransformType type) {
    if (m_levels.empty() || m_levels.back() != type) {
        fail("ops.state", "The graph leaves a level of a transform that it did not enter.");
    }
    m_levels.pop_back();
    return at::functorch::popDynamicLayerAndDeleteMetadata().layerId();
}

} // namespace aotscope::torch::ops
