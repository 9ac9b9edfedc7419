// Builds the widgets of WrappersPanel.
#include "common/code_view.h"
#include "common/empty_page.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "common/verdict_label.h"
#include "steps/alive_view.h"
#include "steps/current_call.h"
#include "steps/eager_view.h"
#include "steps/stack_canvas.h"
#include "steps/step_bar.h"
#include "steps/value_model.h"
#include "steps/wrappers_panel.h"
#include "style/ink.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTextBrowser>
#include <QTreeView>

namespace aotscope::views {

WrappersPanel::WrappersPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_bar(new StepBar(context)),
      m_verdictTitle(plainLabel(tr("Beside eager"))),
      m_verdict(new VerdictLabel(*context.theme)),
      m_tabs(new QTabBar),
      m_shown(new QStackedWidget),
      m_stack(new StackCanvas(*context.theme)),
      m_passages(choiceBox(tr("Invocation"), tr("Which invocation of this wrapper is shown"))),
      m_model(new ValueModel(context.theme, this)),
      m_view(new QTreeView),
      m_details(new QTextBrowser),
      m_source(new CodeView(context.theme)),
      m_eager(new EagerView(context.theme)),
      m_alive(new AliveView) {
    makeView();
    makePages();
    connectParts();
    followFunction();
}

void WrappersPanel::makeView() {
    m_view->setModel(m_model);
    m_view->setObjectName(QStringLiteral("wrapperValues"));
    m_view->setAccessibleName(tr("Values before and after the wrapper"));
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setRootIsDecorated(false);
    m_view->setIndentation(0);
    m_view->setExpandsOnDoubleClick(false);
    // Names of parameters begin alike, and the type comes last.
    m_view->setTextElideMode(Qt::ElideMiddle);
    auto* spans = new SpanDelegate(m_view);
    m_view->setItemDelegateForColumn(ValueModel::BeforeStorage, spans);
    m_view->setItemDelegateForColumn(ValueModel::AfterStorage, spans);
    static constexpr int widths[ValueModel::ColumnCount] = {160, 196, 116, 160, 196, 240};
    for (int column = 0; column < ValueModel::ColumnCount; ++column) {
        m_view->header()->resizeSection(column, widths[column]);
    }
    m_details->setAccessibleName(tr("The wrapper at hand"));
    m_details->setOpenLinks(false);
    m_source->setAccessibleName(tr("Code that PyTorch generated for the wrapper"));
}

/// The stack, what the wrapper at hand did to values, and what else is known of it, from left to right.
QWidget* WrappersPanel::makeStackPage() {
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_stack);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFrameShape(QFrame::NoFrame);
    connect(m_stack, &StackCanvas::revealed, scroll, [scroll](const QRect& place) {
        scroll->ensureVisible(place.center().x(), place.center().y(), 0, place.height());
    });
    auto* values = new QWidget;
    auto* column = flushColumn(values);
    m_values = new EmptyPage(m_view);
    column->addWidget(m_values, 1);
    auto* about = new QWidget;
    auto* aboutColumn = flushColumn(about);
    auto* choice = controlRow();
    choice->addWidget(m_passages);
    choice->addStretch(1);
    aboutColumn->addLayout(choice);
    auto* texts = new QSplitter(Qt::Vertical);
    texts->addWidget(m_details);
    texts->addWidget(m_source);
    texts->setStretchFactor(0, 3);
    texts->setStretchFactor(1, 2);
    aboutColumn->addWidget(texts, 1);
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->setObjectName(QStringLiteral("wrapperParts"));
    parts->addWidget(scroll);
    parts->addWidget(values);
    parts->addWidget(about);
    parts->setSizes({330, 850, 380});
    parts->setStretchFactor(1, 1);
    return parts;
}

void WrappersPanel::makePages() {
    m_compared = new EmptyPage(m_eager);
    m_alivePage = new EmptyPage(m_alive);
    m_shown->addWidget(makeStackPage());
    m_shown->addWidget(m_compared);
    m_shown->addWidget(m_alivePage);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Parts of the call"));
    for (const QString& title : {tr("Wrappers"), tr("Beside eager"), tr("Values here")}) {
        m_tabs->addTab(title);
    }
    setWords(m_verdictTitle, Words::Dim);
    auto* tabRow = new QHBoxLayout;
    tabRow->setContentsMargins(0, 0, 8, 0);
    tabRow->setSpacing(16);
    tabRow->addWidget(m_tabs);
    tabRow->addWidget(m_bar->transport(), 1);
    tabRow->addStretch(0);
    auto* content = new QWidget;
    auto* inside = flushColumn(content);
    inside->addLayout(tabRow);
    inside->addWidget(m_shown, 1);
    m_pages = new EmptyPage(content);
    auto* outer = flushColumn(this);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(0, 0, 8, 0);
    top->addWidget(m_bar, 1);
    top->addWidget(m_verdictTitle);
    top->addWidget(m_verdict, 1);
    outer->addLayout(top);
    outer->addWidget(m_pages, 1);
    setKeyboardPlace(this, m_stack);
}

void WrappersPanel::connectParts() {
    CurrentCall* call = m_context.call;
    connect(m_bar, &StepBar::leftByFocus, this, [this] { giveKeyboard(this, Qt::OtherFocusReason); });
    connect(m_tabs, &QTabBar::currentChanged, m_shown, &QStackedWidget::setCurrentIndex);
    connect(m_stack, &StackCanvas::picked, this,
            [this](std::size_t level) { showStep(m_stack->levels()[level].step); });
    connect(m_passages, &QComboBox::currentIndexChanged, this, [this] {
        showValues();
        showDetails();
    });
    connect(m_alive, &AliveView::chosen, this,
            [this](const QString& name) { selectValue(name.toStdString()); });
    connect(call, &CurrentCall::functionChanged, this, &WrappersPanel::followFunction);
    connect(call, &CurrentCall::wrappersChanged, this, &WrappersPanel::followWrappers);
    connect(call, &CurrentCall::callChanged, this, [this] {
        showState();
        showStack();
        showPassages();
        showVerdict();
    });
    connect(call, &CurrentCall::pointChanged, this, &WrappersPanel::followPoint);
    connect(call, &CurrentCall::breakpointsChanged, this, &WrappersPanel::showStack);
    connect(m_context.theme, &ThemeSource::changed, this, &WrappersPanel::showDetails);
}

} // namespace aotscope::views
