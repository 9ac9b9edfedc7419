#include "recompile/retraced_stages.h"

#include "explore/split_retraced.h"
#include "files/graph_snapshot.h"
#include "files/retrace_targets.h"

#include "ir/compare/graph_diff.h"
#include "passes/partition.h"

namespace aotscope::session {
namespace {

class StageDescriber {
public:
    StageDescriber(RetraceSnapshot& snapshot, const std::vector<std::string>& inputSources,
                   const std::stop_token& stop)
        : m_snapshot(snapshot), m_inputSources(inputSources), m_stop(stop) {}

    void describeTraced() {
        for (aot::TraceStage& stage : m_snapshot.result->stages) {
            RetraceStage described{std::string(base::wordOf(stage.kind)), nullptr, std::move(stage.note)};
            if (stage.kind == aot::TraceStageKind::Program) {
                described.graph = m_snapshot.program;
            } else if (stage.kind == aot::TraceStageKind::Joint) {
                described.graph = m_snapshot.made;
            } else if (stage.graph) {
                described.graph = stageGraph(described.name + " ", stage.graph);
            }
            m_snapshot.stages.push_back(std::move(described));
        }
    }

    /// The forward as the partition leaves it, and with hooks inlined.
    void describeForwards(const LogSnapshot& log) {
        if (!isSplittable(m_snapshot)) {
            return;
        }
        const auto split = splitRetraced(m_snapshot, log, base::Progress({}, m_stop));
        if (!split) {
            m_snapshot.stages.push_back({"forward", nullptr, split.error().message});
            return;
        }
        const auto add = [&](const std::string& name, const ir::GraphPtr& graph) {
            // "forward joint" would name two kinds of graph.
            m_snapshot.stages.push_back({name, stageGraph(name + " stage of ", graph)});
        };
        const ir::GraphPtr& before = split->partition->forwardBeforeHooks;
        add("forward", before ? before : split->forward());
        if (before) {
            add("hooks", split->forward());
        }
    }

    void countChanges() {
        const GraphSnapshot* before = nullptr;
        for (RetraceStage& stage : m_snapshot.stages) {
            if (!stage.graph) {
                continue;
            }
            if (before != nullptr) {
                stage.diff = std::make_shared<const ir::GraphDiff>(
                    ir::diffGraphs(*before->graph, *stage.graph->graph));
                for (const ir::NodeDifference& difference : stage.diff->differences) {
                    using Kind = ir::NodeDifference::Kind;
                    stage.added += difference.kind == Kind::Added ? 1 : 0;
                    stage.changed += difference.kind == Kind::Changed ? 1 : 0;
                    stage.removed += difference.kind == Kind::Removed ? 1 : 0;
                }
            }
            before = stage.graph.get();
        }
    }

private:
    [[nodiscard]] GraphSnapshotPtr stageGraph(const std::string& prefix, const ir::GraphPtr& graph) const {
        return describeGraph(besideTarget(m_snapshot.log, m_snapshot.target, prefix), graph, {},
                             placeholderSources(*graph, m_inputSources, false), m_stop);
    }

    RetraceSnapshot& m_snapshot;
    const std::vector<std::string>& m_inputSources;
    const std::stop_token& m_stop;
};

} // namespace

void describeStages(RetraceSnapshot& snapshot, const LogSnapshotPtr& log,
                    const std::vector<std::string>& inputSources, const std::stop_token& stop) {
    StageDescriber stages(snapshot, inputSources, stop);
    stages.describeTraced();
    if (log && !snapshot.stages.empty()) {
        stages.describeForwards(*log);
    }
    stages.countChanges();
}

} // namespace aotscope::session
