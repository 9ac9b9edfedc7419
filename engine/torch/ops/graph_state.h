#pragma once

#include "torch_headers.h"

#include <ATen/ThreadLocalState.h>
#include <c10/core/AutogradState.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/SymInt.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Declared here because its header includes a whole JSON library.
namespace at::functorch {
enum class TransformType;
}

namespace aotscope::torch::ops {

/// The thread state that calls of a graph change: grad mode, inference mode, autocast, functorch levels. The
/// destructor restores all of it, also when the graph stopped half way.
class GraphState {
public:
    GraphState() = default;
    ~GraphState(); // NOLINT: what could be entered can be left
    GraphState(const GraphState&) = delete;
    GraphState& operator=(const GraphState&) = delete;

    void setGradEnabled(bool enabled);
    /// The graph ran to its end: grad mode stays as it is now, as after a function in Python, and the
    /// destructor restores the rest.
    void leaveGradMode();
    /// Follows torch 2.11, torch/amp/autocast_mode.py: autocast.__enter__. An unset dtype means the device's
    /// default.
    void enterAutocast(c10::DeviceType device, std::optional<c10::ScalarType> dtype, bool enabled,
                       std::optional<bool> cacheEnabled);
    /// Leaves the innermost autocast region.
    void exitAutocast();
    void enterInference(bool enabled);
    /// torch.nn.attention.sdpa_kernel: enables these backends (names of SDPBackend) and no others.
    void allowAttention(const std::vector<std::string>& backends);
    void exitInference();
    /// Enters a level of vmap and returns its number. Follows torch 2.11, torch/_functorch/predispatch.py:
    /// _vmap_increment_nesting.
    std::int64_t pushVmap(c10::SymInt batchSize, const std::string& randomness);
    /// The same for torch.func.grad and torch.func.jvp.
    std::int64_t pushGrad();
    std::int64_t pushJvp();
    /// Leaves the innermost level, which must belong to that transform, and returns its number.
    std::int64_t popLevel(at::functorch::TransformType type);
    /// Levels of forward-mode AD. The returned number is an argument of make_dual and unpack_dual.
    std::int64_t enterDualLevel();
    void exitDualLevel(std::int64_t level);

private:
    struct Autocast {
        c10::DeviceType device;
        bool enabled;
        c10::ScalarType dtype;
        bool cacheEnabled;
    };
    /// To be called before any change of what is not the state of autograd.
    void keepBefore();

    /// Kept from the start, because the function bodies that autograd calls run with other modes.
    c10::AutogradState m_autogradBefore = c10::AutogradState::get_tls_state();
    /// Kept before the first change: few graphs make one, and keeping it takes longer than a call of an
    /// operator.
    std::optional<at::ThreadLocalState> m_before;
    /// Which attention backends were enabled before the first change, a process-wide setting that is restored
    /// with the rest; empty: no change.
    std::vector<bool> m_attentionBefore;
    std::vector<Autocast> m_autocasts;
    std::vector<std::unique_ptr<c10::InferenceMode>> m_inference;
    /// Levels of transforms, the innermost last.
    std::vector<at::functorch::TransformType> m_levels;
    std::vector<std::int64_t> m_dualLevels;
};

} // namespace aotscope::torch::ops
