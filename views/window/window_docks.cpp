// The docks of MainWindow: where they lie, and how the keyboard goes from one to the other.
#include "common/give_keyboard.h"
#include "window/dock_content.h"
#include "window/main_window.h"

#include <QApplication>
#include <QDockWidget>
#include <QSettings>
#include <QTabBar>

#include <algorithm>

namespace aotscope::views {

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* content) {
    auto* dock = new QDockWidget(title);
    dock->setObjectName(name);
    auto* holder = new DockContent(content);
    dock->setWidget(holder);
    dock->setAllowedAreas(Qt::AllDockWidgetAreas);
    const auto later = [this] {
        // Once the docks have their places.
        QMetaObject::invokeMethod(this, &MainWindow::updateDockTitles, Qt::QueuedConnection);
    };
    connect(dock, &QDockWidget::dockLocationChanged, this, later);
    connect(dock, &QDockWidget::topLevelChanged, this, later);
    connect(dock, &QDockWidget::visibilityChanged, this, later);
    connect(dock, &QDockWidget::visibilityChanged, holder, [dock, holder](bool visible) {
        // A floating one may lie anywhere, on a screen to the left, too.
        holder->setInSight(visible || dock->isFloating());
    });
    m_docks.push_back(dock);
    return dock;
}

/// A dock among tabs has its name on its tab already; the title bar would say it twice.
void MainWindow::updateDockTitles() {
    for (QDockWidget* dock : m_docks) {
        const QList<QDockWidget*> others = m_bench->tabifiedDockWidgets(dock);
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
    for (QTabBar* tabs : m_bench->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        // Its line is the style's, in no colour of the theme.
        tabs->setDrawBase(false);
        // Panels have keys, and F6; Tab goes from field to field.
        tabs->setFocusPolicy(Qt::NoFocus);
        connect(tabs, &QTabBar::tabBarClicked, this, &MainWindow::focusClickedTab, Qt::UniqueConnection);
    }
}

void MainWindow::arrangeDocks() {
    const auto at = [this](const char* name) { return dock(QString::fromLatin1(name)); };
    for (QDockWidget* widget : m_docks) {
        widget->setFloating(false);
        m_bench->removeDockWidget(widget);
    }
    // There is no central widget: the areas share the window, the bottom one in full width.
    m_bench->addDockWidget(Qt::LeftDockWidgetArea, at("compiles"));
    m_bench->splitDockWidget(at("compiles"), at("graph"), Qt::Horizontal);
    m_bench->splitDockWidget(at("graph"), at("inspector"), Qt::Horizontal);
    m_bench->splitDockWidget(at("inspector"), at("text"), Qt::Vertical);
    m_bench->addDockWidget(Qt::BottomDockWidgetArea, at("problems"));
    m_bench->tabifyDockWidget(at("problems"), at("payload"));
    m_bench->tabifyDockWidget(at("payload"), at("run"));
    m_bench->tabifyDockWidget(at("run"), at("retrace"));
    m_bench->tabifyDockWidget(at("retrace"), at("saved"));
    m_bench->tabifyDockWidget(at("saved"), at("memory"));
    m_bench->tabifyDockWidget(at("memory"), at("budget"));
    // Two graphs side by side want the room of one.
    m_bench->tabifyDockWidget(at("graph"), at("compare"));
    for (QDockWidget* widget : m_docks) {
        widget->show();
    }
    sizeDocks();
}

/// Sizes hold only once the window has its own, so this is done again when it is first shown.
void MainWindow::sizeDocks() {
    const auto at = [this](const char* name) { return dock(QString::fromLatin1(name)); };
    at("problems")->raise();
    at("graph")->raise();
    if (!m_askedFor.isEmpty()) {
        // Before the docks had their places it could not come to the front.
        focusDock(m_askedFor);
    }
    // Shares of the window, whatever its size; the lower panels keep a few rows in a small one, too.
    const QSize room = m_bench->size();
    const int below = std::max(room.height() * 30 / 100, 200);
    const auto share = [](int whole, int percent) { return whole * percent / 100; };
    m_bench->resizeDocks({at("compiles"), at("graph"), at("inspector")},
                         {share(room.width(), 36), share(room.width(), 42), share(room.width(), 22)},
                         Qt::Horizontal);
    m_bench->resizeDocks({at("graph"), at("problems")}, {room.height() - below, below}, Qt::Vertical);
    m_bench->resizeDocks({at("inspector"), at("text")},
                         {share(room.height() - below, 46), share(room.height() - below, 54)}, Qt::Vertical);
}

void MainWindow::resetLayout() {
    m_askedFor.clear();
    m_layoutRestored = false;
    m_savedDocks.clear();
    QSettings().remove(QStringLiteral("window/docks"));
    arrangeDocks();
    // The window that had the keyboard may be no window any more.
    focusDock(QStringLiteral("graph"));
}

QDockWidget* MainWindow::dock(const QString& name) const {
    const auto found = std::find_if(m_docks.begin(), m_docks.end(),
                                    [&](const QDockWidget* dock) { return dock->objectName() == name; });
    return found == m_docks.end() ? nullptr : *found;
}

void MainWindow::focusDock(const QString& name) {
    QDockWidget* target = dock(name);
    if (target && showsDocks()) {
        m_askedFor = name;
        target->show();
        target->raise();
        giveKeyboard(target->widget(), Qt::ShortcutFocusReason);
    }
}

/// Who clicks a tab wants to go on there, with the keyboard too.
void MainWindow::focusClickedTab(int tab) {
    const auto* tabs = qobject_cast<QTabBar*>(sender());
    const QString title = tabs != nullptr ? tabs->tabText(tab) : QString();
    for (QDockWidget* dock : m_docks) {
        if (dock->windowTitle() == title) {
            m_askedFor = dock->objectName();
            // Once it is in front.
            QMetaObject::invokeMethod(
                dock, [dock] { giveKeyboard(dock->widget(), Qt::MouseFocusReason); }, Qt::QueuedConnection);
        }
    }
}

/// Null: the keyboard is in no panel.
QDockWidget* MainWindow::focusedDock() const {
    for (QWidget* widget = QApplication::focusWidget(); widget != nullptr; widget = widget->parentWidget()) {
        if (auto* dock = qobject_cast<QDockWidget*>(widget); dock && dock->parent() == m_bench) {
            return dock;
        }
    }
    return nullptr;
}

/// Puts the keyboard into the next panel in sight, or the one before: what lies behind another tab has keys
/// of its own.
void MainWindow::stepPanel(int step) {
    std::vector<QDockWidget*> inSight;
    std::ranges::copy_if(m_docks, std::back_inserter(inSight), [](const QDockWidget* dock) {
        return dock->isVisible() && !dock->visibleRegion().isEmpty();
    });
    if (inSight.empty() || !showsDocks()) {
        return;
    }
    const auto count = static_cast<std::ptrdiff_t>(inSight.size());
    const auto found = std::ranges::find(inSight, focusedDock());
    const std::ptrdiff_t from = found == inSight.end() ? (step > 0 ? -1 : count) : found - inSight.begin();
    focusDock(inSight[static_cast<std::size_t>((from + step + count) % count)]->objectName());
}

/// Its key, or the View menu, brings it back; the keyboard goes on in the next panel.
void MainWindow::closePanel() {
    if (QDockWidget* dock = focusedDock()) {
        stepPanel(1);
        dock->close();
    }
}

void MainWindow::floatPanel() {
    if (QDockWidget* dock = focusedDock()) {
        dock->setFloating(!dock->isFloating());
        dock->activateWindow();
        giveKeyboard(dock->widget(), Qt::ShortcutFocusReason);
    }
}

} // namespace aotscope::views
