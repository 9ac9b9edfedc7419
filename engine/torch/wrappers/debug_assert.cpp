#include "wrappers/debug_assert.h"

#include "dispatch/failure.h"

#include <algorithm>

namespace aotscope::torch {

Values DebugAssertCall::call(Values& arguments) {
    const std::size_t count = std::min(arguments.size(), m_wrapper.flatRequiresGrad.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::optional<bool>& canRequireGrad = m_wrapper.flatRequiresGrad[i];
        const std::string name = i < m_names.size() ? m_names[i] : "argument " + std::to_string(i);
        if (!canRequireGrad && arguments[i].isTensor()) {
            fail("call.guard", "At compile time " + name + " was no tensor, and in this call it is one.");
        }
        if (canRequireGrad && !*canRequireGrad && arguments[i].isTensor() &&
            arguments[i].toTensor().requires_grad()) {
            fail("call.guard", "At compile time " + name + " did not require grad, and in this call it does.",
                 "Compile again for these arguments.");
        }
    }
    return m_inner->call(arguments);
}

} // namespace aotscope::torch
