#include "window/panel_docks.h"

#include "common/give_keyboard.h"
#include "window/dock_content.h"

#include <QApplication>
#include <QDockWidget>
#include <QTabBar>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

/// Version of the bytes that Qt writes. The list of panels may change without it, because docks are
/// identified by name.
constexpr int arrangementFormat = 5;

Qt::DockWidgetArea areaOf(PanelPlace place) {
    return place == PanelPlace::Bottom ? Qt::BottomDockWidgetArea : Qt::LeftDockWidgetArea;
}

} // namespace

PanelDocks::PanelDocks(std::span<const PanelSpec> specs, const ViewContext& context, QWidget* parent)
    : QMainWindow(parent), m_specs(specs) {
    setWindowFlags(Qt::Widget);
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks |
                   QMainWindow::AnimatedDocks | QMainWindow::GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    for (const PanelSpec& spec : specs) {
        addPanel(spec, spec.make(context));
    }
    arrange();
}

void PanelDocks::addPanel(const PanelSpec& spec, QWidget* panel) {
    auto* dock = new QDockWidget(tr(spec.title), this);
    dock->setObjectName(QLatin1String(spec.id));
    auto* holder = new DockContent(panel);
    dock->setWidget(holder);
    dock->setAllowedAreas(Qt::AllDockWidgetAreas);
    const auto later = [this] {
        // After the docks got their places.
        QMetaObject::invokeMethod(this, &PanelDocks::updateTitles, Qt::QueuedConnection);
    };
    connect(dock, &QDockWidget::dockLocationChanged, this, later);
    connect(dock, &QDockWidget::topLevelChanged, this, later);
    connect(dock, &QDockWidget::visibilityChanged, this, later);
    connect(dock, &QDockWidget::visibilityChanged, holder, [dock, holder](bool visible) {
        // A floating dock is always in view, even at negative coordinates (a screen to the left).
        holder->setInSight(visible || dock->isFloating());
    });
    m_panels.push_back(panel);
    m_docks.push_back(dock);
}

/// A dock among tabs has its name on the tab, so it needs no title.
void PanelDocks::updateTitles() {
    for (QDockWidget* dock : m_docks) {
        const QList<QDockWidget*> others = tabifiedDockWidgets(dock);
        const bool tabbed = !dock->isFloating() && !dock->isHidden() &&
                            std::any_of(others.begin(), others.end(), [](const QDockWidget* other) {
                                return !other->isHidden() && !other->isFloating();
                            });
        if (tabbed && !dock->titleBarWidget()) {
            dock->setTitleBarWidget(new QWidget(dock));
        } else if (!tabbed && dock->titleBarWidget()) {
            delete dock->titleBarWidget();
            dock->setTitleBarWidget(nullptr);
        }
    }
    for (QTabBar* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        // The style draws the line; Qt's would not be in a colour of the theme.
        tabs->setDrawBase(false);
        // Panels have keys and F6; Tab moves between fields.
        tabs->setFocusPolicy(Qt::NoFocus);
        connect(tabs, &QTabBar::tabBarClicked, this, &PanelDocks::focusClickedTab, Qt::UniqueConnection);
    }
}

/// The first dock of a place that is docked in the window; null: none is.
QDockWidget* PanelDocks::firstOf(PanelPlace place) const {
    for (std::size_t i = 0; i < m_docks.size(); ++i) {
        if (m_specs[i].place == place && dockWidgetArea(m_docks[i]) != Qt::NoDockWidgetArea) {
            return m_docks[i];
        }
    }
    return nullptr;
}

