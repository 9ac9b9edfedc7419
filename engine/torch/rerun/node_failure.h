#pragma once

#include "dispatch/handled_error.h"

#include "ir/graph.h"

#include <utility>

namespace aotscope::torch {

/// Calls `work`. What it throws becomes a RunFailure with the first line of its message, behind the node that
/// `current` names then; Canceled passes.
template<typename Work>
void namingNode(const ir::Graph& graph, const ir::NodeId& current, Work&& work) {
    if (auto failed = failureOf("run.operator_failed", work, handledError)) {
        failed->message = firstLine(failed->message);
        if (current.valid()) {
            (void)addNode(*failed, graph.node(current));
        }
        throw RunFailure(*std::move(failed));
    }
}

} // namespace aotscope::torch
