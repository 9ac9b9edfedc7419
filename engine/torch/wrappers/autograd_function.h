#pragma once

#include "wrappers/backward_half.h"
#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

#include <memory>
#include <vector>

namespace aotscope::torch {

class GradientEdges;

/// The compiled forward as one node of autograd's graph, whose backward is the compiled backward. Follows
/// torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py: AOTDispatchAutograd and the
/// CompiledFunction that it builds.
///
/// A result that RuntimeWrapper makes again (TensorAlias) is returned as it is: autograd does not see it.
class AutogradFunctionCall final : public BoxedCall {
public:
    /// `wrapper.saved` must be set. `shared` is also held by the nodes of running backwards.
    AutogradFunctionCall(const aot::AOTDispatchAutograd& wrapper, std::shared_ptr<BackwardHalf> backward,
                         BoxedCallPtr forward);
    ~AutogradFunctionCall() override;

    Values call(Values& arguments) override;

private:
    aot::AOTDispatchAutograd m_wrapper;
    std::shared_ptr<BackwardHalf> m_backward;
    BoxedCallPtr m_forward;
    std::unique_ptr<GradientEdges> m_edges;
};

} // namespace aotscope::torch
