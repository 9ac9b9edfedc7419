#pragma once

#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// Checks that no argument requires grad unless one did at compile time. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py: DebugAssertWrapper. Throws RunFailure (call.guard).
class DebugAssertCall final : public BoxedCall {
public:
    DebugAssertCall(const aot::DebugAssertWrapper& wrapper, std::vector<std::string> names,
                    BoxedCallPtr inner)
        : m_wrapper(wrapper), m_names(std::move(names)), m_inner(std::move(inner)) {}

    Values call(Values& arguments) override;

private:
    aot::DebugAssertWrapper m_wrapper;
    std::vector<std::string> m_names;
    BoxedCallPtr m_inner;
};

} // namespace aotscope::torch
