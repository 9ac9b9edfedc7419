#pragma once

#include "ir/graph.h"

#include <span>
#include <vector>

namespace aotscope::ir {

/// Which values end their life at each node, in the order PyTorch's generated code sets them to None
/// (delete_unused_values in torch/fx/graph.py). For frozen graphs.
class LastUses {
public:
    explicit LastUses(const Graph& graph);

    /// Values last used by `id`, then `id` itself when nothing uses it.
    [[nodiscard]] std::span<const NodeId> endingAt(NodeId id) const {
        return std::span(m_values).subspan(m_offsets[id.index()],
                                           m_offsets[id.index() + 1] - m_offsets[id.index()]);
    }

private:
    std::vector<std::uint32_t> m_offsets;
    std::vector<NodeId> m_values;
};

} // namespace aotscope::ir
