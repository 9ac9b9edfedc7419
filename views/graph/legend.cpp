#include "graph/legend.h"

#include "common/format.h"

#include <QPainter>

namespace aotscope::views {

Legend::Legend(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("graphLegend"));
    setAccessibleName(tr("Legend"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void Legend::setColoring(const ColoringPtr& coloring) {
    m_coloring = coloring;
    QStringList rows;
    if (m_coloring) {
        for (const Coloring::Entry& entry : m_coloring->entries) {
            if (entry.count > 0) {
                rows << QStringLiteral("<tr><td style='color:%1'>■</td><td>%2</td><td align='right'>"
                                       "&nbsp;%3</td></tr>")
                            .arg(entry.color.name(), entry.label.toHtmlEscaped(), formatCount(entry.count));
            }
        }
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
