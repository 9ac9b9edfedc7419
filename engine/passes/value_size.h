#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <set>
#include <string>

namespace aotscope::passes {

/// Sizes of values in bytes under a graph's example values of symbols. A symbol without an example value
/// counts as 4096 and is remembered. Follows torch 2.11, torch/_functorch/partitioners.py: _size_of.
class ValueSizes {
public:
    explicit ValueSizes(const ir::Graph& graph);

    /// 1 for a symbolic number, the sum for several tensors. If the value of a node that returns several
    /// values is not known, the sum over the elements that getitem nodes read.
    [[nodiscard]] std::int64_t bytes(ir::NodeId id);
    [[nodiscard]] std::int64_t integer(const ir::SymInt& value);
    [[nodiscard]] const std::set<std::string>& unbound() const { return m_unbound; }

private:
    std::int64_t tensorBytes(const ir::TensorMeta& tensor);
    std::int64_t valueBytes(const ir::ValueMeta& value);
    std::int64_t elementsBytes(ir::NodeId id);

    const ir::Graph& m_graph;
    ir::SymbolBindings m_bindings;
    std::set<std::string> m_unbound;
};

} // namespace aotscope::passes
