#pragma once

#include "ir/graph.h"

#include <string_view>

namespace aotscope::passes {

/// Whether a call of an FX target can end its process (ir::Trait::CanEndProcess). Such graphs run in a
/// process of their own.
[[nodiscard]] bool canEndProcess(std::string_view target);

/// Whether a node of the graph or of a graph in it can.
[[nodiscard]] bool canEndProcess(const ir::Graph& graph);

} // namespace aotscope::passes
