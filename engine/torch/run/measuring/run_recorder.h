#pragma once

#include "run/execution/executor.h"
#include "run/measuring/profile_run.h"
#include "run/replacements/stand_in.h"
#include "run/state/memory_limit.h"

#include "contract/backend.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace aotscope::torch {

/// Ends a run that is only for its kept values.
struct KeptValuesComplete : std::exception {};

/// Records for each node of the outermost graph: statistics of its results, contradictions to the logged
/// metadata, and live memory in bytes. All references must outlive it.
class RunRecorder final : public NodeObserver {
public:
    RunRecorder(const ir::Graph& graph, const session::RunOptions& options, RunContext& context,
                session::RunSnapshot& snapshot, const std::vector<c10::IValue>& inputs);

    void started(ir::NodeId node) override;
    void computing(ir::NodeId node) override;
    void finished(ir::NodeId node, c10::IValue& result, std::int64_t nanoseconds) override;
    void released(ir::NodeId /*node*/, const c10::IValue& value) override { count(value, -1); }

    /// From now on a profiler sees a range around each node.
    void markNodes() { m_marksNodes = true; }
    /// Ends the range of a node that failed.
    void endMark() { m_range.reset(); }

    /// The running node, for error messages.
    [[nodiscard]] ir::NodeId current() const { return m_current; }

private:
    void measure(session::NodeRun& run, const c10::IValue& result);
    void keep(ir::NodeId node, const c10::IValue& result, session::RunOrigin origin);
    void holdAsInput(const c10::IValue& value);
    void count(const c10::IValue& value, int change);
    void noteStandIns(session::NodeRun& run, const c10::IValue& result);

    const ir::Graph& m_graph;
    const session::RunOptions& m_options;
    RunContext& m_context;
    session::RunSnapshot& m_snapshot;
    StandInTracker m_standIns;
    MemoryMeter m_meter;
    ir::NodeId m_current;
    bool m_marksNodes = false;
    std::optional<NodeRange> m_range;
    std::uint64_t m_done = 0;
    std::int64_t m_keptBytes = 0;
    /// Allocated bytes when the run began, and when the node began.
    std::int64_t m_allocatedBeforeRun = 0;
    std::int64_t m_allocatedBefore = 0;
    /// Bytes of constants, which count as inputs although they are created during the run.
    std::int64_t m_constantBytes = 0;
    /// The number of values that hold each storage, without those of the inputs.
    std::unordered_map<const c10::StorageImpl*, std::int64_t> m_holders;
    std::vector<c10::Storage> m_inputStorages;
    std::unordered_map<const c10::StorageImpl*, bool> m_isInput;
};

} // namespace aotscope::torch