/// Adds a panel as a tab to the last one of its place, else beside the previous place, else to the area.
void PanelDocks::placeAtFirst(std::size_t place) {
    QDockWidget* dock = m_docks[place];
    const PanelPlace wanted = m_specs[place].place;
    for (std::size_t i = m_docks.size(); i-- > 0;) {
        const bool isNeighbour = i != place && m_specs[i].place == wanted && !m_docks[i]->isFloating() &&
                                 dockWidgetArea(m_docks[i]) != Qt::NoDockWidgetArea;
        if (isNeighbour) {
            tabifyDockWidget(m_docks[i], dock);
            return;
        }
    }
    static constexpr std::pair<PanelPlace, PanelPlace> beside[] = {
        {PanelPlace::Middle, PanelPlace::Left},
        {PanelPlace::Right, PanelPlace::Middle},
        {PanelPlace::BelowRight, PanelPlace::Right},
    };
    for (const auto& [each, neighbour] : beside) {
        QDockWidget* const next = each == wanted ? firstOf(neighbour) : nullptr;
        if (next && !next->isFloating()) {
            splitDockWidget(next, dock, wanted == PanelPlace::BelowRight ? Qt::Vertical : Qt::Horizontal);
            return;
        }
    }
    addDockWidget(areaOf(wanted), dock);
}

void PanelDocks::arrange() {
    for (QDockWidget* dock : m_docks) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    // One dock of each place first: Qt adds a dock as a tab if it is placed beside a tabbed one.
    for (const PanelPlace place : {PanelPlace::Left, PanelPlace::Middle, PanelPlace::Right,
                                   PanelPlace::BelowRight, PanelPlace::Bottom}) {
        const auto first = std::ranges::find(m_specs, place, &PanelSpec::place);
        if (first != m_specs.end()) {
            placeAtFirst(static_cast<std::size_t>(first - m_specs.begin()));
        }
    }
    for (std::size_t i = 0; i < m_docks.size(); ++i) {
        if (dockWidgetArea(m_docks[i]) == Qt::NoDockWidgetArea) {
            placeAtFirst(i);
        }
    }
    for (QDockWidget* dock : m_docks) {
        dock->show();
    }
    share();
}

/// Sets sizes as fractions of the window; the lower panels keep a few rows even in a small window. Done again
/// when the window is first shown, because sizes do not apply before that.
void PanelDocks::share() {
    const auto percent = [](int whole, int part) { return whole * part / 100; };
    const int below = std::max(percent(height(), 30), 200);
    const auto resize = [this](std::initializer_list<std::pair<PanelPlace, int>> shares,
                               Qt::Orientation orientation) {
        QList<QDockWidget*> docks;
        QList<int> sizes;
        for (const auto& [place, size] : shares) {
            if (QDockWidget* dock = firstOf(place)) {
                docks.append(dock);
                sizes.append(size);
            }
        }
        resizeDocks(docks, sizes, orientation);
    };
    for (const PanelPlace place : {PanelPlace::Bottom, PanelPlace::Left, PanelPlace::Middle}) {
        if (QDockWidget* dock = firstOf(place)) {
            dock->raise();
        }
    }
    if (!m_askedFor.isEmpty()) {
        // It could not be raised before the docks had their places.
        focusPanel(m_askedFor);
    }
    resize({{PanelPlace::Left, percent(width(), 36)},
            {PanelPlace::Middle, percent(width(), 42)},
            {PanelPlace::Right, percent(width(), 22)}},
           Qt::Horizontal);
    resize({{PanelPlace::Middle, height() - below}, {PanelPlace::Bottom, below}}, Qt::Vertical);
    resize({{PanelPlace::Right, percent(height() - below, 46)},
            {PanelPlace::BelowRight, percent(height() - below, 54)}},
           Qt::Vertical);
}

void PanelDocks::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!std::exchange(m_isSettled, true)) {
        // After the event that gives the docks their first geometry.
        QMetaObject::invokeMethod(this, &PanelDocks::settle, Qt::QueuedConnection);
    }
}

/// Applies sizes once there is room: behind the welcome page the docks have almost none.
void PanelDocks::settle() {
    const QByteArray remembered = std::exchange(m_remembered, {});
    if (remembered.isEmpty() || !restoreArrangement(remembered)) {
        share();
    } else if (!m_askedFor.isEmpty()) {
        focusPanel(m_askedFor);
    }
    m_remembered.clear();
    if (m_askedFor.isEmpty()) {
        raisePanel(m_raisedEarly);
    }
    m_raisedEarly.clear();
    m_hasPlaces = true;
}

