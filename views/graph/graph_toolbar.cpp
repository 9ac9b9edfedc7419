#include "graph/graph_toolbar.h"

#include "common/giving_way.h"
#include "common/icons.h"
#include "common/theme.h"
#include "graph/breadcrumb_label.h"
#include "graph/graph_canvas.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
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

GraphToolbar::GraphToolbar(GraphCanvas* canvas, const ThemeSource& theme, QWidget* parent)
    : QWidget(parent),
      m_canvas(canvas),
      m_theme(theme),
      m_breadcrumb(new BreadcrumbLabel(theme)),
      m_grouping(new QComboBox),
      m_colorBy(new QComboBox),
      m_zoom(button({}, tr("Zoom to 100 % (0)"))) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->setSpacing(4);
    m_breadcrumb->setObjectName(QStringLiteral("graphBreadcrumb"));
    layout->addWidget(m_breadcrumb, 1);
    makeChoices();
    for (QComboBox* combo : {m_grouping, m_colorBy}) {
        combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        layout->addWidget(combo);
    }
    const auto icon = [this](const char* name) { return themedIcon(QLatin1String(name), m_theme); };
    QToolButton* smaller = button(icon("zoom_out"), tr("Zoom out (−, Ctrl+wheel)"));
    connect(smaller, &QToolButton::clicked, this, [this] { m_canvas->zoomBy(0.8); });
    m_zoom->setMinimumWidth(m_zoom->fontMetrics().horizontalAdvance(QStringLiteral("100 %")) + 16);
    connect(m_zoom, &QToolButton::clicked, this,
            [this] { m_canvas->zoomTo(1, QRectF(m_canvas->rect()).center()); });
    QToolButton* larger = button(icon("zoom_in"), tr("Zoom in (+, Ctrl+wheel)"));
    connect(larger, &QToolButton::clicked, this, [this] { m_canvas->zoomBy(1.25); });
    QToolButton* fit = button(icon("fit"), tr("Show the whole graph (Space)"));
    connect(fit, &QToolButton::clicked, m_canvas, &GraphCanvas::fit);
    QToolButton* find = button(icon("search"), tr("Search with a regular expression (Ctrl+F)"));
    connect(find, &QToolButton::clicked, this, &GraphToolbar::searchRequested);
    for (QToolButton* each : {smaller, m_zoom, larger, fit, find, makeMenu()}) {
        layout->addWidget(each);
    }
    // These can be hidden: zooming has keys and the wheel, and the choices are in the menu.
    giveWay(this, {m_zoom, smaller, larger, m_grouping, m_colorBy, fit, m_breadcrumb});
    connect(m_canvas, &GraphCanvas::viewChanged, this, &GraphToolbar::refreshZoom);
}

void GraphToolbar::makeChoices() {
    m_grouping->setObjectName(QStringLiteral("graphGrouping"));
    m_grouping->setToolTip(tr("How nodes are grouped: by module, or not at all"));
    m_grouping->setAccessibleName(tr("Grouping"));
    m_grouping->addItem(tr("Groups: auto"), int(layout::Grouping::Automatic));
    m_grouping->addItem(tr("Groups: module"), int(layout::Grouping::ByModule));
    m_grouping->addItem(tr("Groups: none"), int(layout::Grouping::None));
    connect(m_grouping, &QComboBox::activated, this, &GraphToolbar::groupingChosen);
    m_colorBy->setObjectName(QStringLiteral("graphColorBy"));
    m_colorBy->setToolTip(tr("What the colours mean"));
    m_colorBy->setAccessibleName(tr("Colour by"));
    m_colorBy->addItem(tr("Colour: kind"), int(ColorBy::Kind));
    m_colorBy->addItem(tr("Colour: dtype"), int(ColorBy::DType));
    m_colorBy->addItem(tr("Colour: bytes"), int(ColorBy::Bytes));
    m_colorBy->addItem(tr("Colour: module"), int(ColorBy::Module));
    m_colorBy->addItem(tr("Colour: run time"), int(ColorBy::RunTime));
    m_colorBy->addItem(tr("Colour: saved or not"), int(ColorBy::Fate));
    connect(m_colorBy, &QComboBox::currentIndexChanged, this,
            [this] { Q_EMIT colorByChosen(ColorBy(m_colorBy->currentData().toInt())); });
}

QToolButton* GraphToolbar::makeMenu() {
    QToolButton* more = button(themedIcon(QStringLiteral("more"), m_theme), tr("Groups, colours and export"));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        qDeleteAll(menu->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
        addChoices(*menu, tr("Groups"), m_grouping);
        addChoices(*menu, tr("Colour"), m_colorBy);
        menu->addSeparator();
        Q_EMIT menuFilled(*menu);
    });
    more->setMenu(menu);
    return more;
}

layout::Grouping GraphToolbar::grouping() const {
    return layout::Grouping(m_grouping->currentData().toInt());
}

void GraphToolbar::refreshZoom() {
    m_zoom->setText(
        QStringLiteral("%1 %").arg(m_canvas->zoom() * 100, 0, 'f', m_canvas->zoom() < 0.01 ? 1 : 0));
}

} // namespace aotscope::views
