#include "recompile/retraced_comparison.h"

#include "explore/split_retraced.h"
#include "files/graph_snapshot.h"
#include "files/retrace_targets.h"
#include "ir/compare/graph_diff.h"
#include "ir/graph_builder.h"
#include "ir/higher_order.h"
#include "ir/text/parser.h"
#include "passes/partition.h"

#include "base/text_search.h"

#include <algorithm>
#include <set>
#include <utility>

namespace aotscope::session {

namespace {

/// Without blanks at the ends of lines, and without empty lines at the end.
std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::string_view line = base::takePart(text, '\n');
        lines.push_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
    while (!lines.empty() && lines.back().empty()) {
        lines.pop_back();
    }
    return lines;
}

/// The text that PyTorch printed. If the file does not have it, the logged graph is printed in the style of
/// `made`.
std::string printedText(const GraphSnapshot& logged, const ir::Graph& made) {
    if (!logged.text.empty()) {
        return logged.text;
    }
    ir::GraphBuilder styled(*logged.graph);
    styled.editStyle() = made.style();
    return ir::printGraph(*styled.finish()).text;
}

/// Whether the logged graph has neither text nor source lines: golden files omit both for their largest
/// graphs.
bool tellsNoSources(const GraphSnapshot& logged) {
    return logged.text.empty() && std::ranges::none_of(logged.graph->order(), [&](ir::NodeId id) {
               return logged.graph->node(id).origin != nullptr;
           });
}

std::optional<ir::FirstDifference> textDifference(std::string_view made, std::string_view logged) {
    const std::vector<std::string_view> left = linesOf(made);
    const std::vector<std::string_view> right = linesOf(logged);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        const std::string_view a = i < left.size() ? left[i] : std::string_view();
        const std::string_view b = i < right.size() ? right[i] : std::string_view();
        if (a != b || i >= left.size() || i >= right.size()) {
            return ir::FirstDifference{i, "text line", std::string(a), std::string(b)};
        }
    }
    return std::nullopt;
}

bool hasTags(const ir::Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](ir::NodeId id) {
        const auto& origin = graph.node(id).origin;
        return origin && (!origin->recompute.empty() || origin->acGraphId);
    });
}

/// Tags of checkpoints as both texts show them: a text has them once for a group of nodes.
std::optional<ir::FirstDifference> tagDifference(const GraphSnapshot& made, const ir::Graph& logged,
                                                 const std::set<std::int64_t>& skipped) {
    if (!hasTags(logged) && !hasTags(*made.graph)) {
        return std::nullopt;
    }
    const auto printed = ir::parseGraphText(made.printed.text);
    return printed ? ir::firstTagDifference(**printed, logged, skipped) : std::nullopt;
}

std::string differenceText(const ir::FirstDifference& difference) {
    const auto side = [](const std::string& line) { return line.empty() ? std::string("(nothing)") : line; };
    return difference.what + " of node " + std::to_string(difference.position + 1) + ": made " +
           side(difference.left) + ", logged " + side(difference.right);
}

void judge(RetraceSnapshot& snapshot, base::VerdictWord word, const std::optional<ir::FirstDifference>& by) {
    snapshot.difference = by;
    snapshot.verdict.word = word;
    snapshot.verdict.reason = by ? differenceText(*by) : std::string();
}

/// Whether a source line of the program shows that a checkpoint has a policy. A call over several lines does
/// not, as a log has the first of them alone.
bool hasCheckpointPolicy(const ir::Graph& program) {
    return std::ranges::any_of(program.order(), [&](ir::NodeId id) {
        const ir::Node& node = program.node(id);
        return ir::isHigherOrder(node.target, ir::HigherOrder::TagActivationCheckpoint) && node.origin &&
               node.origin->source && base::contains(node.origin->source->code, "context_fn");
    });
}

/// The checkpoints whose tags show that they had a policy: without one, every node is PREFER_RECOMPUTE.
std::set<std::int64_t> checkpointsWithPolicy(const ir::Graph& logged) {
    std::set<std::int64_t> found;
    for (const ir::NodeId id : logged.order()) {
        const auto& origin = logged.node(id).origin;
        if (origin && origin->acGraphId && !origin->recompute.empty() &&
            origin->recompute != "PREFER_RECOMPUTE") {
            found.insert(*origin->acGraphId);
        }
    }
    return found;
}

/// A policy is a Python function that no record holds. What it saves is not known here, so that tags of its
/// checkpoint are no difference of the trace.
void judgeTags(RetraceSnapshot& snapshot, const ir::FirstDifference& tags) {
    const ir::Graph& logged = *snapshot.logged->graph;
    const bool isShown = snapshot.program && hasCheckpointPolicy(*snapshot.program->graph);
    const auto others =
        isShown ? std::nullopt : tagDifference(*snapshot.made, logged, checkpointsWithPolicy(logged));
    const ir::FirstDifference& first = others ? *others : tags;
    snapshot.agreeingNodes = std::min(first.position, snapshot.agreeingNodes);
    judge(snapshot, base::VerdictWord::Differs, first);
    if (!others) {
        base::Verdict& verdict = snapshot.verdict;
        verdict.word = base::VerdictWord::NotComparable;
        verdict.notCompared.push_back(
            "tags of checkpoints: " +
            std::exchange(verdict.reason, "a checkpoint has a policy (context_fn), a Python function "
                                          "that is not in the log, so that every node of it is "
                                          "PREFER_RECOMPUTE here"));
    }
}

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

void compareRetraced(RetraceSnapshot& snapshot, bool exact) {
    base::Verdict& verdict = snapshot.verdict;
    verdict = {};
    if (!snapshot.logged) {
        verdict.word = base::VerdictWord::NotComparable;
        verdict.reason = "the file has no graph to compare with";
        return;
    }
    const ir::Graph& made = *snapshot.made->graph;
    const ir::Graph& logged = *snapshot.logged->graph;
    verdict.compared.push_back(
        "the graph: operators, arguments, printed metadata, names, descriptors, tags of "
        "checkpoints and order of its " +
        std::to_string(logged.size()) + " nodes");
    if (exact) {
        verdict.compared.emplace_back("source comments and the printed text");
    } else {
        verdict.notCompared.emplace_back("source comments and the printed text (--exact compares them)");
    }
    snapshot.agreeingNodes = logged.size();
    auto difference = ir::firstDifference(made, logged);
    const auto apartFromNames =
        difference ? ir::firstDifference(made, logged, {.ignoreNames = true}) : std::nullopt;
    if (apartFromNames) {
        snapshot.agreeingNodes = std::min(apartFromNames->position, logged.size());
        judge(snapshot, base::VerdictWord::Differs, apartFromNames);
        return;
    }
    if (const auto tags = tagDifference(*snapshot.made, logged, {})) {
        judgeTags(snapshot, *tags);
        return;
    }
    if (difference) {
        judge(snapshot, base::VerdictWord::EqualUpToNames, difference);
        return;
    }
    if (exact) {
        const std::string text = tellsNoSources(*snapshot.logged)
                                     ? ir::printGraph(made, ir::PrintMode::WithoutSources).text
                                     : snapshot.made->printed.text;
        difference = textDifference(text, printedText(*snapshot.logged, made));
    }
    judge(snapshot, difference ? base::VerdictWord::Differs : base::VerdictWord::Equal, difference);
}

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
