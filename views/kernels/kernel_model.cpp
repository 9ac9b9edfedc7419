#include "kernels/kernel_model.h"

#include "common/row_order.h"
#include "common/theme.h"

#include <algorithm>
#include <limits>

namespace aotscope::views {

namespace {

/// QModelIndex::internalId of a row on the first level; a row below has its parent's place in m_rows.
constexpr quintptr firstLevel = std::numeric_limits<quintptr>::max();

bool isNumberColumn(int column) {
    return column != KernelModel::Name && column != KernelModel::Op;
}

} // namespace

KernelModel::KernelModel(const ThemeSource* theme, QObject* parent)
    : QAbstractItemModel(parent), m_theme(theme), m_font(codeFont()) {}

void KernelModel::setGraph(const session::GraphSnapshotPtr& graph, const session::RunSnapshotPtr& run) {
    m_graph = graph && graph->graph ? graph : nullptr;
    m_plan = m_plan && m_plan->graph == m_graph ? m_plan : nullptr;
    m_run = m_graph ? run : nullptr;
    rebuild();
}

void KernelModel::setGrouping(session::KernelGrouping grouping) {
    m_grouping = grouping;
    rebuild();
}

void KernelModel::setPlan(const session::KernelPlanSnapshotPtr& plan) {
    if (m_plan != plan) {
        m_plan = plan;
        rebuild();
    }
}

void KernelModel::setFilter(const QString& words) {
    m_filter = words.trimmed();
    arrange();
}

void KernelModel::setReruns(std::map<std::string, double> medians) {
    m_reruns = std::move(medians);
    if (m_sortColumn == Rerun) {
        arrange();
        return;
    }
    // The rows stay, and with them what is selected.
    const auto tell = [this](const QModelIndex& above) {
        if (const int rows = rowCount(above); rows > 0) {
            Q_EMIT dataChanged(index(0, Rerun, above), index(rows - 1, Rerun, above));
        }
    };
    tell({});
    for (int row = 0; row < rowCount(); ++row) {
        tell(index(row, 0));
    }
}

void KernelModel::rebuild() {
    m_rows = !m_graph ? std::vector<session::KernelRow>()
             : m_plan ? session::fusedKernelRows(*m_graph->graph, m_run.get(), m_plan->plan)
                      : session::kernelRows(*m_graph->graph, m_run.get(), m_grouping);
    std::int64_t longest = 0;
    m_nanoseconds = 0;
    for (const session::KernelRow& row : m_rows) {
        longest = std::max(longest, row.nanoseconds.value_or(0));
        m_nanoseconds += row.nanoseconds.value_or(0);
    }
    m_timeUnit = timeUnit(longest);
    arrange();
}

bool KernelModel::matches(const session::KernelRow& row) const {
    return m_filter.isEmpty() || text(row.name).contains(m_filter, Qt::CaseInsensitive) ||
           text(row.target).contains(m_filter, Qt::CaseInsensitive) ||
           std::ranges::any_of(row.parts, [this](const session::KernelRow& part) { return matches(part); });
}

void KernelModel::arrange() {
    beginResetModel();
    m_shown.clear();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (matches(m_rows[i])) {
            m_shown.push_back(i);
        }
    }
    const auto numberOf = [this](std::size_t i) {
        constexpr double least = std::numeric_limits<double>::lowest();
        const session::KernelRow& row = m_rows[i];
        switch (m_sortColumn) {
        case Time:
        case Share:
            return row.nanoseconds ? static_cast<double>(*row.nanoseconds) : least;
        case Calls:
            return static_cast<double>(row.calls);
        case Rerun:
            return rerunOf(row).value_or(least);
        default:
            return static_cast<double>(i);
        }
    };
    if (isNumberColumn(m_sortColumn)) {
        m_shown = orderedBy(m_shown, m_sortOrder, numberOf);
    } else {
        m_shown = orderedBy(m_shown, m_sortOrder, [this](std::size_t i) {
            return m_sortColumn == Name ? m_rows[i].name : m_rows[i].target;
        });
    }
    endResetModel();
}

void KernelModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < 0 ? static_cast<int>(Position) : column;
    m_sortOrder = order;
    arrange();
}

const session::KernelRow* KernelModel::rowAt(const QModelIndex& index) const {
    if (!index.isValid()) {
        return nullptr;
    }
    const auto row = static_cast<std::size_t>(index.row());
    if (index.internalId() == firstLevel) {
        return row < m_shown.size() ? &m_rows[m_shown[row]] : nullptr;
    }
    const session::KernelRow& above = m_rows[index.internalId()];
    return row < above.parts.size() ? &above.parts[row] : nullptr;
}

std::vector<ir::NodeId> KernelModel::nodesAt(const QModelIndex& index) const {
    const session::KernelRow* row = rowAt(index);
    return row != nullptr ? row->nodes : std::vector<ir::NodeId>();
}

std::optional<kernels::FusedKernel> KernelModel::kernelAt(const QModelIndex& index) const {
    const session::KernelRow* row = rowAt(index);
    return row != nullptr && row->group && m_plan ? std::optional(m_plan->plan.groups[*row->group].kernel)
                                                  : std::nullopt;
}

