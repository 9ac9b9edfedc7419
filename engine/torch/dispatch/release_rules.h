#pragma once

#include "aot/functorch_config.h"
#include "aot/versions/trace_rules.h"

namespace aotscope::torch {

/// The rules of the release that a trace on this thread follows; outside a trace those of torch 2.11.
/// LibTorch's dispatcher calls our kernels without any context, so the rules are found through the thread.
[[nodiscard]] const aot::TraceRules& traceRules();

/// The options that such a trace follows; outside a trace the defaults of torch 2.11.
[[nodiscard]] const aot::FunctorchConfig& traceConfig();

/// While it lives, traces on this thread follow these rules and options.
class UseTraceRules {
public:
    explicit UseTraceRules(const aot::TraceRules& rules, const aot::FunctorchConfig& config);
    UseTraceRules(const UseTraceRules&) = delete;
    UseTraceRules& operator=(const UseTraceRules&) = delete;
    ~UseTraceRules();

private:
    aot::TraceRules m_previous;
    aot::FunctorchConfig m_previousConfig;
};

} // namespace aotscope::torch
