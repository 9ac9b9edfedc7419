#pragma once

#include "kernels/host_compiler.h"
#include "torch/kernels/compiled_kernels.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace aotscope::torch {

/// The kernels of a plan, compiled for this machine's processor.
class HostKernels final : public CompiledKernels {
public:
    /// Errors: kernels.no_host_compiler, session.canceled.
    [[nodiscard]] static base::Result<HostKernels> compile(const kernels::FusionPlan& plan,
                                                           base::Progress progress);

    [[nodiscard]] const std::string& refusal(std::size_t group) const override;
    void launch(const kernels::FusedKernel& kernel, std::size_t group,
                std::span<void* const> pointers) const override;

private:
    struct Body {
        const kernels::FusedKernel* kernel = nullptr;
        kernels::HostEntry entry = nullptr;
        std::string refusal;
    };

    void compileBodies(const kernels::HostCompiler& compiler, std::span<Body*> bodies,
                       const base::Progress& progress);

    std::vector<Body> m_bodies;
    std::vector<std::size_t> m_bodyOf;
    std::vector<std::shared_ptr<const kernels::HostLibrary>> m_libraries;
};

} // namespace aotscope::torch
