#include "dispatch/release_rules.h"

#include <utility>

namespace aotscope::torch {

namespace {

thread_local aot::TraceRules current;

} // namespace

const aot::TraceRules& traceRules() {
    return current;
}

UseTraceRules::UseTraceRules(const aot::TraceRules& rules) : m_previous(std::exchange(current, rules)) {}

UseTraceRules::~UseTraceRules() {
    current = m_previous;
}

} // namespace aotscope::torch
