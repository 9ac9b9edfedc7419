#pragma once

#include "run/run_place.h"

#include "kernels/compile_message.h"
#include "kernels/fusion_plan.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace aotscope::torch {

/// The kernels of a plan, compiled for the device that a graph runs on. Kernels whose text differs in names
/// alone are compiled once.
class CompiledKernels {
public:
    virtual ~CompiledKernels() = default;

    /// Why the kernel of that group cannot be run; empty: it can.
    [[nodiscard]] virtual const std::string& refusal(std::size_t group) const = 0;
    /// Runs the kernel over its grid; a GPU has only queued it afterwards. `pointers` has the address of the
    /// first element of each parameter's tensor. Throws RunFailure (cuda.failed, cuda.lost).
    virtual void launch(const kernels::FusedKernel& kernel, std::size_t group,
                        std::span<void* const> pointers) const = 0;

    [[nodiscard]] const std::string& compiler() const { return m_compiler; }
    [[nodiscard]] double seconds() const { return m_seconds; }

protected:
    std::string m_compiler;
    double m_seconds = 0;
};

/// For the CPU by the host compiler, for a GPU by NVRTC. A kernel that the compiler refuses is no error:
/// `refusal` has its messages. Errors: kernels.no_host_compiler; those of DeviceCompiler; session.canceled.
[[nodiscard]] base::Result<std::unique_ptr<CompiledKernels>>
compileKernels(const kernels::FusionPlan& plan, const RunPlace& place, const base::Progress& progress);

/// What a compiler said, one line for each message.
[[nodiscard]] std::string messagesText(const std::vector<kernels::CompileMessage>& messages);

} // namespace aotscope::torch
