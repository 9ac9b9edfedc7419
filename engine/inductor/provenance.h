#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::inductor {

/// PyTorch's own record of which nodes each kernel computes: the artifacts
/// `inductor_provenance_tracking_node_mappings` and `…_kernel_stack_traces`. Follows torch 2.15,
/// torch/_inductor/debug.py: dump_inductor_provenance_info, set_kernel_post_grad_provenance_tracing.
struct Provenance {
    struct Entry {
        /// "extern_kernels.mm"
        std::string kernel;
        /// The debug handle of the launch; 0: keys have none (before version 2), and all launches of the
        /// kernel share the entry.
        std::int64_t handle = 0;
        /// Names of nodes, or stacks.
        std::vector<std::string> texts;
    };
    std::vector<Entry> nodes;
    std::vector<Entry> stacks;

    /// Null: there is none.
    [[nodiscard]] static const Entry* tryFind(const std::vector<Entry>& entries, std::string_view kernel,
                                              std::int64_t handle);
};

/// Adds what an artifact says. Error: inductor.provenance (not the JSON that PyTorch writes).
[[nodiscard]] base::Result<void> addNodeMappings(std::string_view json, Provenance& provenance);
[[nodiscard]] base::Result<void> addStackTraces(std::string_view json, Provenance& provenance);

} // namespace aotscope::inductor
