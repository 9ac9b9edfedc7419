#include "graph/graph_panel_state.h"

#include "common/empty_page.h"
#include "common/give_keyboard.h"
#include "common/giving_way.h"
#include "common/icons.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "graph/legend.h"
#include "graph/minimap.h"
#include "graph/progress_strip.h"
#include "graph/search_bar.h"
#include "style/ink.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>

namespace aotscope::views {
namespace {

QToolButton* button(const QIcon& icon, const QString& toolTip) {
    auto* made = new QToolButton;
    made->setIcon(icon);
    made->setIconSize({16, 16});
    made->setToolTip(toolTip);
    made->setAccessibleName(toolTip);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

/// Puts a toolbar field's choices into a menu, for when the field is hidden for lack of space.
void addChoices(QMenu& menu, const QString& title, QComboBox* field) {
    QMenu* choices = menu.addMenu(title);
    for (int i = 0; i < field->count(); ++i) {
        QAction* choice = choices->addAction(field->itemText(i).section(QStringLiteral(": "), 1));
        choice->setCheckable(true);
        choice->setChecked(i == field->currentIndex());
        QObject::connect(choice, &QAction::triggered, field, [field, i] {
            field->setCurrentIndex(i);
            Q_EMIT field->activated(i);
        });
    }
}

} // namespace

GraphPanel::State::State(const ViewContext& context, GraphPanel* panel)
    : QObject(nullptr),
      m_panel(panel),
      m_hub(context.selection),
      m_theme(context.theme),
      m_files(context.files),
      m_logs(context.logs),
      m_search(new GraphSearch(this)),
      m_canvas(new GraphCanvas(*context.theme)),
      m_minimap(new Minimap(m_canvas)),
      m_searchBar(new SearchBar(m_search, *context.theme)),
      m_legend(new Legend(*context.theme)),
      m_request(context.engine, QStringLiteral("graph-layout-%1").arg(quintptr(panel), 0, 16)),
      m_marksRequest(context.engine, QStringLiteral("graph-marks-%1").arg(quintptr(panel), 0, 16)) {
    auto* layout = flushColumn(panel);
    layout->addWidget(makeToolbar());
    layout->addWidget(m_searchBar);
    m_page = new EmptyPage(m_canvas);
    layout->addWidget(m_page, 1);
    layout->addWidget(new ProgressStrip(&m_request));
    layout->addWidget(makeFooter());
    setKeyboardPlace(panel, m_canvas);
    connectEngine(context.engine);
    connectCanvas();
    clear();
    if (m_hub->current()) {
        follow(*m_hub->current(), nullptr);
    }
}

QWidget* GraphPanel::State::makeToolbar() {
    auto* bar = new QWidget;
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->setSpacing(4);
    m_breadcrumb = new QLabel;
    m_breadcrumb->setObjectName(QStringLiteral("graphBreadcrumb"));
    m_breadcrumb->setTextFormat(Qt::RichText);
    m_breadcrumb->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_breadcrumb->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_breadcrumb->setMinimumWidth(
        m_breadcrumb->fontMetrics().horizontalAdvance(QStringLiteral("0/0 › Backward")));
    connect(m_breadcrumb, &QLabel::linkActivated, this, &State::breadcrumbLink);
    m_breadcrumb->installEventFilter(this);
    layout->addWidget(m_breadcrumb, 1);

    m_grouping = new QComboBox;
    m_grouping->setObjectName(QStringLiteral("graphGrouping"));
    m_grouping->setToolTip(tr("How nodes are grouped: by module, or not at all"));
    m_grouping->setAccessibleName(tr("Grouping"));
    m_grouping->addItem(tr("Groups: auto"), int(layout::Grouping::Automatic));
    m_grouping->addItem(tr("Groups: module"), int(layout::Grouping::ByModule));
    m_grouping->addItem(tr("Groups: none"), int(layout::Grouping::None));
    connect(m_grouping, &QComboBox::activated, this, [this] { request(); });
    m_colorBy = new QComboBox;
    m_colorBy->setObjectName(QStringLiteral("graphColorBy"));
    m_colorBy->setToolTip(tr("What the colours mean"));
    m_colorBy->setAccessibleName(tr("Colour by"));
    m_colorBy->addItem(tr("Colour: kind"), int(ColorBy::Kind));
    m_colorBy->addItem(tr("Colour: dtype"), int(ColorBy::DType));
    m_colorBy->addItem(tr("Colour: bytes"), int(ColorBy::Bytes));
    m_colorBy->addItem(tr("Colour: module"), int(ColorBy::Module));
    m_colorBy->addItem(tr("Colour: run time"), int(ColorBy::RunTime));
    m_colorBy->addItem(tr("Colour: saved or not"), int(ColorBy::Fate));
    connect(m_colorBy, &QComboBox::currentIndexChanged, this, &State::refreshColors);
    for (QComboBox* combo : {m_grouping, m_colorBy}) {
        combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        layout->addWidget(combo);
    }

    const auto icon = [this](const char* name) { return themedIcon(QLatin1String(name), *m_theme); };
    QToolButton* smaller = button(icon("zoom_out"), tr("Zoom out (−, Ctrl+wheel)"));
    connect(smaller, &QToolButton::clicked, this, [this] { m_canvas->zoomBy(0.8); });
    m_zoom = button({}, tr("Zoom to 100 % (0)"));
    m_zoom->setMinimumWidth(m_zoom->fontMetrics().horizontalAdvance(QStringLiteral("100 %")) + 16);
    connect(m_zoom, &QToolButton::clicked, this,
            [this] { m_canvas->zoomTo(1, QRectF(m_canvas->rect()).center()); });
    QToolButton* larger = button(icon("zoom_in"), tr("Zoom in (+, Ctrl+wheel)"));
    connect(larger, &QToolButton::clicked, this, [this] { m_canvas->zoomBy(1.25); });
    QToolButton* fit = button(icon("fit"), tr("Show the whole graph (Space)"));
    connect(fit, &QToolButton::clicked, m_canvas, &GraphCanvas::fit);
    QToolButton* find = button(icon("search"), tr("Search with a regular expression (Ctrl+F)"));
    connect(find, &QToolButton::clicked, this, &State::openSearch);
    QToolButton* more = button(icon("more"), tr("Groups, colours and export"));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        qDeleteAll(menu->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
        addChoices(*menu, tr("Groups"), m_grouping);
        addChoices(*menu, tr("Colour"), m_colorBy);
        menu->addSeparator();
        menu->addAction(tr("Open all groups") + QStringLiteral("\tCtrl+Alt+O"), this,
                        [this] { setAllGroups(true); });
        menu->addAction(tr("Close all groups") + QStringLiteral("\tCtrl+Alt+C"), this,
                        [this] { setAllGroups(false); });
        menu->addSeparator();
        addExportActions(*menu);
    });
    more->setMenu(menu);
    for (QToolButton* each : {smaller, m_zoom, larger, fit, find, more}) {
        layout->addWidget(each);
    }
    // These can be hidden: zooming has keys and the wheel, and the choices are in the menu.
    giveWay(bar, {m_zoom, smaller, larger, m_grouping, m_colorBy, fit, m_breadcrumb});
    return bar;
}

QWidget* GraphPanel::State::makeFooter() {
    auto* footer = new QWidget;
    auto* layout = new QHBoxLayout(footer);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(8);
    m_status = plainLabel();
    m_status->setObjectName(QStringLiteral("graphStatus"));
    setWords(m_status, Words::Dim);
    layout->addWidget(m_legend, 1);
    layout->addWidget(m_status);
    return footer;
}

void GraphPanel::State::connectEngine(EngineClient* engine) {
    connect(m_hub, &SelectionHub::selectionChanged, this, &State::follow);
    connect(m_hub, &SelectionHub::hoverChanged, this,
            [this](const std::optional<session::Selection>& hovered, QObject* source) {
                const GraphScenePtr& scene = m_canvas->scene();
                if (source == m_panel || !scene) {
                    return;
                }
                const bool ours = hovered && hovered->artifact == m_shown->graph->reference;
                const auto node = ours ? scene->graph().tryFind(hovered->node) : std::nullopt;
                m_canvas->setHovered(node ? scene->boxOf(*node) : BoxId());
            });
    connect(m_hub, &SelectionHub::spotlightChanged, this, &State::showSpotlight);
    connect(m_hub, &SelectionHub::stagesChanged, this, [this] {
        const bool wasStage = m_shown && m_shown->stagesOf;
        if (m_wanted && (wasStage || stagesOf(*m_wanted))) {
            request();
        }
    });
    connect(&m_request, &RequestBase::answered, this, [this] { take(m_request.takeAnswer()); });
    connect(&m_request, &RequestBase::changed, this, &State::followRequest);
    connect(&m_marksRequest, &RequestBase::answered, this, &State::takeMarks);
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        std::erase_if(m_folds, [&](const auto& entry) { return entry.first.log == log; });
        if (m_wanted && m_wanted->log == log) {
            clear();
        }
    });
    connect(engine, &EngineClient::partitionReady, this, [this](const session::PartitionSnapshotPtr& split) {
        // The shown half was made again.
        if (m_wanted == split->forward || m_wanted == split->backward) {
            request();
        }
    });
    connect(m_theme, &ThemeSource::changed, this, [this] {
        refreshColors();
        refreshBreadcrumb();
    });
}

