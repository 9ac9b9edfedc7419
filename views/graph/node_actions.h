#pragma once

#include "passes/partition_options.h"

#include <functional>
#include <optional>
#include <string>

namespace aotscope::views {

/// What can be done with a node of the shown graph, beside looking at it.
struct NodeActions {
    /// Whether it can be forced to be saved or recomputed, and the current override.
    bool canChoose = false;
    std::optional<passes::Forced> choice;
    bool canRerun = false;
    bool canBreak = false;
    bool hasBreakpoint = false;
};
using NodeActionsOf = std::function<NodeActions(const std::string& node)>;

} // namespace aotscope::views
