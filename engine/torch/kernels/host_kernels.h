#pragma once

#include "kernels/fusion_plan.h"
#include "kernels/host_compiler.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace aotscope::torch {

/// The kernels of a plan, compiled for this machine's processor. Kernels whose text differs in names alone
/// are compiled once.
class HostKernels {
public:
    /// Errors: kernels.no_host_compiler, session.canceled. A kernel that the compiler refuses is none:
    /// `refusal` has its messages.
    [[nodiscard]] static base::Result<HostKernels> compile(const kernels::FusionPlan& plan,
                                                           base::Progress progress);

    /// Why the kernel of that group cannot be run; empty: it can.
    [[nodiscard]] const std::string& refusal(std::size_t group) const;
    /// Runs the kernel over its grid. `pointers` has one for each parameter.
    void launch(const kernels::FusedKernel& kernel, std::size_t group, std::span<void* const> pointers) const;

    [[nodiscard]] const std::string& compiler() const { return m_compiler; }
    [[nodiscard]] double seconds() const { return m_seconds; }

private:
    struct Body {
        const kernels::FusedKernel* kernel = nullptr;
        kernels::HostEntry entry = nullptr;
        std::string refusal;
    };

    void compileBodies(const kernels::HostCompiler& compiler, std::span<Body*> bodies,
                       const base::Progress& progress);

    std::string m_compiler;
    std::vector<Body> m_bodies;
    std::vector<std::size_t> m_bodyOf;
    std::vector<std::shared_ptr<const kernels::HostLibrary>> m_libraries;
    double m_seconds = 0;
};

} // namespace aotscope::torch