QModelIndex KernelModel::indexOf(ir::NodeId node) const {
    // A view between two nodes of a kernel launches nothing, and a person is in that kernel there.
    const std::string* kernel = nullptr;
    if (m_plan && node.valid()) {
        const auto found = m_plan->kernelOf.find(m_graph->graph->node(node).name);
        kernel = found == m_plan->kernelOf.end() ? nullptr : &found->second;
    }
    const auto isOf = [&](const session::KernelRow& row) {
        return kernel != nullptr && row.group ? row.name == *kernel
                                              : std::ranges::find(row.nodes, node) != row.nodes.end();
    };
    for (std::size_t i = 0; i < m_shown.size(); ++i) {
        const session::KernelRow& row = m_rows[m_shown[i]];
        if (!isOf(row)) {
            continue;
        }
        const QModelIndex above = index(static_cast<int>(i), 0);
        if (row.group) {
            return above;
        }
        const auto part = std::ranges::find_if(row.parts, isOf);
        return part == row.parts.end() ? above : index(static_cast<int>(part - row.parts.begin()), 0, above);
    }
    return {};
}

QModelIndex KernelModel::index(int row, int column, const QModelIndex& above) const {
    if (row < 0 || row >= rowCount(above) || column < 0 || column >= ColumnCount) {
        return {};
    }
    return createIndex(row, column,
                       above.isValid() ? static_cast<quintptr>(m_shown[static_cast<std::size_t>(above.row())])
                                       : firstLevel);
}

QModelIndex KernelModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == firstLevel) {
        return {};
    }
    const auto place = std::ranges::find(m_shown, static_cast<std::size_t>(child.internalId()));
    return place == m_shown.end() ? QModelIndex()
                                  : createIndex(static_cast<int>(place - m_shown.begin()), 0, firstLevel);
}

int KernelModel::rowCount(const QModelIndex& above) const {
    if (!above.isValid()) {
        return static_cast<int>(m_shown.size());
    }
    const session::KernelRow* row =
        above.internalId() == firstLevel && above.column() == 0 ? rowAt(above) : nullptr;
    return row != nullptr ? static_cast<int>(row->parts.size()) : 0;
}

int KernelModel::columnCount(const QModelIndex& /*parent*/) const {
    return ColumnCount;
}

std::optional<double> KernelModel::rerunOf(const session::KernelRow& row) const {
    const auto found = row.nodes.size() == 1 ? m_reruns.find(row.name) : m_reruns.end();
    return found == m_reruns.end() ? std::nullopt : std::optional(found->second);
}

QString KernelModel::textOf(const session::KernelRow& row, int column) const {
    switch (column) {
    case Position:
        return row.nodes.empty() ? QString() : QString::number(m_graph->graph->position(row.nodes.front()));
    case Name:
        return text(row.name);
    case Op:
        return row.group ? tr("fused, %1").arg(formatCount(row.nodes.size(), "node", "nodes"))
                         : text(row.target);
    case Time:
        return row.nanoseconds ? inUnit(static_cast<double>(*row.nanoseconds), m_timeUnit, false) : QString();
    case Share:
        return row.nanoseconds && m_nanoseconds > 0
                   ? QString::number(100.0 * static_cast<double>(*row.nanoseconds) /
                                         static_cast<double>(m_nanoseconds),
                                     'f', 1)
                   : QString();
    case Calls:
        return row.calls > 0 ? formatCount(row.calls) : QString();
    case Rerun: {
        const auto median = rerunOf(row);
        return median ? inUnit(*median, m_timeUnit, false) : QString();
    }
    default:
        return {};
    }
}

QVariant KernelModel::data(const QModelIndex& index, int role) const {
    const session::KernelRow* row = rowAt(index);
    if (row == nullptr) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return textOf(*row, index.column());
    case Qt::TextAlignmentRole:
        return cellAlignment(isNumberColumn(index.column()));
    case Qt::FontRole:
        return m_font;
    case Qt::ForegroundRole:
        return index.column() == Position || index.column() == Op ? QVariant(m_theme->theme().dimText)
                                                                  : QVariant();
    default:
        return {};
    }
}

QVariant KernelModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return cellAlignment(isNumberColumn(section));
    }
    if (role == Qt::ToolTipRole) {
        static const QString tips[] = {tr("Place in the graph"),
                                       tr("Node name; operator for a group of nodes"),
                                       tr("What the node calls"),
                                       tr("How long it took in the last run of the graph"),
                                       tr("Share of what all kernels of the run took, in percent"),
                                       tr("How often it was launched in the run"),
                                       tr("Median of the last rerun of this node alone")};
        return tips[section];
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    static constexpr const char* names[] = {"#", "kernel", "op", "time", "share %", "calls", "rerun"};
    const QString name = QString::fromLatin1(names[section]);
    return section == Time || section == Rerun ? name + QLatin1Char(' ') + m_timeUnit.name : name;
}

} // namespace aotscope::views
