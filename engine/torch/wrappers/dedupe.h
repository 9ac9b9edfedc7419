#pragma once

#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// Passes each tensor once. Follows torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py:
/// AOTDedupeWrapper.post_compile. Throws RunFailure (call.guard) when the arguments are not the same tensor
/// where they were at compile time.
class DedupeCall final : public BoxedCall {
public:
    /// `names`: of the arguments, for the message.
    DedupeCall(const aot::AOTDedupeWrapper& wrapper, std::vector<std::string> names, BoxedCallPtr inner);

    Values call(Values& arguments) override;

private:
    std::vector<std::size_t> m_kept;
    /// Per argument, the argument that is passed for it.
    std::vector<std::size_t> m_standsFor;
    std::vector<std::string> m_names;
    BoxedCallPtr m_inner;
};

} // namespace aotscope::torch
