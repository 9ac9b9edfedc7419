#pragma once

#include "wrappers/boxed_call.h"
#include "wrappers/call_observer.h"
#include "wrappers/view_replay.h"

#include "aot/wrapper_step.h"

#include <optional>
#include <vector>

namespace aotscope::torch {

/// How aliased outputs are regenerated, one per output of the program.
using OutputReplays = std::vector<AliasRecipe>;

/// Around every call: detaches inputs that never get a gradient, increases version counters, sets grad mode,
/// writes mutations back to the caller's tensors, regenerates aliased outputs, and drops intermediate bases.
/// Follows torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py: RuntimeWrapper.
class RuntimeCall final : public BoxedCall {
public:
    /// `shallowCopies`: per entry of the wrapper's mutations, whether the program assigned `x.data` (torch
    /// 2.15). `observer` may be null.
    RuntimeCall(const aot::RuntimeWrapper& wrapper, OutputReplays replays, std::vector<bool> shallowCopies,
                CallObserver* observer, BoxedCallPtr inner);

    Values call(Values& arguments) override;

private:
    [[nodiscard]] Values invoke(Values& arguments);
    void writeBack(std::size_t mutation, const at::Tensor& original, const at::Tensor& updated);
    [[nodiscard]] c10::IValue output(std::size_t index, const Values& results, std::size_t first,
                                     const std::vector<at::Tensor>& originals);
    [[nodiscard]] at::Tensor remade(std::size_t index, const std::string& what, const at::Tensor& base,
                                    const at::Tensor& target);
    void told(std::string action);

    aot::RuntimeWrapper m_wrapper;
    OutputReplays m_replays;
    std::vector<bool> m_shallowCopies;
    CallObserver* m_observer;
    BoxedCallPtr m_inner;
    /// Arguments that are needed after the call, and for each argument its place among these.
    std::vector<std::size_t> m_needed;
    std::vector<std::size_t> m_placeOf;
    bool m_anyAlias = false;
};

} // namespace aotscope::torch
