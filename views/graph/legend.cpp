#include "graph/legend.h"

#include "common/difference_style.h"
#include "common/format.h"

#include <QPainter>

namespace aotscope::views {

Legend::Legend(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("graphLegend"));
    setAccessibleName(tr("Legend"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

/// A sign instead of a swatch.
struct Legend::Mark {
    QColor color;
    QString sign;
    QString word;
    /// For the tooltip.
    QString label;
    std::size_t count;
};

std::vector<Legend::Mark> Legend::marks() const {
    const Theme& theme = m_theme.theme();
    using Kind = ir::NodeDifference::Kind;
    std::vector<Mark> found;
    for (const auto& [kind, count] : {std::pair(Kind::Added, m_added), std::pair(Kind::Changed, m_changed)}) {
        found.push_back({differenceColor(kind, theme), differenceGlyph(kind), differenceWord(kind),
                         tr("%1 since the stage before").arg(differenceWord(kind)), count});
    }
    if (m_marks) {
        const QColor again = theme.category(Category::Recomputed);
        found.push_back({again, QStringLiteral("↻"), tr("again"), tr("computed again in the backward"),
                         m_marks->recomputedBoxes});
        found.push_back({theme.category(Category::Saved), QStringLiteral("━"), tr("saved"),
                         tr("saved for the backward, as wide as the logarithm of the bytes"),
                         m_marks->carriedEdges});
        found.push_back({again, QStringLiteral("┄"), tr("not saved"),
                         tr("not saved: the backward computes it again"), m_marks->emptyEdges});
    }
    std::erase_if(found, [](const Mark& mark) { return mark.count == 0; });
    return found;
}

void Legend::setColoring(const ColoringPtr& coloring) {
    m_coloring = coloring;
    refreshWords();
}

void Legend::setMarks(const StepMarksPtr& marks) {
    m_marks = marks;
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
                            std::size_t count) {
        rows << QStringLiteral("<tr><td style='color:%1'>%2</td><td>%3</td><td align='right'>"
                               "&nbsp;%4</td></tr>")
                    .arg(color.name(), sign, label.toHtmlEscaped(), formatCount(count));
    };
    if (m_coloring) {
        for (const Coloring::Entry& entry : m_coloring->entries) {
            if (entry.count > 0) {
                addRow(entry.color, QStringLiteral("■"), entry.label, entry.count);
            }
        }
    }
    for (const Mark& mark : marks()) {
        addRow(mark.color, mark.sign, mark.label, mark.count);
    }
    setToolTip(rows.isEmpty() ? QString() : QStringLiteral("<table>%1</table>").arg(rows.join(QString())));
    setAccessibleDescription(m_coloring ? m_coloring->note : QString());
    update();
}

QSize Legend::sizeHint() const {
    return {400, fontMetrics().height() + 12};
}

void Legend::paintEvent(QPaintEvent*) {
    if (!m_coloring) {
        return;
    }
    constexpr int swatch = 10;
    constexpr int gap = 16;
    const Theme& theme = m_theme.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int x = 8;
    const int middle = height() / 2;
    const auto put = [&](const QString& text, const QColor& color) {
        painter.setPen(color);
        painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignVCenter | Qt::AlignLeft, text);
        x += fontMetrics().horizontalAdvance(text);
    };
    if (!m_coloring->note.isEmpty()) {
        put(m_coloring->note, theme.warning);
        return;
    }
    // Signs first: they are few and short, and a sign without a word is a riddle.
    for (const Mark& mark : marks()) {
        const QString words = mark.word + QLatin1Char(' ');
        const QString count = formatCount(mark.count);
        const int signWidth = fontMetrics().horizontalAdvance(mark.sign) + 6;
        if (x + signWidth + fontMetrics().horizontalAdvance(words + count) > width() - 20) {
            put(QStringLiteral("…"), theme.dimText);
            return;
        }
        put(mark.sign, mark.color);
        x += 6;
        put(words, theme.text);
        put(count, theme.dimText);
        x += gap;
    }
    for (const Coloring::Entry& entry : m_coloring->entries) {
        if (entry.count == 0) {
            continue;
        }
        const QString count = formatCount(entry.count);
        const int needed =
            swatch + 6 + fontMetrics().horizontalAdvance(entry.label + QLatin1Char(' ') + count);
        if (x + needed > width() - 20) {
            put(QStringLiteral("…"), theme.dimText);
            return;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.color);
        painter.drawRoundedRect(QRectF(x, middle - swatch / 2.0, swatch, swatch), 2, 2);
        x += swatch + 6;
        put(entry.label + QLatin1Char(' '), theme.text);
        put(count, theme.dimText);
        x += gap;
    }
}

} // namespace aotscope::views
