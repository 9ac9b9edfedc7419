#include "dispatch/release_rules.h"

namespace aotscope::torch {

const aot::TraceRules& traceRules() {
    const aot::TraceRules* rules = KernelContext::current().rules;
    TORCH_CHECK(rules != nullptr, "a kernel that differs from release to release of torch was called where "
                                  "none is followed");
    return *rules;
}

UseTraceRules::UseTraceRules(const aot::TraceRules& rules)
    : m_rules(rules), m_scope(&KernelContext::rules, &m_rules) {}

} // namespace aotscope::torch
