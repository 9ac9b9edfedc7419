// The texts of MemoryPanel, and its connections to the selection and the spotlight.
#include "memory/memory_panel.h"

#include "common/current_graph.h"
#include "common/format.h"
#include "common/html.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "memory/live_set_model.h"
#include "memory/memory_canvas.h"
#include "partition/current_partition.h"

#include <QCheckBox>
#include <QLabel>
#include <QTreeView>

#include <array>

namespace aotscope::views {

namespace {

QString withSign(std::int64_t bytes) {
    return (bytes < 0 ? QStringLiteral("−") : QStringLiteral("+")) + formatBytes(std::abs(bytes));
}

using html::colored;

} // namespace

QString MemoryPanel::summary() const {
    return m_summary->text();
}

void MemoryPanel::refreshSummary() {
    const MemoryOrder& order = *shown();
    const memory::MemoryProfile& profile = *order.profile;
    QStringList parts = {
        tr("peak %1 at %2").arg(formatBytes(profile.peak.bytes), order.nodeAt(profile.peak.position)),
        tr("forward %1").arg(formatBytes(profile.forwardPeak.bytes)),
        tr("backward %1").arg(formatBytes(profile.backwardPeak.bytes))};
    for (const MemoryOrder& other : m_orders) {
        if (other.kind != order.kind) {
            parts.append(
                tr("%1 %2").arg(other.label(), withSign(other.profile->peak.bytes - profile.peak.bytes)));
        }
    }
    parts.append(measuredWords());
    if (!profile.unknown.empty()) {
        parts.append(tr("⚠ %1 of unknown size").arg(formatCount(profile.unknown.size(), "value", "values")));
    }
    if (const auto& error = m_context.partition->error()) {
        parts.prepend(tr("⚠ %1").arg(text(error->message)));
    } else if (m_context.partition->wasCanceled()) {
        parts.prepend(tr("⚠ the split with the last choice was canceled"));
    }
    m_summary->setText(parts.join(QStringLiteral("  ·  ")));
    QStringList notes;
    if (const QString details = measuredDetails(); !details.isEmpty()) {
        notes.append(details);
    }
    for (const std::string& note : profile.approximations) {
        notes.append(text(note));
    }
    for (const std::string& name : profile.unknown) {
        notes.append(tr("The size of %1 is unknown; it counts as 0.").arg(text(name)));
    }
    m_summary->setToolTip(plainToolTip(notes.isEmpty() ? m_summary->text()
                                                       : m_summary->text() + QStringLiteral("\n\n") +
                                                             notes.mid(0, 20).join(QLatin1Char('\n'))));
}

/// The legend: each colour with its bytes at the ▲, and which line is which order.
void MemoryPanel::refreshLegend() {
    if (!m_scene) {
        m_legend->clear();
        return;
    }
    const Theme& theme = m_context.theme->theme();
    std::array<std::int64_t, memory::categoryCount> bytes{};
    std::array<bool, memory::categoryCount> present{};
    const std::uint32_t marker = m_canvas->marker();
    for (const memory::LiveRange& range : m_scene->profile().ranges) {
        const auto category = static_cast<std::size_t>(range.category);
        present[category] = true;
        bytes[category] += range.from <= marker && marker <= range.last ? range.bytes : 0;
    }
    QStringList parts;
    for (const memory::Category category : memory::BandStack::order()) {
        const auto at = static_cast<std::size_t>(category);
        if (present[at]) {
            parts.append(colored(theme.category(categoryOf(category)), QStringLiteral("■")) +
                         QLatin1Char(' ') + categoryText(categoryOf(category)) + QLatin1Char(' ') +
                         colored(theme.dimText, formatBytes(bytes[at])));
        }
    }
    static constexpr std::array lines{"– –", "· · ·", "– ·"};
    const auto& curves = m_canvas->look().curves;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        parts.append(colored(MemoryPainter::curvePen(theme, i).color(),
                             QString::fromUtf8(lines.at(i % lines.size()))) +
                     QLatin1Char(' ') + curves[i].label + QLatin1Char(' ') +
                     colored(theme.dimText, tr("peak %1").arg(formatBytes(curves[i].profile->peak.bytes))));
    }
    if (const MeasuredPtr& measured = m_canvas->look().measured) {
        parts.append(colored(theme.text, QStringLiteral("━")) + tr(" measured ") +
                     colored(theme.dimText, tr("peak %1").arg(formatBytes(measured->peak.bytes))));
        if (measured->largestScratch.bytes > 0) {
            parts.append(
                colored(theme.text, QStringLiteral("▨")) + tr(" inside one operator ") +
                colored(theme.dimText, tr("up to %1").arg(formatBytes(measured->largestScratch.bytes))));
        }
    }
    // Break lines only between entries, not after a dash. Spaces inside tags are not text.
    for (QString& part : parts) {
        part.replace(QLatin1Char(' '), QStringLiteral("&nbsp;"))
            .replace(QStringLiteral("–"), QStringLiteral("–&#8288;"))
            .replace(QStringLiteral("<span&nbsp;"), QStringLiteral("<span "));
    }
    m_legend->setText(parts.join(QStringLiteral("&nbsp;&nbsp; ")));
    m_legend->setToolTip(m_legend->text());
}

