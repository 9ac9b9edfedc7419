#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

namespace aotscope::ir {

/// The module that each node belongs to, by node id index. Trace logs contain no nn_module_stack; without it
/// the path is derived. For a forward node: from the sources of parameters (`L['self']._modules['layers']…`)
/// and the source lines. For a backward node: from the forward node that has the same source line or is its
/// input.
struct ModulePaths {
    struct Entry {
        /// "layers.0.attn"; empty: the top module or unknown.
        std::string path;
        /// False: from a recorded module stack.
        bool derived = true;
    };
    std::vector<Entry> ofNode;
};

/// `placeholderSources`: the Dynamo source of each placeholder in order, "" if unknown. If empty,
/// Node::inputSource and the placeholders' names (`L_self_modules_fc1_parameters_weight_`) are used.
[[nodiscard]] ModulePaths deriveModulePaths(const Graph& graph,
                                            const std::vector<std::string>& placeholderSources = {});

} // namespace aotscope::ir
