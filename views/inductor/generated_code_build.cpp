// The widgets of the Generated code dock.
#include "inductor/generated_code_panel.h"

#include "common/chosen_row.h"
#include "common/code_view.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/find_bar.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "inductor/generated_kernel_model.h"
#include "style/ink.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

namespace aotscope::views {

void GeneratedCodePanel::build() {
    setWords(m_title, Words::Dim);
    m_title->setObjectName(QStringLiteral("generatedCodeTitle"));
    m_parts->setDrawBase(false);
    m_parts->setExpanding(false);
    m_parts->setAccessibleName(tr("Graphs with generated code"));
    m_fold->setText(tr("Only this kernel"));
    m_fold->setCheckable(true);
    m_fold->setToolTip(tr("Show only the current kernel with its comments"));
    m_code->setAccessibleName(tr("Generated code"));
    m_code->setObjectName(QStringLiteral("generatedCode"));

    m_list->setModel(m_model);
    m_list->setObjectName(QStringLiteral("generatedKernels"));
    m_list->setAccessibleName(tr("Kernels of the generated code"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->header()->setStretchLastSection(false);
    static constexpr int widths[GeneratedKernelModel::ColumnCount] = {240, 128, 72, 56};
    for (int column = 0; column < GeneratedKernelModel::ColumnCount; ++column) {
        m_list->header()->resizeSection(column, widths[column]);
    }
    m_list->header()->setSectionResizeMode(GeneratedKernelModel::Name, QHeaderView::Stretch);
    whenChosen(m_list, this,
               [this](const QModelIndex& index) { chooseKernel(m_model->kernelOf(index.row())); });

    m_details->setObjectName(QStringLiteral("generatedKernelDetails"));
    m_details->setAccessibleName(tr("About the kernel, and what is not linked"));
    m_details->setTextFormat(Qt::RichText);
    m_details->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_details->setWordWrap(true);
    m_details->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_details->setContentsMargins(8, 4, 8, 8);
    auto* details = new QScrollArea;
    details->setWidget(m_details);
    details->setWidgetResizable(true);
    details->setFrameShape(QFrame::NoFrame);
    details->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* left = new QSplitter(Qt::Vertical);
    left->addWidget(m_list);
    left->addWidget(details);
    left->setStretchFactor(0, 3);
    left->setStretchFactor(1, 2);
    auto* codePage = new QWidget;
    auto* column = flushColumn(codePage);
    column->addWidget(new FindBar(m_code));
    column->addWidget(m_code, 1);
    auto* split = new QSplitter(Qt::Horizontal);
    split->addWidget(left);
    split->addWidget(codePage);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setChildrenCollapsible(false);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 8, 0);
    bar->setSpacing(12);
    bar->addWidget(m_parts);
    bar->addWidget(m_title, 1);
    bar->addWidget(m_fold);
    m_pages = layOutPanel(this, bar, {split});
    setKeyboardPlace(this, m_list);
}

} // namespace aotscope::views
