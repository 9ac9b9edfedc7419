#include "changed_kernels.h"

#include "torch/kernels/kernel_check.h"

namespace aotscope::test {

base::Result<session::KernelCheck> checkedWithChange(const ir::Graph& graph, const std::string& from,
                                                     const std::string& to) {
    const auto change = [&](kernels::FusionPlan& plan) {
        for (kernels::FusionGroup& group : plan.groups) {
            std::string& source = group.kernel.source;
            if (const std::size_t at = source.find(from); at != std::string::npos) {
                source.replace(at, from.size(), to);
            }
        }
    };
    return torch::checkKernels(graph, {}, {}, change);
}

} // namespace aotscope::test
