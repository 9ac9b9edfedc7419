#pragma once

#include "support/window_bench.h"

#include "graph/graph_panel.h"
#include "partition/current_partition.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>

#include <map>
#include <set>

namespace aotscope::views {

inline QString nameOf(const QWidget* widget) {
    if (widget == nullptr) {
        return QStringLiteral("nothing");
    }
    const QString name = widget->objectName().isEmpty() ? widget->accessibleName() : widget->objectName();
    return QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ') + name +
           QLatin1Char(' ') + widget->toolTip().left(40);
}

/// Presses a key in the widget with the focus.
inline void press(QWidget* window, const QKeySequence& keys) {
    const QKeyCombination key = keys[0];
    QWidget* const focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : window, key.key(), key.keyboardModifiers());
}

struct KeyboardBench : test::WindowBench {
    /// A window with something in every panel that a fake backend can fill.
    [[nodiscard]] bool start() {
        if (!open(test::sampleLogPath()) || !QTest::qWaitForWindowExposed(window.get(), test::patience)) {
            return false;
        }
        // Where no window manager runs nobody else gives it the keyboard.
        window->activateWindow();
        if (!QTest::qWaitForWindowActive(window.get(), test::patience)) {
            return false;
        }
        return QTest::qWaitFor(
                   [this] {
                       return window->currentPartition()->snapshot() &&
                              window->panel<GraphDock>()->panel()->shown();
                   },
                   test::patience) &&
               idle();
    }
    [[nodiscard]] bool idle() const {
        return QTest::qWaitFor([this] { return !window->parts().jobs->busy(); }, test::patience);
    }
    [[nodiscard]] QAction* show(const QString& dock) const {
        return window->action(QStringLiteral("show-") + dock);
    }
    [[nodiscard]] bool hasKeyboard(const QString& dock) const {
        const QWidget* focus = QApplication::focusWidget();
        return focus != nullptr && window->dock(dock)->isAncestorOf(focus);
    }
    [[nodiscard]] QDockWidget* dockOf(const QWidget* widget) const {
        for (const QString& name : test::panelIds()) {
            if (QDockWidget* dock = window->dock(name); dock->isAncestorOf(widget)) {
                return dock;
            }
        }
        return nullptr;
    }
    /// What Tab (or Shift+Tab) goes through from here until it is back.
    [[nodiscard]] QList<QWidget*> round(Qt::Key key) const {
        QList<QWidget*> seen;
        constexpr int most = 400;
        for (int i = 0; i < most; ++i) {
            QWidget* focus = QApplication::focusWidget();
            if (focus == nullptr || (seen.size() > 1 && focus == seen.first())) {
                break;
            }
            if (seen.contains(focus) && seen.last() != focus) {
                QStringList names;
                for (const QWidget* each : seen) {
                    names.append(nameOf(each));
                }
                qWarning("Tab goes in a circle that leads back to %s: %s", qPrintable(nameOf(focus)),
                         qPrintable(names.join(QStringLiteral(", "))));
                break;
            }
            if (seen.isEmpty() || seen.last() != focus) {
                seen.append(focus); // In a text Tab goes from link to link.
            }
            QTest::keyClick(focus, key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
        }
        return seen;
    }
    /// Everything in the dock that Tab should come to.
    [[nodiscard]] QList<QWidget*> stopsIn(const QString& dock) const {
        QList<QWidget*> stops;
        for (QWidget* widget : window->dock(dock)->findChildren<QWidget*>()) {
            const bool wanted = (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isEnabled() &&
                                widget->isVisible() && !widget->visibleRegion().isEmpty() &&
                                widget->focusProxy() == nullptr && !widget->isWindow();
            if (wanted) {
                stops.append(widget);
            }
        }
        return stops;
    }
};

} // namespace aotscope::views
