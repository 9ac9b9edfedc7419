#pragma once

#include "cuda/kernel_launch.h"
#include "run/state/run_place.h"

#include "kernels/fusion_plan.h"
#include "kernels/host_compiler.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Runs a compiled kernel over its grid; a GPU has only queued it afterwards. `pointers` has the address of
/// the first element of each parameter's tensor. Throws RunFailure (cuda.failed, cuda.lost).
using KernelRun = std::function<void(const kernels::KernelLaunch& launch, std::span<void* const> pointers)>;

[[nodiscard]] KernelRun runOnDevice(LoadedKernel kernel);
/// Over a grid of that many blocks at most: kernels walk over what their grid does not cover. Empty: the
/// library has no such kernel.
[[nodiscard]] KernelRun runOnHost(std::shared_ptr<const kernels::HostLibrary> library,
                                  const std::string& kernel, std::uint32_t mostBlocks);

/// Kernels' texts, compiled as one with the rules of arithmetic of the tests. `options.flags` are added to
/// these. Errors: those of compileForHost.
[[nodiscard]] base::Result<kernels::HostBuild>
compileTexts(const kernels::HostCompiler& compiler, std::span<const kernels::FusedKernel* const> texts,
             kernels::HostCompileOptions options, const base::Progress& progress);

/// The kernels of a plan, compiled for the device that a graph runs on. Kernels whose text differs in names
/// alone are compiled once.
struct CompiledKernels {
    struct Body {
        KernelRun run;
        std::string refusal;
    };
    std::vector<Body> bodies;
    /// By group.
    std::vector<std::size_t> bodyOf;
    std::string compiler;
    /// How long they took to compile, without the search for a compiler.
    double seconds = 0;

    /// Why the kernel of that group cannot be run; empty: it can.
    [[nodiscard]] const std::string& refusal(std::size_t group) const {
        return bodies[bodyOf[group]].refusal;
    }
    /// As KernelRun, with the kernel's name in front of the error.
    void launch(const kernels::FusedKernel& kernel, std::size_t group, std::span<void* const> pointers) const;
};

/// For the CPU by the host compiler, for a GPU by NVRTC. A kernel that the compiler refuses is no error:
/// `refusal` has its messages. Errors: kernels.no_host_compiler; those of DeviceCompiler; session.canceled.
[[nodiscard]] base::Result<CompiledKernels>
compileKernels(const kernels::FusionPlan& plan, const RunPlace& place, const base::Progress& progress);

} // namespace aotscope::torch
