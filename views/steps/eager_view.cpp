#include "steps/eager_view.h"

#include "common/fitting_column.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "common/verdict_label.h"
#include "steps/wrapper_text.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTreeWidget>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

namespace {

QTreeWidget* comparedTable(const QString& objectName, const QString& name, const QStringList& columns) {
    auto* table = new QTreeWidget;
    table->setObjectName(objectName);
    table->setAccessibleName(name);
    table->setHeaderLabels(columns);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setAllColumnsShowFocus(true);
    return table;
}

void alignRight(QTreeWidgetItem* item, std::initializer_list<int> columns) {
    for (const int column : columns) {
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        item->setFont(column, codeFont());
    }
}

} // namespace

EagerView::EagerView(const ThemeSource* theme, QWidget* parent)
    : QWidget(parent),
      m_theme(theme),
      m_values(
          comparedTable(QStringLiteral("comparedValues"), tr("Values beside Dynamo's graph in eager mode"),
                        {tr("value"), tr("verdict"), tr("relative error"), tr("allowed"), tr("structure")})),
      m_losses(comparedTable(QStringLiteral("comparedLosses"), tr("Losses of the calls"),
                             {tr("call"), tr("loss"), tr("eager"), tr("difference")})) {
    static constexpr int valueWidths[] = {260, 120, 120, 100};
    for (int column = 0; column < int(std::size(valueWidths)); ++column) {
        m_values->header()->resizeSection(column, valueWidths[column]);
    }
    static constexpr int lossWidths[] = {56, 120, 120, 110};
    for (int column = 0; column < int(std::size(lossWidths)); ++column) {
        m_losses->header()->resizeSection(column, lossWidths[column]);
    }
    fitColumn(m_values, 4, 160);
    for (const int column : {2, 3}) {
        m_values->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    for (int column = 0; column < m_losses->columnCount(); ++column) {
        m_losses->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->addWidget(m_values);
    parts->addWidget(m_losses);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    flushColumn(this)->addWidget(parts, 1);
    connect(theme, &ThemeSource::changed, this, &EagerView::show);
    show();
}

void EagerView::setRecord(const steps::CallRecordPtr& record) {
    if (record != m_record) {
        m_record = record;
        show();
    }
}

void EagerView::show() {
    m_values->clear();
    m_losses->clear();
    const steps::EagerCallComparison* eager = m_record && m_record->eager ? &*m_record->eager : nullptr;
    m_losses->setVisible(eager != nullptr && !eager->losses.empty());
    if (eager == nullptr) {
        return;
    }
    const Theme& theme = m_theme->theme();
    QList<QTreeWidgetItem*> rows;
    for (const steps::ComparedValue& value : eager->values) {
        const base::VerdictWord word = value.word();
        const QString mark = verdictSign(word) + QLatin1Char(' ');
        auto* row =
            new QTreeWidgetItem({text(value.name), mark + text(std::string(base::wordOf(word))),
                                 value.relativeError ? errorText(*value.relativeError) : QStringLiteral("–"),
                                 value.allowed ? errorText(*value.allowed) : QStringLiteral("–"),
                                 value.structure.empty() ? tr("the same") : text(value.structure)});
        row->setForeground(1, verdictColor(word, theme));
        row->setData(1, Qt::UserRole, static_cast<int>(word));
        row->setForeground(4, value.structure.empty() ? theme.dimText : theme.bad);
        row->setToolTip(1, plainToolTip(text(steps::comparedValueText(value))));
        row->setToolTip(3, plainToolTip(text(value.limit)));
        row->setToolTip(4, plainToolTip(text(value.structure)));
        alignRight(row, {2, 3});
        rows.append(row);
    }
    // What differs comes first, then what decides nothing.
    std::ranges::stable_sort(rows, {}, [](const QTreeWidgetItem* row) {
        const auto word = static_cast<base::VerdictWord>(row->data(1, Qt::UserRole).toInt());
        const bool isEqual = word == base::VerdictWord::Equal || word == base::VerdictWord::EqualUpToNames;
        return word == base::VerdictWord::Differs ? 0 : isEqual ? 2 : 1;
    });
    m_values->addTopLevelItems(rows);
    for (std::size_t i = 0; i < eager->losses.size(); ++i) {
        const double loss = eager->losses[i];
        const bool hasEager = i < eager->eagerLosses.size();
        const double other = hasEager ? eager->eagerLosses[i] : 0;
        auto* row = new QTreeWidgetItem(m_losses, {QString::number(i + 1), QString::number(loss, 'g', 8),
                                                   hasEager ? QString::number(other, 'g', 8) : QString(),
                                                   hasEager ? errorText(std::abs(loss - other)) : QString()});
        alignRight(row, {0, 1, 2, 3});
    }
}

} // namespace aotscope::views