QByteArray PanelDocks::arrangement() const {
    return saveState(arrangementFormat);
}

bool PanelDocks::restoreArrangement(const QByteArray& arrangement) {
    if (!restoreState(arrangement, arrangementFormat)) {
        return false;
    }
    for (std::size_t i = 0; i < m_docks.size(); ++i) {
        // Qt removes docks that the arrangement does not name.
        if (dockWidgetArea(m_docks[i]) == Qt::NoDockWidgetArea && !m_docks[i]->isFloating()) {
            placeAtFirst(i);
            m_docks[i]->show();
        }
    }
    if (!m_isSettled) {
        m_remembered = arrangement;
    }
    return true;
}

void PanelDocks::resetArrangement() {
    m_askedFor.clear();
    m_remembered.clear();
    arrange();
    // The window that had the focus may be gone.
    if (const QDockWidget* dock = firstOf(PanelPlace::Middle)) {
        focusPanel(dock->objectName());
    }
}

QDockWidget* PanelDocks::dock(const QString& id) const {
    const auto found = std::ranges::find(m_docks, id, &QDockWidget::objectName);
    return found == m_docks.end() ? nullptr : *found;
}

void PanelDocks::raisePanel(const QString& id) {
    if (!m_hasPlaces) {
        m_raisedEarly = id;
    }
    if (QDockWidget* target = dock(id)) {
        target->show();
        target->raise();
    }
}

void PanelDocks::focusPanel(const QString& id) {
    QDockWidget* const target = dock(id);
    if (target && !isHidden()) {
        m_askedFor = id;
        raisePanel(id);
        giveKeyboard(target->widget(), Qt::ShortcutFocusReason);
    }
}

/// A click on a tab also moves the focus into its panel.
void PanelDocks::focusClickedTab(int tab) {
    const auto* tabs = qobject_cast<QTabBar*>(sender());
    const QString title = tabs != nullptr ? tabs->tabText(tab) : QString();
    for (QDockWidget* dock : m_docks) {
        if (dock->windowTitle() == title) {
            m_askedFor = dock->objectName();
            // After it was raised.
            QMetaObject::invokeMethod(
                dock, [dock] { giveKeyboard(dock->widget(), Qt::MouseFocusReason); }, Qt::QueuedConnection);
        }
    }
}

/// Null: no panel has the focus.
QDockWidget* PanelDocks::focusedDock() const {
    for (QWidget* widget = QApplication::focusWidget(); widget != nullptr; widget = widget->parentWidget()) {
        if (auto* dock = qobject_cast<QDockWidget*>(widget); dock && dock->parent() == this) {
            return dock;
        }
    }
    return nullptr;
}

void PanelDocks::movePanel(int step) {
    std::vector<QDockWidget*> inSight;
    std::ranges::copy_if(m_docks, std::back_inserter(inSight), [](const QDockWidget* dock) {
        return dock->isVisible() && !dock->visibleRegion().isEmpty();
    });
    if (inSight.empty()) {
        return;
    }
    const auto count = static_cast<std::ptrdiff_t>(inSight.size());
    const auto found = std::ranges::find(inSight, focusedDock());
    const std::ptrdiff_t from = found == inSight.end() ? (step > 0 ? -1 : count) : found - inSight.begin();
    focusPanel(inSight[static_cast<std::size_t>((from + step + count) % count)]->objectName());
}

void PanelDocks::closePanel() {
    if (QDockWidget* dock = focusedDock()) {
        movePanel(1);
        dock->close();
    }
}

void PanelDocks::floatPanel() {
    if (QDockWidget* dock = focusedDock()) {
        dock->setFloating(!dock->isFloating());
        dock->activateWindow();
        giveKeyboard(dock->widget(), Qt::ShortcutFocusReason);
    }
}

} // namespace aotscope::views
