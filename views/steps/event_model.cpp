#include "steps/event_model.h"

#include "common/plain_words.h"
#include "common/theme.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

using steps::EventKind;

namespace {

/// "mm" for "aten.mm.default", "add.Tensor" for "aten.add.Tensor", as in the picture of the graph.
QString shortOperator(const std::string& target) {
    QString name = text(target);
    for (const QLatin1String library : {QLatin1String("aten."), QLatin1String("prims.")}) {
        name = name.startsWith(library) ? name.mid(library.size()) : name;
    }
    const QLatin1String overload(".default");
    return name.endsWith(overload) ? name.chopped(overload.size()) : name;
}

/// Chosen so that single nodes have digits beside the sum of all.
Unit eventUnit(std::int64_t longest) {
    constexpr std::int64_t manyNodes = 100;
    return timeUnit(longest / manyNodes);
}

} // namespace

QString eventTitle(const steps::CallEvent& event) {
    switch (event.kind) {
    case EventKind::WrapperExit:
        return EventModel::tr("%1 returns").arg(text(event.title));
    case EventKind::Saving:
        return event.title.empty() ? EventModel::tr("saving for the backward") : text(event.title);
    case EventKind::GradientAccumulation:
        return EventModel::tr("gradient of %1").arg(text(event.title));
    case EventKind::Packing:
        return EventModel::tr("pack %1").arg(text(event.title));
    case EventKind::Unpacking:
        return EventModel::tr("unpack %1").arg(text(event.title));
    default:
        return text(event.title);
    }
}

EventModel::EventModel(const ThemeSource* theme, QObject* parent)
    : QAbstractItemModel(parent), m_theme(theme), m_code(codeFont()), m_unit(eventUnit(0)) {
    connect(theme, &ThemeSource::changed, this, [this] {
        if (!m_tree.roots.empty()) {
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole});
        }
    });
}

void EventModel::setRecord(const steps::CallRecordPtr& record, const EventFilter& filter) {
    const bool isSame = record && m_record && filter.isEmpty() &&
                        m_tree.matching == m_record->events.size() && record->events == m_record->events;
    if (isSame) {
        m_record = record; // Going back leaves the events as they are.
        return;
    }
    beginResetModel();
    m_record = record;
    m_tree = record ? makeEventTree(*record, filter) : EventTree();
    m_unit = eventUnit(m_tree.longest);
    findBreakpoints();
    endResetModel();
}

void EventModel::setCurrent(std::optional<std::size_t> event) {
    const std::optional<std::size_t> before = std::exchange(m_current, event);
    for (const std::optional<std::size_t> each : {before, event}) {
        const QModelIndex changed = each ? indexOf(*each, Mark) : QModelIndex();
        if (changed.isValid()) {
            Q_EMIT dataChanged(changed, changed.siblingAtColumn(ColumnCount - 1));
        }
    }
}

void EventModel::setBreakpoints(std::vector<steps::StepBreakpoint> breakpoints) {
    m_breakpoints = std::move(breakpoints);
    const std::vector<bool> before = m_pausing;
    findBreakpoints();
    for (std::size_t i = 0; i < m_pausing.size(); ++i) {
        const QModelIndex changed = m_pausing[i] != before[i] ? indexOf(i, Mark) : QModelIndex();
        if (changed.isValid()) {
            Q_EMIT dataChanged(changed, changed);
        }
    }
}

const EventRow& EventModel::rowAt(const QModelIndex& index) const {
    return m_tree.rows[static_cast<std::size_t>(index.internalId())];
}

std::optional<std::size_t> EventModel::eventAt(const QModelIndex& index) const {
    return index.isValid() ? rowAt(index).event : std::nullopt;
}

QModelIndex EventModel::indexOfRow(int row, int column) const {
    return row < 0 ? QModelIndex()
                   : createIndex(m_tree.rows[static_cast<std::size_t>(row)].place, column,
                                 static_cast<quintptr>(row));
}

QModelIndex EventModel::indexOf(std::size_t event, int column) const {
    return event < m_tree.rowOfEvent.size() ? indexOfRow(m_tree.rowOfEvent[event], column) : QModelIndex();
}

QModelIndex EventModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || parent.column() > 0) {
        return {};
    }
    const std::vector<int>& children = parent.isValid() ? rowAt(parent).children : m_tree.roots;
    return static_cast<std::size_t>(row) < children.size()
               ? createIndex(row, column, static_cast<quintptr>(children[static_cast<std::size_t>(row)]))
               : QModelIndex();
}

