#pragma once

#include "dispatch/kernel_context.h"

namespace aotscope::torch {

/// The rules of the release that kernels on this thread follow: for those that LibTorch's dispatcher calls.
/// Other code gets the rules as an argument. Throws c10::Error where no UseTraceRules lives.
[[nodiscard]] const aot::TraceRules& traceRules();

/// While it lives, kernels on this thread follow these rules.
class UseTraceRules {
public:
    explicit UseTraceRules(const aot::TraceRules& rules);

private:
    aot::TraceRules m_rules;
    KernelScope m_scope;
};

} // namespace aotscope::torch
