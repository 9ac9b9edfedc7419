#pragma once

#include "rerun/region_values.h"

#include "kernels/fusion_plan.h"
#include "kernels/host_compiler.h"
#include "session/rerun_request.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace aotscope::torch {

/// A result of a fused kernel.
struct KernelResult {
    kernels::TensorName name;
    at::Tensor tensor;
};

/// The kernel of a group of nodes, compiled for this computer's processor, ready to be run on the values that
/// the nodes had.
class FusedRepetitions {
public:
    /// Finds the group that has exactly the region's nodes, and compiles its kernel, or the text that stands
    /// in for it. Throws RunFailure: rerun.no_such_group, rerun.kernel_input (a tensor that the kernel reads
    /// is no input of the nodes), kernels.no_host_compiler; Canceled.
    FusedRepetitions(const ir::Graph& graph, const session::RerunRegion& region, const RegionValues& values,
                     const session::RerunKernel& kernel, RunContext& context);

    /// What the compiler said. If it refused the text, nothing can be measured.
    [[nodiscard]] const session::RerunBuild& build() const { return m_build; }
    [[nodiscard]] std::vector<std::int64_t> measure(const session::RerunSettings& settings);
    /// As the last repetition left them.
    [[nodiscard]] const std::vector<KernelResult>& results() const { return m_results; }
    /// What the operators of the nodes made in the run, in the same order.
    [[nodiscard]] std::vector<at::Tensor> expected() const;

private:
    void findGroup(const session::RerunKernel& kernel);
    void compile();
    void bind();
    [[nodiscard]] at::Tensor inputOf(kernels::TensorName name) const;

    const ir::Graph& m_graph;
    const session::RerunRegion& m_region;
    const RegionValues& m_values;
    RunContext& m_context;
    kernels::FusedKernel m_kernel;
    session::RerunBuild m_build;
    std::shared_ptr<const kernels::HostLibrary> m_library;
    kernels::HostEntry m_entry = nullptr;
    std::vector<at::Tensor> m_inputs;
    std::vector<KernelResult> m_results;
    /// One per parameter, and their addresses, as a launch takes them.
    std::vector<void*> m_pointers;
    std::vector<void*> m_addresses;
};

} // namespace aotscope::torch
