#include "ops/graph_state.h"

#include "run/failure.h"

#include <ATen/autocast_mode.h>
#include <ATen/functorch/DynamicLayer.h>
#include <c10/core/GradMode.h>

namespace aotscope::torch::ops {

GraphState::GraphState() = default;

GraphState::~GraphState() {
    while (m_vmapLevels > 0) {
        popVmap();
    }
    while (!m_autocasts.empty()) {
        exitAutocast();
    }
    while (!m_inference.empty()) {
        m_inference.pop_back();
    }
    at::ThreadLocalState::setThreadLocalState(m_before);
}

void GraphState::setGradEnabled(bool enabled) {
    c10::GradMode::set_enabled(enabled);
}

void GraphState::enterAutocast(c10::DeviceType device, std::optional<c10::ScalarType> dtype, bool enabled,
                               std::optional<bool> cacheEnabled) {
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
    m_inference.push_back(std::make_unique<c10::InferenceMode>(enabled));
}

void GraphState::exitInference() {
    if (m_inference.empty()) {
        fail("ops.state", "The graph leaves an inference mode that it did not enter.");
    }
    m_inference.pop_back();
}

std::int64_t GraphState::pushVmap(c10::SymInt batchSize, const std::string& randomness) {
    const auto type = randomness == "error"  ? at::functorch::RandomnessType::Error
                      : randomness == "same" ? at::functorch::RandomnessType::Same
                                             : at::functorch::RandomnessType::Different;
    ++m_vmapLevels;
    return at::functorch::initAndPushDynamicLayer(at::functorch::TransformType::Vmap, std::move(batchSize),
                                                  type);
}

std::int64_t GraphState::popVmap() {
    if (m_vmapLevels == 0) {
        fail("ops.state", "The graph leaves a vmap level that it did not enter.");
    }
    --m_vmapLevels;
    return at::functorch::popDynamicLayerAndDeleteMetadata().layerId();
}

} // namespace aotscope::torch::ops
