#pragma once

#include "rerun/region_values.h"
#include "run/state/run_context.h"
#include "torch/kernels/fused_run.h"

#include "contract/rerun_request.h"
#include "contract/rerun_result.h"

#include <cstdint>
#include <vector>

namespace aotscope::torch {

/// A fused kernel's text, compiled for the device that it is repeated on.
struct RepeatedKernel {
    /// What the compiler said.
    session::RerunBuild build;
    /// Empty: the compiler refused the text.
    KernelRun run;
};

/// The kernel of a group of nodes, compiled for the device of `context.place`, ready to be run on the values
/// that the nodes had, which lie there.
class FusedRepetitions {
public:
    /// Finds the group that has exactly the region's nodes, and compiles its kernel, or the text that stands
    /// in for it. Throws RunFailure: rerun.no_such_group, rerun.kernel_input (a tensor that the kernel reads
    /// is no input of the nodes, or lies on another device); kernels.no_host_compiler, kernels.no_nvrtc,
    /// kernels.no_architecture, kernels.compiler_failed, cuda.failed. Throws Canceled.
    FusedRepetitions(const ir::Graph& graph, const session::RerunRegion& region, const RegionValues& values,
                     const session::RerunKernel& kernel, RunContext& context);

    /// What the compiler said. If it refused the text, nothing can be measured.
    [[nodiscard]] const session::RerunBuild& build() const { return m_built.build; }
    [[nodiscard]] const kernels::FusedKernel& kernel() const { return m_kernel; }
    /// Times of the repetitions that count, in nanoseconds. Throws RunFailure, Canceled.
    [[nodiscard]] std::vector<std::int64_t> measure(const session::RerunSettings& settings);
    /// The median time of the same loop without the kernel.
    [[nodiscard]] double overhead();
    /// As the last repetition left them.
    [[nodiscard]] const std::vector<KernelResult>& results() const { return m_bound.results; }
    /// The results of the nodes' operators in the run, in the same order.
    [[nodiscard]] std::vector<at::Tensor> expected() const;

private:
    void findGroup(const session::RerunKernel& kernel);
    void bind();
    [[nodiscard]] at::Tensor inputOf(kernels::TensorName name) const;

    const ir::Graph& m_graph;
    const session::RerunRegion& m_region;
    const RegionValues& m_values;
    RunContext& m_context;
    kernels::FusedKernel m_kernel;
    RepeatedKernel m_built;
    BoundKernel m_bound;
};

} // namespace aotscope::torch
