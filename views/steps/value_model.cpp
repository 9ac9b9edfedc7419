#include "steps/value_model.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "style/ink.h"

#include <QApplication>
#include <QPainter>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace aotscope::views {

namespace {

/// Index of a section's own row.
constexpr quintptr sectionRow = ~quintptr(0);

bool isStorage(int column) {
    return column == ValueModel::BeforeStorage || column == ValueModel::AfterStorage;
}

/// "#3  16–64 of 96 B"
QString spanText(const StorageSpan& span) {
    const Unit unit = byteUnit(span.storageBytes);
    const auto number = [&](std::int64_t bytes) { return inUnit(double(bytes), unit, false); };
    const bool isWhole = span.from == 0 && span.to == span.storageBytes;
    return isWhole ? QStringLiteral("#%1  %2").arg(span.storage).arg(inUnit(double(span.storageBytes), unit))
                   : QStringLiteral("#%1  %2–%3 / %4")
                         .arg(span.storage)
                         .arg(number(span.from), number(span.to), inUnit(double(span.storageBytes), unit));
}

} // namespace

ValueModel::ValueModel(const ThemeSource* theme, QObject* parent)
    : QAbstractItemModel(parent), m_theme(theme), m_code(codeFont()) {
    connect(theme, &ThemeSource::changed, this, [this] {
        for (int section = 0; section < rowCount(); ++section) {
            const QModelIndex head = index(section, 0);
            if (rowCount(head) > 0) {
                Q_EMIT dataChanged(index(0, 0, head), index(rowCount(head) - 1, ColumnCount - 1, head));
            }
        }
    });
}

void ValueModel::setSections(std::vector<ValueSection> sections) {
    beginResetModel();
    m_sections = std::move(sections);
    countStorages();
    endResetModel();
}

void ValueModel::countStorages() {
    std::map<std::uint64_t, std::set<std::uint64_t>> tensors;
    std::vector<std::uint64_t> order;
    for (const ValueSection& section : m_sections) {
        for (const ValueRow& row : section.rows) {
            for (const auto& value : {row.before, row.after}) {
                if (value && value->storage != 0) {
                    if (tensors[value->storage].empty()) {
                        order.push_back(value->storage);
                    }
                    tensors[value->storage].insert(value->tensor);
                }
            }
        }
    }
    std::erase_if(order, [&](std::uint64_t storage) { return tensors[storage].size() < 2; });
    m_shared = std::move(order);
}

QColor ValueModel::storageColor(std::uint64_t storage) const {
    const auto found = std::ranges::find(m_shared, storage);
    if (found == m_shared.end()) {
        return {};
    }
    static constexpr Category colors[] = {Category::Saved,      Category::Input,   Category::Gradient,
                                          Category::Recomputed, Category::Tangent, Category::Buffer};
    return m_theme->theme().category(
        colors[static_cast<std::size_t>(found - m_shared.begin()) % std::size(colors)]);
}

const ValueRow* ValueModel::tryRow(const QModelIndex& index) const {
    return index.isValid() && index.internalId() != sectionRow
               ? &m_sections[static_cast<std::size_t>(index.internalId())]
                      .rows[static_cast<std::size_t>(index.row())]
               : nullptr;
}

std::optional<StorageSpan> ValueModel::spanAt(const QModelIndex& index) const {
    const ValueRow* row = tryRow(index);
    if (row == nullptr || !isStorage(index.column())) {
        return std::nullopt;
    }
    const auto& value = index.column() == BeforeStorage ? row->before : row->after;
    return value ? spanOf(*value) : std::nullopt;
}

QModelIndex ValueModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || column >= ColumnCount || parent.column() > 0) {
        return {};
    }
    if (!parent.isValid()) {
        return row < rowCount() ? createIndex(row, column, sectionRow) : QModelIndex();
    }
    return row < rowCount(parent) ? createIndex(row, column, static_cast<quintptr>(parent.row()))
                                  : QModelIndex();
}

QModelIndex ValueModel::parent(const QModelIndex& child) const {
    return child.isValid() && child.internalId() != sectionRow
               ? createIndex(static_cast<int>(child.internalId()), 0, sectionRow)
               : QModelIndex();
}

int ValueModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) {
        return static_cast<int>(m_sections.size());
    }
    const bool isSection = parent.internalId() == sectionRow && parent.column() == 0;
    return isSection ? static_cast<int>(m_sections[static_cast<std::size_t>(parent.row())].rows.size()) : 0;
}

int ValueModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QString ValueModel::textOf(const ValueRow& row, int column) const {
    const auto& value = column == Before || column == BeforeStorage ? row.before : row.after;
    switch (column) {
    case Before:
    case After:
        return value ? text(value->name) + QStringLiteral("  ") + valueWords(*value) : QString();
    case BeforeStorage:
    case AfterStorage: {
        const std::optional<StorageSpan> span = value ? spanOf(*value) : std::nullopt;
        return span ? spanText(*span) : QString();
    }
    case Change: {
        const bool replaced = row.kind == steps::ValueChangeKind::Added && row.before;
        return replaced ? QStringLiteral("⇄ ") + tr("replaced")
                        : changeGlyph(row.kind) + QLatin1Char(' ') + changeWord(row.kind);
    }
    default:
        return row.words;
    }
}

QVariant ValueModel::colorOf(const ValueRow& row, int column) const {
    using Kind = steps::ValueChangeKind;
    const Theme& theme = m_theme->theme();
    if (column == Words || row.kind == Kind::Unchanged) {
        return theme.dimText;
    }
    if (column != Change) {
        return {};
    }
    switch (row.kind) {
    case Kind::Added:
        return row.before ? theme.warning : theme.good;
    case Kind::Removed:
        return theme.bad;
    case Kind::Aliased:
    case Kind::Moved:
        return theme.accent;
    default:
        return theme.warning;
    }
}

QVariant ValueModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const ValueRow* row = tryRow(index);
    if (row == nullptr) {
        const ValueSection& section = m_sections[static_cast<std::size_t>(index.row())];
        if (role == Qt::DisplayRole && index.column() == 0) {
            return QString(section.title + QStringLiteral("   ") + section.summary);
        }
        if (role == Qt::FontRole) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return textOf(*row, index.column());
    case Qt::ForegroundRole:
        return colorOf(*row, index.column());
    case Qt::FontRole:
        return index.column() == Change || index.column() == Words ? QVariant() : QVariant(m_code);
    case Qt::ToolTipRole: {
        const auto& value = index.column() < Change ? row->before : row->after;
        const bool isWords = index.column() == Change || index.column() == Words || !value;
        return plainToolTip(isWords ? row->words : valueTip(*value));
    }
    default:
        return {};
    }
}

QVariant ValueModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Before:
        return tr("before");
    case BeforeStorage:
    case AfterStorage:
        return tr("storage (bytes)");
    case Change:
        return tr("change");
    case After:
        return tr("after");
    default:
        return tr("how");
    }
}

void SpanDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    const auto* model = qobject_cast<const ValueModel*>(index.model());
    const std::optional<StorageSpan> span = model != nullptr ? model->spanAt(index) : std::nullopt;
    if (!span) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    // The text goes to the right of the bar, as the style draws it.
    constexpr int barWidth = 88;
    constexpr int barHeight = 8;
    constexpr int margin = 6;
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QString words = std::exchange(item.text, QString());
    const QWidget* widget = option.widget;
    (widget ? widget->style() : QApplication::style())
        ->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
    const Theme& theme = model->theme()->theme();
    const QColor shared = model->storageColor(span->storage);
    const int width = std::min(barWidth, option.rect.width() / 2);
    const QRectF bar(option.rect.left() + margin, option.rect.center().y() - barHeight / 2.0, width,
                     barHeight);
    const double bytes = std::max<double>(1, double(std::max(span->storageBytes, span->to)));
    QRectF part = bar;
    part.setLeft(bar.left() + bar.width() * double(span->from) / bytes);
    part.setRight(bar.left() + bar.width() * double(span->to) / bytes);
    part.setWidth(std::max(2.0, part.width()));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintBox(*painter, bar.adjusted(0.5, 0.5, -0.5, -0.5), theme.background,
             shared.isValid() ? shared : theme.line, 2);
    paintBox(*painter, part, shared.isValid() ? shared : theme.dimText, {}, 2);
    painter->setFont(item.font);
    painter->setPen(item.palette.color(QPalette::Text));
    const QRect rest = option.rect.adjusted(2 * margin + width, 0, -margin, 0);
    painter->drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(item.font).elidedText(words, Qt::ElideRight, rest.width()));
    painter->restore();
}

} // namespace aotscope::views
