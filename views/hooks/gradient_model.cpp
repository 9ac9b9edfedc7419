#include "hooks/gradient_model.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "common/row_order.h"
#include "common/theme.h"

namespace aotscope::views {

namespace {

double numberOf(const session::GradientError& row, int column) {
    switch (column) {
    case GradientModel::MaxError:
        return row.error.max;
    case GradientModel::MeanError:
        return row.error.mean;
    default:
        return row.error.relative;
    }
}

} // namespace

GradientModel::GradientModel(QObject* parent) : QAbstractTableModel(parent), m_font(codeFont()) {}

void GradientModel::setGradients(std::vector<session::GradientError> gradients) {
    beginResetModel();
    m_rows = std::move(gradients);
    arrange();
    endResetModel();
}

void GradientModel::setNames(std::map<std::string, QString> names) {
    m_names = std::move(names);
}

QString GradientModel::nameOf(const session::GradientError& row) const {
    const auto found = m_names.find(row.gradient);
    return found == m_names.end() ? text(row.gradient) : found->second;
}

void GradientModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < 0 ? static_cast<int>(RelativeError) : column;
    m_sortOrder = order;
    beginResetModel();
    arrange();
    endResetModel();
}

void GradientModel::arrange() {
    using Row = session::GradientError;
    m_rows =
        m_sortColumn == Gradient
            ? orderedBy(m_rows, m_sortOrder, [this](const Row& row) { return nameOf(row); })
            : orderedBy(m_rows, m_sortOrder, [this](const Row& row) { return numberOf(row, m_sortColumn); });
}

int GradientModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GradientModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant GradientModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const session::GradientError& row = m_rows[static_cast<std::size_t>(index.row())];
    const bool isName = index.column() == Gradient;
    switch (role) {
    case Qt::DisplayRole:
        return isName ? nameOf(row) : formatNumber(numberOf(row, index.column()));
    case Qt::ToolTipRole:
        return plainToolTip(text(row.gradient));
    case Qt::FontRole:
        return m_font;
    case Qt::TextAlignmentRole:
        return static_cast<int>((isName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant GradientModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    static constexpr const char* names[] = {"gradient", "max err", "mean err", "rel. err"};
    static constexpr const char* tips[] = {"What the backward computes", "Largest difference of an element",
                                           "Mean difference of the elements",
                                           "Norm of the difference as a fraction of the gradient's norm"};
    switch (role) {
    case Qt::DisplayRole:
        return QString::fromLatin1(names[section]);
    case Qt::ToolTipRole:
        return QString::fromLatin1(tips[section]);
    case Qt::TextAlignmentRole:
        return static_cast<int>((section == Gradient ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

} // namespace aotscope::views
