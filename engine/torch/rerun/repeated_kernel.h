#pragma once

#include "run/run_context.h"

#include "contract/rerun_result.h"
#include "kernels/fused_kernel.h"

#include <functional>
#include <span>

namespace aotscope::torch {

/// A fused kernel's text, compiled for the device that it is repeated on.
struct RepeatedKernel {
    /// What the compiler said.
    session::RerunBuild build;
    /// Runs the kernel on the addresses of its parameters' tensors; a GPU has only queued it afterwards.
    /// Throws RunFailure. Empty: the compiler refused the text.
    std::function<void(std::span<void* const> pointers)> launch;
};

/// For the CPU by the host compiler, for a GPU by NVRTC; `context.place` says which. Throws RunFailure
/// (kernels.no_host_compiler, kernels.no_nvrtc, kernels.no_architecture, kernels.compiler_failed,
/// cuda.failed), Canceled.
[[nodiscard]] RepeatedKernel buildRepeated(const kernels::FusedKernel& kernel, RunContext& context);

} // namespace aotscope::torch
