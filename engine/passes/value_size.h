#pragma once

#include "passes/partition_rules.h"

#include "ir/graph.h"

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace aotscope::passes {

/// Sizes of values in bytes under a graph's example values of symbols. A symbol without an example value
/// counts as 4096, or (guessesWithinAssertedBounds) what lies nearest to it in the symbol's bounds, and is
/// remembered. Follows torch 2.11 and 2.15, torch/_functorch/partitioners.py: _size_of, and torch 2.15,
/// torch/fx/experimental/_size_hinting.py: _optimization_hint_base.
class ValueSizes {
public:
    /// With these values of symbols before the graph's own.
    ValueSizes(const ir::Graph& graph, const PartitionRules& rules, ir::SymbolBindings bindings = {});

    /// 1 for a symbolic number, the sum for several tensors. If the value of a node that returns several
    /// values is not known, the sum over the elements that getitem nodes read.
    [[nodiscard]] std::int64_t bytes(ir::NodeId id);
    [[nodiscard]] std::int64_t integer(const ir::SymInt& value);
    [[nodiscard]] const std::set<std::string>& unbound() const { return m_unbound; }
    /// What each of `unbound` counts as.
    [[nodiscard]] ir::SymbolBindings guesses() const;

private:
    /// Inclusive.
    struct Bounds {
        std::int64_t lower = std::numeric_limits<std::int64_t>::min();
        std::int64_t upper = std::numeric_limits<std::int64_t>::max();
    };

    void readBounds();
    void readBound(const ir::Node& comparison);
    std::int64_t tensorBytes(const ir::TensorMeta& tensor);
    std::int64_t valueBytes(const ir::ValueMeta& value);
    std::int64_t elementsBytes(ir::NodeId id);

    const ir::Graph& m_graph;
    ir::SymbolBindings m_bindings;
    std::set<std::string> m_unbound;
    std::map<std::string, Bounds, std::less<>> m_bounds;
};

/// What each symbol of the graph's values without an example value counts as.
[[nodiscard]] ir::SymbolBindings guessedSizes(const ir::Graph& graph, const PartitionRules& rules);

} // namespace aotscope::passes
