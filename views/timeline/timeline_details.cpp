#include "timeline/timeline_details.h"

#include "common/format.h"
#include "common/html.h"

#include <algorithm>
#include <map>

namespace aotscope::views {

using namespace html;
using timeline::EventId;

namespace {

constexpr std::size_t mostListed = 40;

QString nodeLink(std::uint32_t graph, const std::string& name) {
    return link(QStringLiteral("node"), QString::number(graph) + QLatin1Char('/') + text(name),
                escaped(name));
}

QString eventLink(const timeline::Timeline& timeline, EventId event) {
    return link(QStringLiteral("event"), QStringLiteral("%1/%2").arg(event.row).arg(event.index),
                escaped(timeline.name(event)));
}

QString shortened(const std::string& value) {
    constexpr std::size_t longest = 600;
    return escaped(value.size() > longest ? value.substr(0, longest) + " …" : value);
}

/// Time that no event inside it took.
std::int64_t ownTime(const timeline::Timeline& timeline, EventId event) {
    const timeline::Row& row = timeline.row(event);
    std::int64_t own = row.duration(event.index);
    const auto [first, last] = row.children(event.index);
    for (std::uint32_t child = first; child < last; ++child) {
        own -= row.duration(child);
    }
    return std::max<std::int64_t>(0, own);
}

void addNode(Facts& facts, const TimelineScene& scene, std::uint32_t index) {
    const timeline::NodeMatches& matches = scene.profile()->matched.matches;
    const timeline::NodeMatch& match = matches.nodes[index];
    const ir::Graph& graph = *matches.graphs[match.graph].graph;
    const ir::Node& node = graph.node(match.node);
    facts.addCode(QStringLiteral("node"), nodeLink(match.graph, node.name) + QStringLiteral(" in ") +
                                              escaped(matches.graphs[match.graph].name));
    facts.addCode(QStringLiteral("op"), escaped(node.target));
    if (node.origin && node.origin->source) {
        const ir::SourceLocation& source = *node.origin->source;
        facts.addCode(node.origin->backwardOfForward ? QStringLiteral("backward of")
                                                     : QStringLiteral("source"),
                      escaped(source.file + ":" + std::to_string(source.line))
                              .replace(QLatin1Char('/'), QStringLiteral("/<wbr>")) +
                          (source.code.empty() ? QString() : QStringLiteral("<br>") + escaped(source.code)));
    }
    QStringList forward;
    for (std::uint32_t number = 0; number < match.graph; ++number) {
        const ir::Graph& other = *matches.graphs[number].graph;
        for (const ir::NodeId original : timeline::forwardNodesOf(graph, match.node, other)) {
            forward.append(nodeLink(number, other.node(original).name));
        }
    }
    facts.addCode(QStringLiteral("forward node"), forward.join(QStringLiteral(", ")));
    facts.add(QStringLiteral("found by"), escaped(std::string(base::wordOf(match.by))));
}

QString three(const std::optional<std::array<std::int64_t, 3>>& size) {
    return size ? QStringLiteral("%1 × %2 × %3").arg((*size)[0]).arg((*size)[1]).arg((*size)[2]) : QString();
}

QString launchHtml(const timeline::KernelLaunch& launch, const Theme& theme) {
    Facts facts(theme);
    const auto number = [](const std::optional<std::int64_t>& value) {
        return value ? QString::number(*value) : QString();
    };
    facts.addCode(QStringLiteral("grid"), three(launch.grid));
    facts.addCode(QStringLiteral("block"), three(launch.block));
    facts.addCode(QStringLiteral("registers"), number(launch.registers));
    facts.addCode(QStringLiteral("shared memory"),
                  launch.sharedMemory ? formatBytes(*launch.sharedMemory) : QString());
    facts.addCode(QStringLiteral("device"), number(launch.device));
    facts.addCode(QStringLiteral("stream"), number(launch.stream));
    facts.addCode(QStringLiteral("occupancy"),
                  launch.occupancy ? QStringLiteral("%1 % (estimate)").arg(*launch.occupancy) : QString());
    return facts.empty() ? QString() : section(QStringLiteral("Launch"), theme) + facts.html();
}

/// What a node called, from its work.
QString workHtml(const TimelineScene& scene, std::uint32_t match, const Theme& theme) {
    const auto& works = scene.profile()->work;
    const auto work = std::ranges::find(works, match, &timeline::NodeWork::match);
    if (work == works.end()) {
        return {};
    }
    const timeline::Timeline& timeline = scene.timeline();
    Facts facts(theme);
    QStringList operators;
    for (std::size_t at = 0; at < std::min(mostListed, work->operators.size()); ++at) {
        operators.append(eventLink(timeline, work->operators[at]));
    }
    facts.addCode(QStringLiteral("operators"), operators.join(QStringLiteral(", ")));
    facts.addCode(QStringLiteral("calls in all"), QString::number(work->operatorCount));
    QStringList kernels;
    for (std::size_t at = 0; at < std::min(mostListed, work->kernels.size()); ++at) {
        const timeline::KernelLaunch& kernel = work->kernels[at];
        kernels.append(link(QStringLiteral("event"),
                            QStringLiteral("%1/%2").arg(kernel.event.row).arg(kernel.event.index),
                            escaped(kernel.shortName)) +
                       QStringLiteral(" ") + formatNanoseconds(kernel.duration));
    }
    facts.addCode(QStringLiteral("kernels"), kernels.join(QStringLiteral("<br>")));
    if (work->memoryEvents) {
        const auto change = std::int64_t(work->memoryChange);
        facts.addCode(QStringLiteral("memory"), formatCount(*work->memoryEvents, "change", "changes") +
                                                    QStringLiteral(", ") +
                                                    (change < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                                                    formatBytes(std::abs(change)));
    }
    return section(QStringLiteral("What the node did"), theme) + facts.html();
}

QString flowsHtml(const timeline::Timeline& timeline, EventId event, const Theme& theme) {
    Facts facts(theme);
    const auto flows = timeline.flowsOf(event);
    for (std::size_t at = 0; at < std::min(mostListed, flows.size()); ++at) {
        const timeline::Flow& flow = flows[at];
        const bool begins = flow.from == event;
        const QString name = flow.kind == timeline::FlowKind::Launch
                                 ? begins ? QStringLiteral("launched") : QStringLiteral("launched by")
                             : flow.kind == timeline::FlowKind::Backward
                                 ? begins ? QStringLiteral("backward") : QStringLiteral("backward of")
                             : begins ? QStringLiteral("leads to")
                                      : QStringLiteral("comes from");
        facts.addCode(name, eventLink(timeline, begins ? flow.to : flow.from));
    }
    return facts.empty() ? QString() : section(QStringLiteral("Arrows"), theme) + facts.html();
}

QString argumentsHtml(const timeline::Timeline& timeline, EventId event, const Theme& theme) {
    Facts facts(theme);
    const auto arguments = timeline.arguments(event);
    for (std::size_t at = 0; at < std::min(mostListed, arguments.size()); ++at) {
        facts.addCode(escaped(arguments[at].name), shortened(arguments[at].value));
    }
    return facts.empty() ? QString() : section(QStringLiteral("As the trace has it"), theme) + facts.html();
}

} // namespace

QString eventLine(const TimelineScene& scene, EventId event) {
    const timeline::Timeline& timeline = scene.timeline();
    QString line = text(timeline.name(event)) + QStringLiteral(" · ") +
                   formatNanoseconds(timeline.duration(event)) + QStringLiteral(" · ") +
                   text(std::string(base::wordOf(timeline.category(event))));
    if (timeline.row(event).predicted) {
        line += QStringLiteral(", predicted");
    }
    const auto owners = scene.matchesOf(event);
    const timeline::NodeMatches& matches = scene.profile()->matched.matches;
    if (!owners.empty() && timeline.category(event) != timeline::Category::Node) {
        const timeline::NodeMatch& match = matches.nodes[owners.front()];
        line +=
            QStringLiteral("\nof the node ") + text(matches.graphs[match.graph].graph->node(match.node).name);
    }
    return line;
}

QString eventHtml(const TimelineScene& scene, EventId event, const Theme& theme) {
    const timeline::Timeline& timeline = scene.timeline();
    QString page = heading(escaped(timeline.name(event)));
    Facts facts(theme);
    facts.add(QStringLiteral("kind"),
              escaped(std::string(base::wordOf(timeline.category(event)))) +
                  (timeline.row(event).predicted ? QStringLiteral(", predicted") : QString()));
    facts.addCode(QStringLiteral("takes"), formatNanoseconds(timeline.duration(event)));
    facts.addCode(QStringLiteral("of its own"), formatNanoseconds(ownTime(timeline, event)));
    facts.addCode(QStringLiteral("begins at"), formatNanoseconds(timeline.start(event) - timeline.begin()));
    facts.add(QStringLiteral("row"), rowTitle(timeline, event.row).toHtmlEscaped());
    const auto owners = scene.matchesOf(event);
    for (std::size_t at = 0; at < std::min(mostListed, owners.size()); ++at) {
        addNode(facts, scene, owners[at]);
    }
    page += facts.html();
    if (timeline.category(event) == timeline::Category::Kernel) {
        page += launchHtml(timeline::kernelLaunch(timeline, event), theme);
    }
    if (timeline.category(event) == timeline::Category::Node && !owners.empty()) {
        page += workHtml(scene, owners.front(), theme);
    }
    return page + flowsHtml(timeline, event, theme) + argumentsHtml(timeline, event, theme);
}

QString profilerCost(const session::Profile& profile) {
    const double times = double(profile.nanoseconds) / double(profile.plainNanoseconds);
    // Two runs differ by more where the machine has other work.
    return times > 1 ? QStringLiteral("profiler makes it %1 × as long").arg(times, 0, 'f', 2)
                     : QStringLiteral("profiler overhead below noise");
}

QString overviewHtml(const TimelineScene& scene, const Theme& theme) {
    const timeline::Timeline& timeline = scene.timeline();
    const session::Profile& profile = *scene.profile();
    const timeline::NodeMatches& matches = profile.matched.matches;
    QString page;
    Facts facts(theme);
    facts.addCode(QStringLiteral("events"), formatCount(timeline.eventCount()));
    facts.addCode(QStringLiteral("time"), formatNanoseconds(timeline.end() - timeline.begin()));
    if (profile.nanoseconds > 0) {
        facts.addCode(QStringLiteral("run"), formatNanoseconds(profile.nanoseconds));
    }
    if (profile.plainNanoseconds > 0) {
        facts.addCode(QStringLiteral("without profiler"),
                      QStringLiteral("%1 (%2)").arg(formatNanoseconds(profile.plainNanoseconds),
                                                    profilerCost(profile)));
    }
    facts.addCode(QStringLiteral("nodes found"),
                  matches.graphs.empty() ? QString() : formatCount(matches.nodes.size()));
    page += facts.html();
    for (std::uint32_t number = 0; number < matches.unmatchedNodes.size(); ++number) {
        const auto& missing = matches.unmatchedNodes[number];
        QStringList names;
        for (std::size_t at = 0; at < std::min(mostListed, missing.size()); ++at) {
            names.append(nodeLink(number, matches.graphs[number].graph->node(missing[at]).name));
        }
        if (!names.isEmpty()) {
            page += section(QStringLiteral("%1 of %2 not found")
                                .arg(formatCount(missing.size(), "node", "nodes"),
                                     escaped(matches.graphs[number].name)),
                            theme) +
                    names.join(QStringLiteral(", "));
        }
    }
    if (!matches.graphs.empty() && !matches.unmatchedEvents.empty()) {
        Facts unmatched(theme);
        for (std::size_t at = 0; at < std::min(mostListed, matches.unmatchedEvents.size()); ++at) {
            const timeline::UnmatchedEvents& entry = matches.unmatchedEvents[at];
            const bool isKernel = entry.category == timeline::Category::Kernel;
            unmatched.addCode(shortened(isKernel ? timeline::shortKernelName(entry.name) : entry.name),
                              formatCount(entry.count) + QStringLiteral(" ×, ") +
                                  formatNanoseconds(entry.nanoseconds));
        }
        page += section(QStringLiteral("Belongs to no node"), theme) + unmatched.html();
    }
    if (timeline.problemCount() > 0) {
        Facts problems(theme);
        for (std::size_t at = 0; at < std::min(mostListed, timeline.problems().size()); ++at) {
            problems.add(QStringLiteral("byte %1").arg(formatCount(timeline.problems()[at].offset)),
                         escaped(timeline.problems()[at].message));
        }
        page += section(QStringLiteral("%1 in the file")
                            .arg(formatCount(timeline.problemCount(), "problem", "problems")),
                        theme) +
                problems.html();
    }
    return page;
}

} // namespace aotscope::views