void GraphPanel::State::connectCanvas() {
    connect(m_canvas, &GraphCanvas::picked, this, &State::pick);
    connect(m_canvas, &GraphCanvas::hovered, this, [this](BoxId box) {
        const ir::NodeId node = box.valid() ? m_canvas->scene()->box(box).node : ir::NodeId();
        if (node.valid()) {
            m_hub->hover(
                session::Selection{m_shown->graph->reference, m_canvas->scene()->graph().node(node).name},
                m_panel);
        } else {
            m_hub->hover(std::nullopt, m_panel);
        }
    });
    connect(m_canvas, &GraphCanvas::toggleGroup, this, &State::toggle);
    connect(m_canvas, &GraphCanvas::viewChanged, this, &State::refreshZoom);
    connect(m_canvas, &GraphCanvas::menuRequested, this, &State::showMenu);
    connect(m_canvas, &GraphCanvas::searchRequested, this, &State::openSearch);
    connect(m_search, &GraphSearch::changed, this, &State::refreshHits);
    connect(m_search, &GraphSearch::changed, m_panel, &GraphPanel::foundChanged);
    connect(m_searchBar, &SearchBar::step, this, &State::moveToHit);
    connect(m_searchBar, &SearchBar::closed, this, [this] { m_canvas->setFocus(Qt::OtherFocusReason); });
    const auto shortcut = [this](const QKeySequence& keys, const auto& run) {
        auto* made = new QShortcut(keys, m_panel);
        made->setContext(Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, run);
    };
    shortcut(QKeySequence::FindNext, [this] { moveToHit(1); });
    shortcut(QKeySequence::FindPrevious, [this] { moveToHit(-1); });
}

} // namespace aotscope::views
