#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

namespace aotscope::ir {

/// The module each node belongs to, by node id index. Trace logs carry no module stack: where a node has none
/// the path is derived, forward from the parameters' sources (`L['self']._modules['layers']…`) and the source
/// lines, backward from the forward node that shares its source line or feeds it.
struct ModulePaths {
    struct Entry {
        /// "layers.0.attn"; empty: the top module or unknown.
        std::string path;
        /// Not from a recorded module stack.
        bool derived = true;
    };
    std::vector<Entry> ofNode;
};

/// `placeholderSources` gives the Dynamo source of each placeholder in order ("" unknown); pass {} to use
/// Node::inputSource and the placeholders' own names (`L_self_modules_fc1_parameters_weight_`).
[[nodiscard]] ModulePaths deriveModulePaths(const Graph& graph,
                                            const std::vector<std::string>& placeholderSources = {});

} // namespace aotscope::ir
