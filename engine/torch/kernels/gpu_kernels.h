#pragma once

#include "cuda/kernel_launch.h"
#include "torch/kernels/compiled_kernels.h"

#include <memory>
#include <vector>

namespace aotscope::torch {

/// The kernels of a plan, compiled for a GPU of this machine and loaded on it.
class GpuKernels final : public CompiledKernels {
public:
    [[nodiscard]] static base::Result<GpuKernels> compile(const kernels::FusionPlan& plan, int device,
                                                          const base::Progress& progress);

    [[nodiscard]] const std::string& refusal(std::size_t group) const override;
    void launch(const kernels::FusedKernel& kernel, std::size_t group,
                std::span<void* const> pointers) const override;

private:
    /// Of all kernels with the same text.
    struct Body {
        std::shared_ptr<const LoadedKernel> loaded;
        std::string refusal;
    };
    std::vector<Body> m_bodies;
    std::vector<std::size_t> m_bodyOf;
};

} // namespace aotscope::torch