QModelIndex EventModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexOfRow(rowAt(child).parent, 0) : QModelIndex();
}

int EventModel::rowCount(const QModelIndex& parent) const {
    if (parent.column() > 0) {
        return 0;
    }
    return static_cast<int>(parent.isValid() ? rowAt(parent).children.size() : m_tree.roots.size());
}

int EventModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

bool EventModel::isCurrent(const EventRow& row) const {
    return row.event && row.event == m_current;
}

/// The record of a call has no values, so only breakpoints on names and operators can be located here.
void EventModel::findBreakpoints() {
    const std::size_t count = m_record ? m_record->events.size() : 0;
    m_pausing.assign(count, false);
    const std::vector<steps::EventFacts> unknown(count);
    for (std::size_t i = 0; i < count && !m_breakpoints.empty(); ++i) {
        m_pausing[i] = steps::breakpointAt(m_breakpoints, i, m_record->events, unknown) != nullptr;
    }
}

QString EventModel::markOf(const EventRow& row) const {
    QString mark;
    if (row.event && m_pausing[*row.event]) {
        mark += QStringLiteral("●");
    }
    return isCurrent(row) ? mark + QStringLiteral("▶") : mark;
}

QString EventModel::textOf(const EventRow& row, int column) const {
    if (column == Time) {
        return row.nanoseconds > 0 ? inUnit(double(row.nanoseconds), m_unit, false) : QString();
    }
    if (column == Mark) {
        return markOf(row);
    }
    if (!row.event) {
        const bool isTitle = column == Event;
        const QString phase = row.backward ? tr("Backward") : tr("Forward");
        return !isTitle                           ? QString()
               : row.kind == EventRow::Kind::Call ? tr("Call %1").arg(row.call + 1)
                                                  : phase;
    }
    const steps::CallEvent& event = m_record->events[*row.event];
    return column == Event ? eventTitle(event) : shortOperator(event.target);
}

QVariant EventModel::colorOf(const EventRow& row, int column) const {
    const Theme& theme = m_theme->theme();
    if (column == Mark) {
        return isCurrent(row) ? theme.accent : theme.bad;
    }
    if (isCurrent(row) && column == Event) {
        return theme.accent;
    }
    const bool isExit = row.event && m_record->events[*row.event].kind == EventKind::WrapperExit;
    return column == Operator || isExit || (!row.matches && row.event) ? QVariant(theme.dimText) : QVariant();
}

QString EventModel::tipOf(const EventRow& row) const {
    if (!row.event) {
        return {};
    }
    const steps::CallEvent& event = m_record->events[*row.event];
    const std::string_view kind = base::wordOf(event.kind);
    QStringList parts = {tr("event %1 of %2: %3")
                             .arg(*row.event + 1)
                             .arg(m_record->events.size())
                             .arg(QString::fromUtf8(kind.data(), qsizetype(kind.size()))),
                         eventTitle(event)};
    if (!event.target.empty()) {
        parts.append(text(event.target));
    }
    if (row.nanoseconds > 0) {
        parts.append(row.children.empty()
                         ? formatNanoseconds(row.nanoseconds)
                         : tr("%1 with everything inside").arg(formatNanoseconds(row.nanoseconds)));
    }
    if (isCurrent(row)) {
        parts.append(tr("the current point is here"));
    }
    if (m_pausing[*row.event]) {
        parts.append(tr("calls pause here (F9 changes that)"));
    }
    return parts.join(QLatin1Char('\n'));
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const EventRow& row = rowAt(index);
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, index.column());
    case Qt::ForegroundRole:
        return colorOf(row, index.column());
    case Qt::TextAlignmentRole:
        return index.column() == Time ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::FontRole: {
        QFont font = row.event || index.column() == Time ? m_code : QFont();
        font.setBold(!row.event && index.column() == Event);
        return font;
    }
    case Qt::ToolTipRole:
        return plainToolTip(tipOf(row));
    case Qt::AccessibleDescriptionRole:
        return tipOf(row);
    default:
        return {};
    }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && section == Time) {
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    }
    if (role == Qt::DisplayRole) {
        switch (section) {
        case Event:
            return tr("event");
        case Operator:
            return tr("operator");
        case Time:
            return m_unit.name;
        default:
            return QString();
        }
    }
    return {};
}

} // namespace aotscope::views
