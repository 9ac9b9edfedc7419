#include "graph/legend.h"

#include "common/difference_style.h"
#include "common/format.h"

#include <QPainter>

#include <algorithm>

namespace aotscope::views {

namespace {
constexpr int swatch = 10;
constexpr int edge = 8;
/// In a lower window the legend has one line, to leave more room for the picture.
constexpr int tallWindow = 700;
} // namespace

Legend::Legend(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("graphLegend"));
    setAccessibleName(tr("Legend"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

/// An entry of the legend.
struct Legend::Item {
    QColor color;
    /// Empty: a colour swatch.
    QString sign;
    QString word;
    QString count;
};

/// A sign that stands in place of the swatch.
struct Legend::Mark {
    QColor color;
    QString sign;
    QString word;
    /// For the tooltip.
    QString label;
    std::size_t count;
    /// The number as text; empty: `count`.
    QString number = {};
};

std::vector<Legend::Mark> Legend::marks() const {
    const Theme& theme = m_theme.theme();
    using Kind = ir::NodeDifference::Kind;
    std::vector<Mark> found;
    for (const auto& [kind, count] : {std::pair(Kind::Added, m_added), std::pair(Kind::Changed, m_changed)}) {
        found.push_back({differenceColor(kind, theme), differenceGlyph(kind), differenceWord(kind),
                         tr("%1 since the previous stage").arg(differenceWord(kind)), count});
    }
    if (m_marks) {
        const layout::SplitMarks& split = m_marks->split();
        const QColor again = theme.category(Category::Recomputed);
        if (!saysInColor(&Coloring::Entry::isSaved)) {
            found.push_back({theme.category(Category::Saved), QStringLiteral("━"), savedWord(),
                             tr("saved for the backward (width: logarithm of the bytes)"), split.saved.size(),
                             savedCount(split.saved.size())});
        }
        if (!saysInColor(&Coloring::Entry::isRecomputed)) {
            found.push_back({again, QStringLiteral("↻"), tr("recomputed"), tr("recomputed in the backward"),
                             split.recomputedNodes});
        }
        found.push_back({again, QStringLiteral("┄"), tr("not saved"),
                         tr("not saved for the backward, which recomputes it"), split.againValues});
    }
    if (m_choices) {
        const ChoiceMarks::Box& all = m_choices->all;
        found.push_back({theme.accent, QStringLiteral("◆"), tr("chosen"), tr("your choices for nodes"),
                         std::size_t(all.save) + all.recompute});
        found.push_back({theme.accent, QStringLiteral("◇"), tr("changed"),
                         tr("saved, or no longer saved, because of your choices"),
                         std::size_t(all.nowSaved) + all.noLongerSaved});
    }
    std::erase_if(found, [](const Mark& mark) { return mark.count == 0; });
    return found;
}

/// Whether an entry of the colours already says it.
bool Legend::saysInColor(bool Coloring::Entry::*what) const {
    return m_coloring && std::ranges::any_of(m_coloring->entries, [what](const Coloring::Entry& entry) {
               return entry.*what && entry.count > 0;
           });
}

QString Legend::savedWord() const {
    return m_marks && m_marks->areLogged() ? tr("saved in the log") : tr("saved");
}

/// "3 · 1.5 KiB"
QString Legend::savedCount(std::size_t count) const {
    const QString bytes =
        m_marks ? storedBytesText(m_marks->split().savedBytes, m_marks->split().storedBytes) : QString();
    return bytes.isEmpty() ? formatCount(count) : formatCount(count) + QStringLiteral(" · ") + bytes;
}

Legend::Item Legend::itemOf(const Coloring::Entry& entry) const {
    if (m_marks && entry.isSaved) {
        return {entry.color, {}, savedWord(), savedCount(entry.count)};
    }
    return {entry.color, m_marks && entry.isRecomputed ? QStringLiteral("↻") : QString(), entry.label,
            formatCount(entry.count)};
}

void Legend::setColoring(const ColoringPtr& coloring) {
    m_coloring = coloring;
    refreshWords();
}

void Legend::setMarks(const PartitionMarksPtr& marks) {
    m_marks = marks;
    refreshWords();
}

void Legend::setChoices(const ChoiceMarksPtr& choices) {
    m_choices = choices;
    refreshWords();
}

void Legend::setChanges(std::size_t added, std::size_t changed) {
    m_added = added;
    m_changed = changed;
    refreshWords();
}

void Legend::refreshWords() {
    QStringList rows;
    const auto addRow = [&](const QColor& color, const QString& sign, const QString& label,
                            const QString& count) {
        rows << QStringLiteral("<tr><td style='color:%1'>%2</td><td>%3</td><td align='right'>"
                               "&nbsp;%4</td></tr>")
                    .arg(color.name(), sign, label.toHtmlEscaped(), count.toHtmlEscaped());
    };
    if (m_coloring) {
        for (const Coloring::Entry& entry : m_coloring->entries) {
            if (entry.count > 0) {
                const Item item = itemOf(entry);
                addRow(entry.color, item.sign.isEmpty() ? QStringLiteral("■") : item.sign, item.word,
                       item.count);
            }
        }
    }
    for (const Mark& mark : marks()) {
        addRow(mark.color, mark.sign, mark.label,
               mark.number.isEmpty() ? formatCount(mark.count) : mark.number);
    }
    const QString source =
        !m_marks ? QString()
        : m_marks->areLogged()
            ? tr("The joint graph cannot be split here: the marks are what the log's forward "
                 "and backward show.")
            : tr("Bands and saved values are those of the current partition, as in the Saved panel. Numbers "
                 "count "
                 "values.");
    setToolTip(rows.isEmpty() ? QString()
                              : QStringLiteral("<table>%1</table>%2").arg(rows.join(QString()), source));
    setAccessibleDescription(m_coloring ? m_coloring->note : QString());
    fitLines();
    update();
}

QSize Legend::sizeHint() const {
    return {400, heightOf(1)};
}

int Legend::heightOf(int lines) const {
    return lines * (fontMetrics().height() + 2) + 10;
}

/// Signs come first: they are few and short, and cannot be understood without their word.
std::vector<Legend::Item> Legend::items() const {
    std::vector<Item> found;
    for (const Mark& mark : marks()) {
        found.push_back({mark.color, mark.sign, mark.word,
                         mark.number.isEmpty() ? formatCount(mark.count) : mark.number});
    }
    for (const Coloring::Entry& entry : m_coloring->entries) {
        if (entry.count > 0) {
            found.push_back(itemOf(entry));
        }
    }
    return found;
}

int Legend::signWidth(const Item& item) const {
    return (item.sign.isEmpty() ? swatch : fontMetrics().horizontalAdvance(item.sign)) + 6;
}

std::vector<QPoint> Legend::places(const std::vector<Item>& items) const {
    const int mostLines = window()->height() < tallWindow ? 1 : 2;
    constexpr int gap = 16;
    std::vector<QPoint> found;
    QPoint at(edge, 0);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const int wide = signWidth(items[i]) +
                         fontMetrics().horizontalAdvance(items[i].word + QLatin1Char(' ') + items[i].count);
        // The last visible line ends in "…" if items remain.
        const bool isLastLine = at.y() + 1 == mostLines;
        const int reserved = isLastLine && i + 1 < items.size() ? 20 : 0;
        if (at.x() + wide + reserved > width() && at.x() > edge) {
            if (isLastLine) {
                return found;
            }
            at = QPoint(edge, at.y() + 1);
        }
        found.push_back(at);
        at.rx() += wide + gap;
    }
    return found;
}

void Legend::fitLines() {
    const std::vector<QPoint> found =
        m_coloring && m_coloring->note.isEmpty() ? places(items()) : std::vector<QPoint>();
    setFixedHeight(heightOf(found.empty() ? 1 : found.back().y() + 1));
}

void Legend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitLines();
}

void Legend::paintEvent(QPaintEvent*) {
    if (!m_coloring) {
        return;
    }
    const Theme& theme = m_theme.theme();
    QPainter painter(this);
    m_drawn.clear();
    painter.setRenderHint(QPainter::Antialiasing);
    const int lineHeight = fontMetrics().height() + 2;
    QPoint at(edge, 0);
    const auto put = [&](const QString& text, const QColor& color) {
        painter.setPen(color);
        painter.drawText(QRect(at.x(), 5 + at.y() * lineHeight, width() - at.x(), lineHeight),
                         Qt::AlignVCenter | Qt::AlignLeft, text);
        at.rx() += fontMetrics().horizontalAdvance(text);
    };
    if (!m_coloring->note.isEmpty()) {
        put(m_coloring->note, theme.warning);
        return;
    }
    const std::vector<Item> all = items();
    const std::vector<QPoint> found = places(all);
    for (std::size_t i = 0; i < found.size(); ++i) {
        at = found[i];
        if (all[i].sign.isEmpty()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(all[i].color);
            const double middle = 5 + (at.y() + 0.5) * lineHeight;
            painter.drawRoundedRect(QRectF(at.x(), middle - swatch / 2.0, swatch, swatch), 2, 2);
        } else {
            put(all[i].sign, all[i].color);
        }
        at.setX(found[i].x() + signWidth(all[i]));
        put(all[i].word + QLatin1Char(' '), theme.text);
        put(all[i].count, theme.dimText);
        m_drawn << all[i].word + QLatin1Char(' ') + all[i].count;
    }
    if (found.size() < all.size()) {
        at.rx() += 6;
        put(QStringLiteral("…"), theme.dimText);
    }
}

} // namespace aotscope::views
