#pragma once

#include "ir/graph.h"

#include <span>
#include <vector>

namespace aotscope::ir {

/// The values whose last use is at each node, in the order in which PyTorch's generated code sets them to
/// None. Follows torch 2.11, torch/fx/graph.py: CodeGen._gen_python_code
/// (delete_unused_values).
class LastUses {
public:
    explicit LastUses(const Graph& graph);

    /// The values whose last use is in `id`, then `id` itself if it has no users.
    [[nodiscard]] std::span<const NodeId> endingAt(NodeId id) const {
        return std::span(m_values).subspan(m_offsets[id.index()],
                                           m_offsets[id.index() + 1] - m_offsets[id.index()]);
    }

private:
    std::vector<std::uint32_t> m_offsets;
    std::vector<NodeId> m_values;
};

} // namespace aotscope::ir
