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

namespace {

/// A backend of attention by the name of its SDPBackend, and its switch.
struct AttentionBackend {
    std::string_view name;
    bool (at::Context::*isEnabled)() const;
    void (at::Context::*enable)(bool);
};
constexpr AttentionBackend attentionBackends[] = {
    {"FLASH_ATTENTION", &at::Context::userEnabledFlashSDP, &at::Context::setSDPUseFlash},
    {"EFFICIENT_ATTENTION", &at::Context::userEnabledMemEfficientSDP, &at::Context::setSDPUseMemEfficient},
    {"MATH", &at::Context::userEnabledMathSDP, &at::Context::setSDPUseMath},
    {"CUDNN_ATTENTION", &at::Context::userEnabledCuDNNSDP, &at::Context::setSDPUseCuDNN},
    {"OVERRIDEABLE", &at::Context::userEnabledOverrideableSDP, &at::Context::setSDPUseOverrideable},
};

void checkEntered(bool entered, const std::string& what) {
    if (!entered) {
        fail("ops.state", "The graph leaves " + what + " that it did not enter.");
    }
}

} // namespace

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
    for (std::size_t i = 0; i < m_attentionBefore.size(); ++i) {
        (at::globalContext().*attentionBackends[i].enable)(m_attentionBefore[i]);
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

void GraphState::allowAttention(const std::vector<std::string>& backends) {
    at::Context& context = at::globalContext();
    const bool isFirst = m_attentionBefore.empty();
    for (const AttentionBackend& backend : attentionBackends) {
        if (isFirst) {
            m_attentionBefore.push_back((context.*backend.isEnabled)());
        }
        (context.*backend.enable)(std::ranges::find(backends, backend.name) != backends.end());
    }
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
    checkEntered(!m_autocasts.empty(), "an autocast region");
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
    checkEntered(!m_inference.empty(), "an inference mode");
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
    checkEntered(!m_dualLevels.empty() && m_dualLevels.back() == level,
                 "a level of forward-mode derivatives");
    m_dualLevels.pop_back();
    ::torch::autograd::ForwardADLevel::release_idx(static_cast<std::uint64_t>(level));
}

std::int64_t GraphState::popLevel(at::functorch::TransformType type) {
    checkEntered(!m_levels.empty() && m_levels.back() == type, "a level of a transform");
    m_levels.pop_back();
    return at::functorch::popDynamicLayerAndDeleteMetadata().layerId();
}

} // namespace aotscope::torch::ops
