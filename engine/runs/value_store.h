#pragma once

#include "contract/requests.h"
#include "runs/value_snapshot.h"

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <mutex>

namespace aotscope::session {

/// Keeps the value that was shown last, so that its other parts are shown without another run. Thread-safe.
class ValueStore {
public:
    /// Runs a graph up to the value that the options keep.
    using Run = std::function<base::Result<RunSnapshotPtr>(const RunOptions&)>;

    /// The part of the value that the command asks for, from the kept value or else from `run`. Errors: those
    /// of `run`; value.no_such_node; value.no_tensor; value.window.
    [[nodiscard]] base::Result<ValueSnapshotPtr> view(const GraphSnapshotPtr& graph, const LoadValue& command,
                                                      const Run& run);
    void eraseLog(std::uint32_t log);

private:
    /// The graph is compared by address: a log that was read again has another.
    struct Kept {
        GraphSnapshotPtr graph;
        std::uint64_t seed = 0;
        DeviceChoice device = {};
        ir::SymbolBindings symbols;
        NodeValuePtr value;
    };
    std::mutex m_mutex;
    Kept m_kept;
};

} // namespace aotscope::session
