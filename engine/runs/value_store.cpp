#include "runs/value_store.h"

namespace aotscope::session {

base::Result<ValueSnapshotPtr> ValueStore::view(const GraphSnapshotPtr& graph, const LoadValue& command,
                                                const Run& run) {
    const auto node = graph->graph->tryFind(command.node);
    if (!node) {
        return base::Error{"value.no_such_node", "The graph has no node named \"" + command.node + "\"."};
    }
    NodeValuePtr value;
    // Inputs that a person gave are too large to compare.
    const bool mayKeep = command.run.inputs.empty();
    {
        const std::lock_guard lock(m_mutex);
        const bool isKept = mayKeep && m_kept.value && m_kept.graph == graph && m_kept.value->node == *node &&
                            m_kept.seed == command.run.seed && m_kept.device == command.run.device &&
                            m_kept.symbols == command.run.symbols;
        value = isKept ? m_kept.value : nullptr;
    }
    if (!value) {
        RunOptions options = command.run;
        options.statistics = false;
        options.keepOutputs = false;
        options.keepValues = {command.node};
        options.onlyKeptValues = true;
        AOTSCOPE_TRY(ran, run(options));
        if (ran->values.empty()) {
            return ran->error
                       ? *ran->error
                       : base::Error{"value.no_tensor", "The node \"" + command.node + "\" has no value."};
        }
        value = ran->values.front();
        const std::lock_guard lock(m_mutex);
        m_kept =
            mayKeep ? Kept{graph, command.run.seed, command.run.device, command.run.symbols, value} : Kept{};
    }
    auto viewed = viewValue(*value, command.window);
    if (!viewed) {
        base::Error error = std::move(viewed).error();
        error.place.node = command.node;
        return error;
    }
    auto snapshot = std::make_shared<ValueSnapshot>(std::move(viewed).value());
    snapshot->graph = graph;
    snapshot->seed = command.run.seed;
    return ValueSnapshotPtr(std::move(snapshot));
}

void ValueStore::eraseLog(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    if (m_kept.graph && m_kept.graph->reference.log == log) {
        m_kept = {};
    }
}

} // namespace aotscope::session
