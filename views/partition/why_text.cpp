#include "partition/why_text.h"

#include "common/format.h"
#include "common/html.h"
#include "partition/current_partition.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <optional>

namespace aotscope::views {

namespace {

constexpr std::size_t mostLinked = 40;

using html::escaped;
using html::Facts;
using html::link;

QString nodeLinks(const std::vector<std::string>& names) {
    QStringList links;
    for (std::size_t i = 0; i < std::min(names.size(), mostLinked); ++i) {
        links.append(link(QStringLiteral("why"), text(names[i]), escaped(names[i])));
    }
    QString list = links.join(QStringLiteral(", "));
    if (names.size() > mostLinked) {
        list += QObject::tr(" and %1 more").arg(formatCount(names.size() - mostLinked));
    }
    return list;
}

QString signedBytes(std::int64_t bytes) {
    return (bytes < 0 ? QStringLiteral("−") : QStringLiteral("+")) + formatBytes(std::abs(bytes));
}

QString signedFlops(double flops) {
    return (flops < 0 ? QStringLiteral("−") : QStringLiteral("+")) + formatFlops(std::abs(flops));
}

QString fateText(ir::NodeFate fate) {
    switch (fate) {
    case ir::NodeFate::Saved:
        return QObject::tr("saved for the backward");
    case ir::NodeFate::Recomputed:
        return QObject::tr("recomputed in the backward");
    case ir::NodeFate::ForwardOnly:
        return QObject::tr("free: the backward does not need it");
    case ir::NodeFate::BackwardOnly:
        return QObject::tr("part of the backward only");
    case ir::NodeFate::Removed:
        return QObject::tr("removed before the split");
    }
    return {};
}

Category categoryOf(ir::NodeFate fate) {
    switch (fate) {
    case ir::NodeFate::Saved:
        return Category::Saved;
    case ir::NodeFate::Recomputed:
        return Category::Recomputed;
    default:
        return Category::Unknown;
    }
}

void addRules(Facts& rows, const passes::Partition& partition, ir::NodeId node) {
    const passes::NodeDecision& decision = partition.report.nodes[node.index()];
    rows.add(QObject::tr("rule"), escaped(passes::decisionText(*partition.joint, partition.report, node)));
    QStringList bans;
    for (const passes::Ban& ban : decision.bans) {
        bans.append(escaped(passes::banText(*partition.joint, ban)));
    }
    if (bans.size() > 1) {
        rows.add(QObject::tr("Recompute banned because"), bans.join(QStringLiteral("<br>")));
    }
    rows.add(QObject::tr("bytes"), formatBytes(decision.bytes));
    if (decision.weight) {
        const bool cut = decision.fate == ir::NodeFate::Saved;
        rows.add(cut ? QObject::tr("weight in the cut") : QObject::tr("weight if saved"),
                 formatCount(static_cast<std::uint64_t>(std::max<std::int64_t>(*decision.weight, 0))) +
                     QObject::tr(" of %1 cut")
                         .arg(formatCount(static_cast<std::uint64_t>(
                             std::max<std::int64_t>(partition.report.cutWeight, 0)))));
    }
    if (decision.distanceFromBackward) {
        rows.add(QObject::tr("distance from the backward"),
                 formatCount(static_cast<std::uint64_t>(*decision.distanceFromBackward), "edge", "edges"));
    }
}

void addWarnings(Facts& rows, const session::PartitionSnapshot& split, const std::string& name) {
    for (const passes::GraphWarning& warning : split.warnings) {
        if (std::ranges::find(warning.nodes, name) != warning.nodes.end()) {
            rows.add(text(std::string(base::wordOf(warning.severity))),
                     escaped(warning.message + " " + warning.hint));
        }
    }
}

void addFateDetails(Facts& rows, const session::PartitionSnapshot& split, const std::string& name) {
    const auto saved = std::ranges::find(split.saved, name, &session::SavedTensor::name);
    if (saved != split.saved.end() && saved->shareOfPeak > 0) {
        rows.add(QObject::tr("at the peak"),
                 QObject::tr("%1 % of what is alive").arg(saved->shareOfPeak * 100, 0, 'f', 1));
    }
    const auto again = std::ranges::find(split.recomputed, name, &session::RecomputedValue::name);
    if (again != split.recomputed.end()) {
        rows.add(QObject::tr("frees"),
                 QObject::tr("%1 between forward and backward").arg(formatBytes(again->bytes)));
        rows.add(QObject::tr("costs"), formatFlops(again->flops));
        rows.add(QObject::tr("runs again"), link(QStringLiteral("half"), text(name),
                                                 QObject::tr("node %1 of %2 of the backward")
                                                     .arg(formatCount(again->position + 1),
                                                          formatCount(split.partition->backward->size()))));
    }
}

QString alternativeHtml(const session::NodeAlternativeSnapshot& found) {
    if (!found.alternative) {
        return found.error ? QObject::tr("No alternative: ") + escaped(found.error->message) : QString();
    }
    const passes::Alternative& other = *found.alternative;
    QStringList lines{
        (other.choice == passes::Forced::Save ? QObject::tr("save it: ") : QObject::tr("recompute it: ")) +
        QObject::tr("%1 saved, %2 recomputed").arg(signedBytes(other.bytes), signedFlops(other.flops))};
    const auto add = [&lines](const QString& title, const std::vector<std::string>& names) {
        if (!names.empty()) {
            lines.append(title + QStringLiteral(" ") + nodeLinks(names));
        }
    };
    add(QObject::tr("Then saved:"), other.newlySaved);
    add(QObject::tr("No longer saved:"), other.noLongerSaved);
    add(QObject::tr("Then recomputed:"), other.newlyRecomputed);
    add(QObject::tr("No longer recomputed:"), other.noLongerRecomputed);
    return lines.join(QStringLiteral("<br>"));
}

QString warningHtml(const QString& message, const Theme& theme) {
    return QStringLiteral("<span style='color:%1'>▲ %2</span>").arg(theme.warning.name(), message);
}

} // namespace

QString formatFlops(double flops) {
    static constexpr std::pair<double, const char*> units[] = {
        {1e12, "Tflop"}, {1e9, "Gflop"}, {1e6, "Mflop"}, {1e3, "kflop"}};
    for (const auto& [size, name] : units) {
        if (flops >= size) {
            return QStringLiteral("%1 %2").arg(flops / size, 0, 'f', 1).arg(QLatin1String(name));
        }
    }
    return QStringLiteral("%1 flop").arg(flops, 0, 'f', 0);
}

QString whyHtml(const CurrentPartition& current, const std::string& node, const Theme& theme) {
    const session::PartitionSnapshotPtr& split = current.snapshot();
    const auto id = split ? split->partition->joint->tryFind(node) : std::nullopt;
    if (!id) {
        return {};
    }
    const ir::NodeFate fate = split->partition->report.nodes[id->index()].fate;
    Facts rows(theme);
    rows.add(QObject::tr("fate"), QStringLiteral("<span style='color:%1'>■</span> <b>%2</b>")
                                      .arg(theme.category(categoryOf(fate)).name(), fateText(fate)));
    if (const auto choice = current.choiceOf(node)) {
        rows.add(QObject::tr("your choice"),
                 *choice == passes::Forced::Save ? QObject::tr("save it") : QObject::tr("recompute it"));
    }
    addRules(rows, *split->partition, *id);
    addWarnings(rows, *split, node);
    addFateDetails(rows, *split, node);
    if (const auto other = current.alternativeOf(node)) {
        rows.add(QObject::tr("alternative"), alternativeHtml(*other));
    }
    if (current.error()) {
        rows.add(
            QObject::tr("not possible"),
            warningHtml(
                escaped(current.error()->message) +
                    QObject::tr(
                        "<br>The split from before your last choice is shown; Ctrl+Z undoes the choice."),
                theme));
    } else if (current.wasCanceled()) {
        rows.add(QString(), warningHtml(QObject::tr("The split was canceled. The one from before your last "
                                                    "choice is shown; Retry splits again, Ctrl+Z undoes the "
                                                    "choice."),
                                        theme));
    } else if (!current.isCurrent()) {
        rows.add(QString(), warningHtml(QObject::tr("splitting again …"), theme));
    }
    return QStringLiteral("<p style='margin:10px 0 4px 0; color:%1'><a name='why'></a><b>%2</b></p>")
               .arg(theme.warning.name(), QObject::tr("Why")) +
           rows.html();
}

} // namespace aotscope::views
