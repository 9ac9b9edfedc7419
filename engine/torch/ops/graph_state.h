#pragma once

#include "torch_headers.h"

#include <ATen/ThreadLocalState.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/SymInt.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Its header reads a whole JSON library.
namespace at::functorch {
enum class TransformType;
}

namespace aotscope::torch::ops {

/// What calls of a graph change in the thread's state: grad mode, inference mode, autocast, functorch levels.
/// All of it is put back when this object goes, also when the graph was left half way.
class GraphState {
public:
    GraphState();
    ~GraphState();
    GraphState(const GraphState&) = delete;
    GraphState& operator=(const GraphState&) = delete;

    void setGradEnabled(bool enabled);
    /// torch.amp.autocast(...).__enter__; an unset dtype means the device's default.
    void enterAutocast(c10::DeviceType device, std::optional<c10::ScalarType> dtype, bool enabled,
                       std::optional<bool> cacheEnabled);
    /// Leaves the innermost autocast region.
    void exitAutocast();
    void enterInference(bool enabled);
    /// torch.nn.attention.sdpa_kernel: these backends (SDPBackend's names) and no others.
    void allowAttention(const std::vector<std::string>& backends);
    void exitInference();
    /// torch._functorch.predispatch: a level of vmap; returns its number.
    std::int64_t pushVmap(c10::SymInt batchSize, const std::string& randomness);
    /// The same of torch.func.grad and torch.func.jvp.
    std::int64_t pushGrad();
    std::int64_t pushJvp();
    /// Leaves the innermost level, which must be of that transform.
    std::int64_t popLevel(at::functorch::TransformType type);
    /// Levels of forward-mode derivatives, whose numbers make_dual and unpack_dual take.
    std::int64_t enterDualLevel();
    void exitDualLevel(std::int64_t level);

private:
    struct Autocast {
        c10::DeviceType device;
        bool enabled;
        c10::ScalarType dtype;
        bool cacheEnabled;
    };
    struct AttentionBackends {
        bool flash;
        bool memEfficient;
        bool math;
        bool cudnn;
        bool overrideable;
        static AttentionBackends current();
        void use() const;
    };
    at::ThreadLocalState m_before;
    /// Of the process, and put back with the rest.
    std::optional<AttentionBackends> m_attentionBefore;
    std::vector<Autocast> m_autocasts;
    std::vector<std::unique_ptr<c10::InferenceMode>> m_inference;
    /// Levels of transforms, the innermost last.
    std::vector<at::functorch::TransformType> m_levels;
    std::vector<std::int64_t> m_dualLevels;
};

} // namespace aotscope::torch::ops