QString MemoryPanel::moduleOf(const session::GraphSnapshot& joint, const memory::LiveRange& range) {
    const auto node = joint.graph ? joint.graph->tryFind(range.name) : std::nullopt;
    return node && node->index() < joint.modules.ofNode.size()
               ? text(joint.modules.ofNode[node->index()].path)
               : QString();
}

QString MemoryPanel::describe(const memory::Band& band, std::uint32_t position) const {
    const MemoryOrder& order = *shown();
    const QString kind = categoryText(categoryOf(band.category));
    if (!band.range) {
        return tr("small values: %1\nat %2; enlarge the window or hide the inputs to see each")
            .arg(kind, order.nodeAt(position));
    }
    const memory::LiveRange& range = m_scene->profile().ranges[*band.range];
    QStringList lines = {QStringLiteral("%1  %2").arg(text(range.name), formatBytes(range.bytes)), kind,
                         tr("alive from %1 to %2").arg(order.nodeAt(range.from), order.nodeAt(range.last))};
    if (const QString module = moduleOf(*m_split->joint, range); !module.isEmpty()) {
        lines.append(tr("module %1").arg(module));
    }
    if (const MeasuredPtr& measured = m_canvas->look().measured) {
        lines.append(tr("%1 runs here: %2, %3 inside it")
                         .arg(order.nodeAt(position),
                              formatNanoseconds(measured->start[position + 1] - measured->start[position]),
                              formatBytes(measured->scratch[position])));
    }
    if (!range.takesOver.empty()) {
        lines.append(tr("written over %1, which is no longer needed").arg(text(range.takesOver)));
    }
    if (!range.aliases.empty()) {
        lines.append(tr("shared by %1").arg(formatCount(range.aliases.size(), "view", "views")));
    }
    return lines.join(QLatin1Char('\n'));
}

/// Selects in the shown graph if it has the node, else in the joint graph.
session::Selection MemoryPanel::selectionOf(const std::string& node) const {
    const session::ArtifactReference& joint = m_split->joint->reference;
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const bool ofStep = graph && graph->graph && graph->reference.log == joint.log &&
                        graph->reference.compile == joint.compile && graph->reference.rank == joint.rank;
    if (ofStep && graph->graph->tryFind(node)) {
        return {graph->reference, node};
    }
    return {joint, node};
}

void MemoryPanel::select(const memory::LiveRange& range) {
    m_context.selection->select(selectionOf(range.name), this);
}

void MemoryPanel::hover(const std::optional<quint32>& range) {
    if (range) {
        m_context.selection->hover(selectionOf(m_scene->profile().ranges[*range].name), this);
    } else {
        m_context.selection->hover(std::nullopt, this);
    }
}

void MemoryPanel::followSelection() {
    if (!m_scene) {
        return;
    }
    const std::optional<session::Selection>& selection = m_context.selection->current();
    const std::optional<std::uint32_t> range = selection && !selection->node.empty()
                                                   ? m_scene->tryFind(selection->node, m_canvas->marker())
                                                   : std::nullopt;
    m_canvas->setSelected(range);
    const int row = range ? m_model->rowOf(m_scene->profile().ranges[*range]) : -1;
    m_following = true;
    if (row < 0) {
        m_table->clearSelection();
    } else if (row != m_table->currentIndex().row() || !m_table->selectionModel()->hasSelection()) {
        m_table->setCurrentIndex(m_model->index(row, 0));
    }
    m_following = false;
}

/// A picked range filters the tables; the ▲ alone fades the graph.
void MemoryPanel::refreshSpotlight() {
    SelectionHub* hub = m_context.selection;
    const auto& span = m_canvas->look().span;
    if (!m_scene || (!span && !m_dim->isChecked())) {
        if (std::exchange(m_spotlighting, false)) {
            hub->setSpotlight(nullptr);
        }
        return;
    }
    auto spotlight = std::make_shared<Spotlight>();
    spotlight->artifact = m_split->joint->reference;
    spotlight->filters = span.has_value();
    const std::uint32_t first = span ? span->first : m_canvas->marker();
    const std::uint32_t last = span ? span->second : m_canvas->marker();
    for (const memory::LiveRange& range : m_scene->profile().ranges) {
        if (range.from <= last && first <= range.last) {
            spotlight->nodes.insert(range.name);
            spotlight->nodes.insert(range.aliases.begin(), range.aliases.end());
        }
    }
    for (std::uint32_t at = first; at <= last; ++at) {
        if (const auto node = shown()->nodeNameAt(at)) {
            spotlight->nodes.insert(*node);
        }
    }
    m_spotlighting = true;
    hub->setSpotlight(std::move(spotlight));
}

void MemoryPanel::hideEvent(QHideEvent* event) {
    // While the ▲ is not visible nobody could tell why the graph is faded.
    m_dim->setChecked(false);
    QWidget::hideEvent(event);
}

} // namespace aotscope::views
