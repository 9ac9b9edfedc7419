#include "ir/last_uses.h"

#include "ir/notes.h"

namespace aotscope::ir {

LastUses::LastUses(const Graph& graph) {
    std::vector<NodeId> lastUser(graph.idBound());
    for (const NodeId id : graph.order()) {
        for (const NodeId used : graph.inputs(id)) {
            lastUser[used.index()] = id;
        }
    }
    const std::string* deletions = graph.style().note(notes::deletions);
    m_offsets.assign(graph.idBound() + 1, 0);
    if (deletions != nullptr && *deletions == "none") {
        return;
    }
    // A graph without an output is incomplete: a value that looks unused may be used in the missing part.
    const bool endsUnused = deletions == nullptr ? graph.output().has_value() : *deletions == "all";
    // Offsets are by node id, which need not follow program order.
    for (std::uint32_t i = 0; i < graph.idBound(); ++i) {
        const NodeId id(i);
        for (const NodeId used : graph.inputs(id)) {
            if (lastUser[used.index()] == id) {
                m_values.push_back(used);
            }
        }
        const Opcode op = graph.node(id).op;
        if (endsUnused && graph.users(id).empty() && op != Opcode::Placeholder && op != Opcode::Output) {
            m_values.push_back(id);
        }
        m_offsets[i + 1] = static_cast<std::uint32_t>(m_values.size());
    }
}

} // namespace aotscope::ir
