#include "profile_report.h"

#include "selection.h"
#include "table.h"

#include "base/formatted.h"
#include "base/mapped.h"

#include <algorithm>
#include <map>

namespace aotscope::cli {

namespace {

using timeline::NodeWork;
using timeline::Timeline;

std::string percent(std::int64_t part, std::int64_t whole) {
    return base::formatted("%.1f %%",
                           whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
}

/// A node with its match in the trace and its measured work.
struct Told {
    const NodeWork* work;
    const timeline::NodeMatch* match;
    const timeline::GraphToMatch* graph;
    const ir::Node* node;
};

std::vector<Told> toldNodes(const session::Profile& profile) {
    std::vector<Told> told;
    for (const NodeWork& work : profile.work) {
        const timeline::NodeMatch& match = profile.matched.matches.nodes[work.match];
        const timeline::GraphToMatch& graph = profile.matched.matches.graphs[match.graph];
        told.push_back({&work, &match, &graph, &graph.graph->node(match.node)});
    }
    return told;
}

bool calls(const ir::Node& node) {
    return node.op != ir::Opcode::Placeholder && node.op != ir::Opcode::Output;
}

std::int64_t totalOf(const std::vector<Told>& told) {
    std::int64_t total = 0;
    for (const Told& each : told) {
        total += each.work->duration;
    }
    return total;
}

std::vector<std::string> operatorNames(const Timeline& timeline, const NodeWork& work) {
    return base::mapped(work.operators, [&](const timeline::EventId event) { return timeline.name(event); });
}

const ir::SourceLocation* sourceOf(const ir::Node& node) {
    return node.origin && node.origin->source ? &*node.origin->source : nullptr;
}

std::string sourceText(const ir::Node& node) {
    const ir::SourceLocation* source = sourceOf(node);
    return source == nullptr
               ? ""
               : std::filesystem::path(source->file).filename().string() + ":" + std::to_string(source->line);
}

/// The names of the forward nodes of a node of a backward, in the other graphs.
std::vector<std::string> forwardNames(const session::Profile& profile, const Told& told) {
    std::vector<std::string> names;
    for (std::uint32_t number = 0; number < told.match->graph; ++number) {
        const ir::Graph& forward = *profile.matched.matches.graphs[number].graph;
        for (const ir::NodeId node :
             timeline::forwardNodesOf(*told.graph->graph, told.match->node, forward)) {
            names.push_back(forward.node(node).name);
        }
    }
    return names;
}

std::string firstOf(const std::vector<std::string>& names, std::size_t most = 3) {
    std::string text;
    for (std::size_t at = 0; at < std::min(most, names.size()); ++at) {
        text += (at == 0 ? "" : ", ") + names[at];
    }
    return names.size() > most ? text + ", …" : text;
}

/// The nodes of a graph that are not in the trace.
std::vector<std::string> unmatchedNames(const timeline::NodeMatches& matches, std::size_t graph) {
    return base::mapped(matches.unmatchedNodes[graph],
                        [&](const ir::NodeId node) { return matches.graphs[graph].graph->node(node).name; });
}

std::string unmatchedText(const session::Profile& profile) {
    std::string text;
    const timeline::NodeMatches& matches = profile.matched.matches;
    for (std::size_t number = 0; number < matches.unmatchedNodes.size(); ++number) {
        const auto names = unmatchedNames(matches, number);
        if (!names.empty()) {
            text += "Nodes of " + matches.graphs[number].name +
                    " that were not found: " + std::to_string(names.size()) + ": " + listed(names) + "\n";
        }
    }
    Table table({"belongs to no node", "kind", numbers("times"), numbers("in all")});
    constexpr std::size_t most = 10;
    for (std::size_t at = 0; at < std::min(most, matches.unmatchedEvents.size()); ++at) {
        const timeline::UnmatchedEvents& entry = matches.unmatchedEvents[at];
        const bool isKernel = entry.category == timeline::Category::Kernel;
        table.add({isKernel ? timeline::shortKernelName(entry.name) : entry.name, entry.category, entry.count,
                   durationText(entry.nanoseconds)});
    }
    text += table.empty() ? "" : table.shown();
    return text + moreText(matches.unmatchedEvents.size(), most, "other names");
}

std::string costText(const session::Profile& profile) {
    if (profile.nanoseconds == 0) {
        return {};
    }
    std::string text = "The run took " + durationText(profile.nanoseconds) + " under the profiler";
    if (profile.plainNanoseconds > 0) {
        text += " and " + durationText(profile.plainNanoseconds) + " without it";
        const double times =
            static_cast<double>(profile.nanoseconds) / static_cast<double>(profile.plainNanoseconds);
        // Two runs differ by more where the machine has other work.
        text += times > 1 ? base::formatted(" (%.2f times as long).", times)
                          : std::string(": profiler overhead below noise.");
    }
    return text + "\n";
}

KernelAnswer kernelAnswer(const Timeline& timeline, const timeline::KernelLaunch& kernel) {
    return {kernel, timeline.name(kernel.event), kernel.start - timeline.begin(), kernel.duration};
}

ProfiledNode nodeAnswer(const session::Profile& profile, const Told& told, std::int64_t total) {
    const Timeline& timeline = *profile.matched.timeline;
    const NodeWork& work = *told.work;
    ProfiledNode node{
        .graph = told.graph->name,
        .node = told.node->name,
        .target = told.node->target,
        .foundBy = told.match->by,
        .startNs = work.start - timeline.begin(),
        .durationNs = work.duration,
        .share = total > 0 ? static_cast<double>(work.duration) / static_cast<double>(total) : 0.0,
        .operators = operatorNames(timeline, work),
        .operatorCalls = work.operatorCount,
        .kernelNs = work.kernelNanoseconds,
        .memoryEvents = work.memoryEvents,
        .memoryChangeBytes = work.memoryEvents ? std::optional(work.memoryChange) : std::nullopt,
        .forwardNodes = forwardNames(profile, told)};
    node.kernels = base::mapped(
        work.kernels, [&](const timeline::KernelLaunch& kernel) { return kernelAnswer(timeline, kernel); });
    if (const ir::SourceLocation* source = sourceOf(*told.node)) {
        node.source = *source;
    }
    return node;
}

TraceAnswer traceAnswer(const Timeline& timeline) {
    TraceAnswer answer{.events = timeline.eventCount(),
                       .durationNs = timeline.end() - timeline.begin(),
                       .epochNs = timeline.parts().epoch,
                       .columnBytes = timeline.columnBytes(),
                       .flows = timeline.flows().size(),
                       .problems = timeline.problems(),
                       .problemCount = timeline.problemCount()};
    for (const timeline::RowPtr& row : timeline.rows()) {
        if (row->kind != timeline::RowKind::Nodes) {
            answer.rows.push_back({row->process, row->name, row->kind == timeline::RowKind::Stream,
                                   row->predicted, row->size(), row->laneCount()});
        }
    }
    for (const timeline::Counter& counter : timeline.counters()) {
        const auto most = std::ranges::max_element(counter.values);
        answer.counters.push_back({counter.name, counter.values.size(),
                                   most == counter.values.end() ? std::nullopt : std::optional(*most)});
    }
    answer.leftOut.insert(timeline.parts().leftOut.begin(), timeline.parts().leftOut.end());
    return answer;
}

} // namespace

std::string profileTable(const ProfileAnswer& answer, std::size_t top) {
    const session::Profile& profile = *answer.profile;
    const Timeline& timeline = *profile.matched.timeline;
    std::vector<Told> told = toldNodes(profile);
    std::erase_if(told, [](const Told& each) { return !calls(*each.node); });
    const std::int64_t total = totalOf(told);
    const std::size_t all = told.size();
    if (top > 0 && told.size() > top) {
        std::ranges::stable_sort(told, std::ranges::greater{},
                                 [](const Told& each) { return each.work->duration; });
        told.resize(top);
    }
    Table table({"node", "graph", numbers("time"), numbers("share"), numbers("calls"), "operators",
                 numbers("kernels"), numbers("on the GPU"), numbers("memory"), "forward", "source"});
    const bool several = profile.graphs.size() > 1;
    for (const Told& each : told) {
        const NodeWork& work = *each.work;
        table.add({each.node->name, several ? each.graph->name : "", durationText(work.duration),
                   percent(work.duration, total), work.operatorCount, firstOf(operatorNames(timeline, work)),
                   work.kernels.empty() ? "" : std::to_string(work.kernels.size()),
                   work.kernels.empty() ? "" : durationText(work.kernelNanoseconds),
                   work.memoryChange == 0 ? "" : bytesText(static_cast<std::int64_t>(work.memoryChange)),
                   firstOf(forwardNames(profile, each), 2), sourceText(*each.node)});
    }
    std::string text = answer.title + "\n" + table.shown() + moreText(all, told.size(), "shorter ones");
    text += std::to_string(all) + " nodes, " + durationText(total) + " in all\n" + costText(profile);
    return text + unmatchedText(profile);
}

std::string traceSummary(const ProfileAnswer& answer) {
    const Timeline& timeline = *answer.profile->matched.timeline;
    std::string text = textOf(answer.title, ": ", answer.trace->timeline()->eventCount(), " events, ",
                              durationText(timeline.end() - timeline.begin()), "; ", timeline.flows().size(),
                              " arrows; ", sizeText(answer.trace->timeline()->columnBytes()), " in memory\n");
    Table rows({"row", "process", "kind", numbers("events"), numbers("depth")});
    for (const timeline::RowPtr& row : answer.trace->timeline()->rows()) {
        rows.add({row->name.empty() ? row->threadId : row->name, row->process,
                  row->kind == timeline::RowKind::Stream ? "stream" : "thread", row->size(),
                  row->laneCount()});
    }
    text += rows.shown();
    std::map<timeline::Category, std::pair<std::size_t, std::int64_t>> byCategory;
    for (const timeline::RowPtr& row : answer.trace->timeline()->rows()) {
        for (std::uint32_t event = 0; event < row->size(); ++event) {
            auto& [count, nanoseconds] = byCategory[row->categories[event]];
            ++count;
            nanoseconds += row->duration(event);
        }
    }
    Table categories({"kind", numbers("events"), numbers("time, with what is inside")});
    for (const auto& [category, sums] : byCategory) {
        categories.add(
            {std::string(base::wordOf(category)), std::to_string(sums.first), durationText(sums.second)});
    }
    text += categories.shown();
    for (const timeline::Counter& counter : timeline.counters()) {
        const auto most = std::ranges::max_element(counter.values);
        text += counter.name + ": " + std::to_string(counter.values.size()) + " values, at most " +
                (counter.unit == "B" ? bytesText(static_cast<std::int64_t>(*most)) : numberText(*most)) +
                "\n";
    }
    for (const auto& [what, count] : timeline.parts().leftOut) {
        text += "Left out: " + std::to_string(count) + " × " + what + "\n";
    }
    return text;
}

ProfileReport profileReport(const ProfileAnswer& answer) {
    const session::Profile& profile = *answer.profile;
    const timeline::NodeMatches& matches = profile.matched.matches;
    ProfileReport report{.title = answer.title,
                         .trace = traceAnswer(*profile.matched.timeline),
                         .backend = answer.backend,
                         .nanoseconds = profile.nanoseconds,
                         .nanosecondsWithoutProfiler = profile.plainNanoseconds,
                         .eventsOfNoNode = matches.unmatchedEvents};
    const std::vector<Told> told = toldNodes(profile);
    const std::int64_t total = totalOf(told);
    report.nodes = base::mapped(told, [&](const Told& each) { return nodeAnswer(profile, each, total); });
    for (std::size_t number = 0; number < matches.unmatchedNodes.size(); ++number) {
        std::vector<std::string>& names = report.nodesNotFound[matches.graphs[number].name];
        std::ranges::move(unmatchedNames(matches, number), std::back_inserter(names));
    }
    return report;
}

} // namespace aotscope::cli
