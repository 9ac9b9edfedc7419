#include "hooks/capsule_model.h"

#include "common/plain_words.h"
#include "common/row_order.h"
#include "common/theme.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace aotscope::views {

namespace {

constexpr bool isMeasured(int column) {
    return (column >= CapsuleModel::RelativeError && column <= CapsuleModel::Peak) ||
           column == CapsuleModel::MaxError || column == CapsuleModel::MeanError;
}

constexpr bool isNumber(int column) {
    return column == CapsuleModel::Bytes || column == CapsuleModel::Stored || isMeasured(column);
}

/// What is not known comes after all that is, however it is sorted by size.
constexpr double unknown = -1;

double numberOf(const Capsule& row, int column) {
    switch (column) {
    case CapsuleModel::Bytes:
        return static_cast<double>(row.bytes());
    case CapsuleModel::Stored:
        return static_cast<double>(row.stored());
    case CapsuleModel::Way:
        return static_cast<double>(row.bytesSaved());
    case CapsuleModel::MaxError:
        return row.error ? row.error->max : unknown;
    case CapsuleModel::MeanError:
        return row.error ? row.error->mean : unknown;
    case CapsuleModel::RelativeError:
        return row.error ? row.error->relative : unknown;
    case CapsuleModel::Worst:
        return row.worstGradient.value_or(unknown);
    default:
        return row.peakFall ? static_cast<double>(*row.peakFall)
                            : -static_cast<double>(std::numeric_limits<std::int64_t>::max());
    }
}

QString wordsOf(const Capsule& row, int column) {
    switch (column) {
    case CapsuleModel::Hook:
        return row.hooked ? text(row.hooked->hook) : QString();
    case CapsuleModel::Types:
        return row.typesText();
    case CapsuleModel::Module:
        return text(row.saved->module);
    default:
        return text(row.saved->name);
    }
}

} // namespace

CapsuleModel::CapsuleModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme), m_font(codeFont()) {}

void CapsuleModel::setSource(CapsuleSource source) {
    beginResetModel();
    m_answer.forget();
    m_shown.clear();
    m_source = std::move(source);
    m_capsules = capsulesOf(m_source);
    m_largest = 1;
    for (const Capsule& row : m_capsules) {
        m_largest = std::max(m_largest, row.bytes());
    }
    m_byteUnit = byteUnit(m_largest);
    endResetModel();
    arrange();
}

void CapsuleModel::setFilter(const session::SavedFilter& filter) {
    m_filter = filter;
    arrange();
}

void CapsuleModel::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < 0 ? static_cast<int>(Bytes) : column;
    m_sortOrder = order;
    arrange();
}

void CapsuleModel::arrange() {
    // The rows point into the snapshots, which the copy keeps.
    const auto find = [rows = m_capsules, source = m_source, filter = m_filter, column = m_sortColumn,
                       order = m_sortOrder] {
        Rows shown;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (filter.matches(*rows[i].saved)) {
                shown.push_back(i);
            }
        }
        return isNumber(column) || column == Way
                   ? orderedBy(shown, order, [&](std::size_t i) { return numberOf(rows[i], column); })
                   : orderedBy(shown, order, [&](std::size_t i) { return wordsOf(rows[i], column); });
    };
    m_answer.ask<Rows>(m_capsules.size(), find, [this](const Rows& shown) {
        beginResetModel();
        m_shown = shown;
        endResetModel();
    });
}

const Capsule* CapsuleModel::tryRow(int row) const {
    return row >= 0 && row < rowCount() ? &m_capsules[m_shown[static_cast<std::size_t>(row)]] : nullptr;
}

int CapsuleModel::rowOf(const std::string& name) const {
    for (int row = 0; row < rowCount(); ++row) {
        if (tryRow(row)->saved->name == name) {
            return row;
        }
    }
    return -1;
}

int CapsuleModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int CapsuleModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString CapsuleModel::textOf(const Capsule& row, int column) const {
    switch (column) {
    case Name:
        return text(row.saved->name);
    case Hook:
        return row.hasHook()             ? text(row.hooked->hook)
               : !row.whyNot().isEmpty() ? (row.isBroken ? tr("✗ %1") : tr("– %1")).arg(row.whyNot())
                                         : QStringLiteral("–");
    case Bytes:
        return inUnit(static_cast<double>(row.bytes()), m_byteUnit, m_byteUnit.divisor == 1);
    case Stored:
        return inUnit(static_cast<double>(row.stored()), m_byteUnit, m_byteUnit.divisor == 1);
    case Types:
        return row.typesText();
    case MaxError:
        return row.error ? formatNumber(row.error->max) : row.failure.isEmpty() ? QString() : tr("failed");
    case MeanError:
        return row.error ? formatNumber(row.error->mean) : QString();
    case RelativeError:
        return row.error ? formatNumber(row.error->relative) : QString();
    case Worst:
        return row.worstGradient ? formatNumber(*row.worstGradient) : QString();
    case Peak:
        return row.peakFall
                   ? (*row.peakFall == 0 ? QStringLiteral("0")
                                         : (*row.peakFall > 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                                               formatBytes(std::abs(*row.peakFall)))
                   : QString();
    case Module:
        return text(row.saved->module);
    default:
        return {};
    }
}

QString CapsuleModel::tipOf(const Capsule& row) const {
    QStringList lines{tr("%1: %2%3, %4")
                          .arg(text(row.saved->name), text(row.saved->dtype), text(row.saved->shape),
                               formatBytes(row.bytes()))};
    if (row.hasHook()) {
        lines.append(tr("packed by %1 into %2").arg(text(row.hooked->hook), formatBytes(row.stored())));
        for (const session::PackedValue& value : row.hooked->packed) {
            lines.append(value.dtype.empty() ? QStringLiteral("    ") + text(value.name)
                                             : QStringLiteral("    %1: %2%3, %4")
                                                   .arg(text(value.name), text(value.dtype),
                                                        text(value.shape), formatBytes(value.bytes)));
        }
    } else if (!row.whyNot().isEmpty()) {
        lines.append(tr("without a hook: %1").arg(row.whyNot()));
    }
    if (!row.failure.isEmpty()) {
        lines.append(tr("could not be measured: %1").arg(row.failure));
    }
    if (row.isOlder) {
        lines.append(tr("measured before other tensors' hooks changed"));
    }
    return lines.join(QLatin1Char('\n'));
}

CapsuleLook CapsuleModel::lookOf(const Capsule& row) const {
    CapsuleLook look;
    look.size = static_cast<double>(row.bytes()) / static_cast<double>(m_largest);
    look.stored = row.bytes() > 0 ? static_cast<double>(row.stored()) / static_cast<double>(row.bytes()) : 1;
    look.hasHook = row.hasHook();
    look.isBroken = row.isBroken;
    look.words = row.hasHook() ? tr("%1 %").arg(std::lround(look.stored * 100)) : QString();
    return look;
}

QVariant CapsuleModel::colorOf(const Capsule& row, int column) const {
    const Theme& theme = m_theme->theme();
    if (column == Hook && row.isBroken) {
        return theme.bad;
    }
    const bool isFailed = column == MaxError && !row.failure.isEmpty();
    if (isFailed) {
        return theme.bad;
    }
    const bool isDim =
        (column == Hook && !row.hasHook()) || column == Module || (isMeasured(column) && row.isOlder);
    return isDim ? QVariant(theme.dimText) : QVariant();
}

QVariant CapsuleModel::data(const QModelIndex& index, int role) const {
    const Capsule* const row = index.isValid() ? tryRow(index.row()) : nullptr;
    if (row == nullptr) {
        return {};
    }
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return textOf(*row, column);
    case Qt::CheckStateRole:
        return column == Name ? QVariant(row->hasHook() ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::ToolTipRole:
        return plainToolTip(tipOf(*row));
    case Qt::TextAlignmentRole:
        return cellAlignment(isNumber(column));
    case Qt::FontRole:
        return column == Module ? QVariant() : QVariant(m_font);
    case Qt::ForegroundRole:
        return colorOf(*row, column);
    case capsuleRole:
        return QVariant::fromValue(lookOf(*row));
    case Qt::AccessibleTextRole:
        return column == Way
                   ? tr("%1 before, %2 stored").arg(formatBytes(row->bytes()), formatBytes(row->stored()))
                   : textOf(*row, column);
    default:
        return {};
    }
}

Qt::ItemFlags CapsuleModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Name ? flags | Qt::ItemIsUserCheckable : flags;
}

bool CapsuleModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const Capsule* const row = index.isValid() ? tryRow(index.row()) : nullptr;
    if (row == nullptr || role != Qt::CheckStateRole || index.column() != Name) {
        return false;
    }
    // The row shows it when the partition with that choice is there.
    Q_EMIT switched(row->saved->name, value.toInt() == Qt::Checked);
    return true;
}

QVariant CapsuleModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    static constexpr const char* names[] = {"saved tensor", "hook",     "before",     "forward → backward",
                                            "stored",       "rel. err", "worst grad", "peak",
                                            "stored as",    "max err",  "mean err",   "module"};
    static constexpr const char* tips[] = {
        "Turn the hook on or off (Space)",
        "The hook that packs it, or why there is none",
        "Bytes of the tensor",
        "Stored share of the tensor",
        "Bytes of what is stored in its place",
        "Norm of the difference as a fraction of the tensor's norm, after packing and unpacking, measured",
        "Relative error of the gradient that this hook changes most, alone, measured",
        "How the step's peak changes with this hook alone",
        "Element types of the tensor, and of what is stored in its place",
        "Largest difference of an element after packing and unpacking, measured",
        "Mean difference of the elements after packing and unpacking, measured",
        "Module it belongs to"};
    switch (role) {
    case Qt::DisplayRole: {
        const QString name = QString::fromUtf8(names[section]);
        const bool hasUnit = (section == Bytes || section == Stored) && m_byteUnit.divisor > 1;
        return hasUnit ? name + QStringLiteral(", ") + m_byteUnit.name : name;
    }
    case Qt::ToolTipRole:
        return QString::fromUtf8(tips[section]);
    case Qt::TextAlignmentRole:
        return cellAlignment(isNumber(section));
    default:
        return {};
    }
}

} // namespace aotscope::views
