#include "steps/alive_view.h"

#include "common/fitting_column.h"
#include "common/format.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "steps/value_rows.h"

#include <QHeaderView>

#include <algorithm>

namespace aotscope::views {

namespace {

enum AliveColumn {
    AliveName,
    AliveType,
    AliveMinimum,
    AliveMean,
    AliveMaximum,
    AliveNaN,
    AliveInf,
    AliveHistogram
};

/// Each step of the histogram as a block of its height.
QString blocks(const std::vector<std::uint64_t>& histogram) {
    static constexpr char16_t heights[] = u" ▁▂▃▄▅▆▇█";
    constexpr std::size_t most = 32;
    const std::size_t each = (histogram.size() + most - 1) / most;
    std::vector<std::uint64_t> sums;
    for (std::size_t i = 0; i < histogram.size(); ++i) {
        if (i % each == 0) {
            sums.push_back(0);
        }
        sums.back() += histogram[i];
    }
    const std::uint64_t largest = sums.empty() ? 0 : *std::ranges::max_element(sums);
    QString text;
    for (const std::uint64_t sum : sums) {
        const double share = largest == 0 ? 0 : double(sum) / double(largest);
        text += QChar(heights[sum == 0 ? 0 : 1 + std::min(7, int(share * 8))]);
    }
    return text;
}

QString statistic(const std::optional<double>& number) {
    return number ? formatNumber(*number) : QString();
}

} // namespace

AliveView::AliveView(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("aliveValues"));
    setAccessibleName(tr("Values alive where the call stands"));
    setHeaderLabels({tr("value"), tr("type"), tr("minimum"), tr("mean"), tr("maximum"), tr("NaN"), tr("inf"),
                     tr("from minimum to maximum")});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTextElideMode(Qt::ElideMiddle);
    static constexpr int widths[] = {180, 160, 96, 96, 96, 64, 64, 300};
    for (int column = 0; column < int(std::size(widths)); ++column) {
        header()->resizeSection(column, widths[column]);
    }
    for (int column = AliveMinimum; column <= AliveInf; ++column) {
        headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    fitColumn(this, AliveHistogram, 200);
    connect(this, &QTreeWidget::itemSelectionChanged, this, [this] {
        if (!m_filling && !selectedItems().isEmpty()) {
            Q_EMIT chosen(selectedItems().front()->text(AliveName));
        }
    });
}

void AliveView::setPause(const steps::StepPausePtr& pause) {
    if (pause == m_pause) {
        return;
    }
    m_pause = pause;
    m_filling = true;
    clear();
    QList<QTreeWidgetItem*> rows;
    const QFont code = codeFont();
    for (const steps::ValueDetails& value : pause ? pause->values : std::vector<steps::ValueDetails>()) {
        auto* row =
            new QTreeWidgetItem({text(value.state.name), valueWords(value.state), statistic(value.minimum),
                                 statistic(value.mean), statistic(value.maximum),
                                 value.nanCount > 0 ? formatCount(std::uint64_t(value.nanCount)) : QString(),
                                 value.infCount > 0 ? formatCount(std::uint64_t(value.infCount)) : QString(),
                                 blocks(value.histogram)});
        row->setToolTip(AliveName, plainToolTip(valueTip(value.state)));
        for (int column = 0; column < columnCount(); ++column) {
            row->setFont(column, code);
        }
        for (int column = AliveMinimum; column <= AliveInf; ++column) {
            row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        }
        rows.append(row);
    }
    // Rows with a histogram first: the last event's results and the next node's inputs.
    std::ranges::stable_sort(rows, {},
                             [](const QTreeWidgetItem* row) { return row->text(AliveHistogram).isEmpty(); });
    addTopLevelItems(rows);
    m_filling = false;
}

} // namespace aotscope::views
