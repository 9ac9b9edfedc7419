#include "dispatch/release_rules.h"

#include <utility>

namespace aotscope::torch {

namespace {

thread_local aot::TraceRules current;
thread_local aot::FunctorchConfig currentConfig;

} // namespace

const aot::TraceRules& traceRules() {
    return current;
}

const aot::FunctorchConfig& traceConfig() {
    return currentConfig;
}

UseTraceRules::UseTraceRules(const aot::TraceRules& rules, const aot::FunctorchConfig& config)
    : m_previous(std::exchange(current, rules)), m_previousConfig(std::exchange(currentConfig, config)) {}

UseTraceRules::~UseTraceRules() {
    current = m_previous;
    currentConfig = m_previousConfig;
}

} // namespace aotscope::torch
