// The window without a mouse: every panel and field can be reached, shows its focus, and can be left; every
// command has a key.
#include "keyboard_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "panels/compiles_panel.h"
#include "panels/text_panel.h"
#include "window/quick_pick.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSet>
#include <QTimer>

#include <map>

using namespace aotscope;
using namespace aotscope::views;

class WindowKeyboardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
    void init() { test::OwnSettings::clear(); }

    /// A panel whose page turns while its graph is read took the keyboard that it had had once.
    void aPageThatComesBackTakesNoKeyboard() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        bench.window->panel<TextPanel>()->view()->setFocus();
        QVERIFY(bench.hasKeyboard(QStringLiteral("text")));
        auto* filter = bench.window->panel<CompilesPanel>()->findChild<QLineEdit*>();
        filter->setFocus();
        for (const char* name : {"forward", "dynamo", "backward"}) {
            QVERIFY(bench.select(bench.sibling(name)));
            QVERIFY(bench.idle());
            QCOMPARE(QApplication::focusWidget(), filter);
        }
    }

    void everyPanelHasAKeyThatPutsTheKeyboardThere() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        for (const QString& dock : test::panelIds()) {
            press(bench.window.get(), bench.show(dock)->shortcut());
            QTRY_VERIFY2_WITH_TIMEOUT(bench.hasKeyboard(dock),
                                      qPrintable(dock + QStringLiteral(": the keyboard is in ") +
                                                 nameOf(QApplication::focusWidget())),
                                      test::patience);
        }
    }

    /// Two told the keys of other commands; one of them locks the screen on many desktops.
    void aKeyThatATooltipTellsIsTheKeyOfACommand() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        QSet<QString> keys;
        for (const QAction* action : bench.window->findChildren<QAction*>()) {
            for (const QKeySequence& sequence : action->shortcuts()) {
                keys.insert(sequence.toString(QKeySequence::PortableText));
            }
        }
        const QRegularExpression told(QStringLiteral(R"(\((Ctrl\+(?:Alt|Shift)\+[A-Z0-9]+)\))"));
        int found = 0;
        for (const QWidget* widget : bench.window->findChildren<QWidget*>()) {
            auto matches = told.globalMatch(widget->toolTip());
            while (matches.hasNext()) {
                const QString key = matches.next().captured(1);
                ++found;
                QVERIFY2(keys.contains(key), qPrintable(nameOf(widget) + QStringLiteral(": ") + key));
            }
        }
        QVERIFY(found > 10);
    }

    void f6GoesThroughThePanelsInSightBothWays() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        press(bench.window.get(), bench.show(QStringLiteral("compiles"))->shortcut());
        QTRY_VERIFY_WITH_TIMEOUT(bench.hasKeyboard(QStringLiteral("compiles")), test::patience);
        for (const bool forward : {true, false}) {
            QStringList visited;
            for (int i = 0; i < 5; ++i) {
                press(bench.window.get(),
                      bench.window
                          ->action(forward ? QStringLiteral("nextPanel") : QStringLiteral("previousPanel"))
                          ->shortcut());
                const QDockWidget* dock = bench.dockOf(QApplication::focusWidget());
                QVERIFY(dock);
                visited.append(dock->objectName());
            }
            const QStringList there = {QStringLiteral("graph"), QStringLiteral("text"),
                                       QStringLiteral("inspector"), QStringLiteral("problems"),
                                       QStringLiteral("compiles")};
            const QStringList back = {QStringLiteral("problems"), QStringLiteral("inspector"),
                                      QStringLiteral("text"), QStringLiteral("graph"),
                                      QStringLiteral("compiles")};
            QCOMPARE(visited, forward ? there : back);
        }
    }

    void aPanelIsClosedFloatedAndBroughtBackByKeys() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        QDockWidget* inspector = bench.window->dock(QStringLiteral("inspector"));
        const QKeySequence shows = bench.show(QStringLiteral("inspector"))->shortcut();
        press(bench.window.get(), shows);
        QTRY_VERIFY_WITH_TIMEOUT(bench.hasKeyboard(QStringLiteral("inspector")), test::patience);
        press(bench.window.get(), bench.window->action(QStringLiteral("closePanel"))->shortcut());
        QTRY_VERIFY_WITH_TIMEOUT(inspector->isHidden(), test::patience);
        QVERIFY2(bench.dockOf(QApplication::focusWidget()), "the keyboard is nowhere");
        press(bench.window.get(), shows);
        QTRY_VERIFY_WITH_TIMEOUT(bench.hasKeyboard(QStringLiteral("inspector")), test::patience);
        const QKeySequence floats = bench.window->action(QStringLiteral("floatPanel"))->shortcut();
        press(bench.window.get(), floats);
        QTRY_VERIFY_WITH_TIMEOUT(inspector->isFloating() && bench.hasKeyboard(QStringLiteral("inspector")),
                                 test::patience);
        press(bench.window.get(), floats);
        QTRY_VERIFY_WITH_TIMEOUT(!inspector->isFloating(), test::patience);
    }

    void tabComesToEverythingAndStaysNowhere_data() {
        QTest::addColumn<QString>("dock");
        for (const QString& dock : test::panelIds()) {
            QTest::newRow(qPrintable(dock)) << dock;
        }
    }
    void tabComesToEverythingAndStaysNowhere() {
        QFETCH(QString, dock);
        KeyboardBench bench;
        QVERIFY(bench.start());
        press(bench.window.get(), bench.show(dock)->shortcut());
        QTRY_VERIFY_WITH_TIMEOUT(bench.hasKeyboard(dock), test::patience);
        QVERIFY(bench.idle());
        const QList<QWidget*> stops = bench.stopsIn(dock);
        QVERIFY(!stops.isEmpty());
        const QWidget* start = QApplication::focusWidget();
        const QList<QWidget*> round = bench.round(Qt::Key_Tab);
        QVERIFY2(QApplication::focusWidget() == start,
                 qPrintable(QStringLiteral("Tab stays at ") + nameOf(QApplication::focusWidget())));
        for (QWidget* stop : stops) {
            QVERIFY2(round.contains(stop), qPrintable(QStringLiteral("Tab never comes to ") + nameOf(stop)));
        }
        // The panel is gone through in one go, not left and come back to.
        int entries = 0;
        for (qsizetype i = 0; i < round.size(); ++i) {
            const QWidget* before = round[(i + round.size() - 1) % round.size()];
            entries += bench.hasKeyboard(dock) && bench.window->dock(dock)->isAncestorOf(round[i]) &&
                               !bench.window->dock(dock)->isAncestorOf(before)
                           ? 1
                           : 0;
        }
        QCOMPARE(entries, 1);
        QList<QWidget*> back = bench.round(Qt::Key_Backtab);
        QVERIFY2(QApplication::focusWidget() == start,
                 qPrintable(QStringLiteral("Shift+Tab stays at ") + nameOf(QApplication::focusWidget())));
        std::reverse(back.begin() + 1, back.end());
        QCOMPARE(back, round);
    }

    void whatHasTheKeyboardLooksDifferent_data() { tabComesToEverythingAndStaysNowhere_data(); }
    void whatHasTheKeyboardLooksDifferent() {
        QFETCH(QString, dock);
        KeyboardBench bench;
        QVERIFY(bench.start());
        QApplication::setCursorFlashTime(0);
        press(bench.window.get(), bench.show(dock)->shortcut());
        QTRY_VERIFY_WITH_TIMEOUT(bench.hasKeyboard(dock), test::patience);
        QVERIFY(bench.idle());
        const auto picture = [&](const QWidget* widget) {
            const QRect around(widget->mapTo(bench.window.get(), QPoint(-3, -3)),
                               widget->size() + QSize(6, 6));
            return bench.window->grab(around).toImage();
        };
        for (QWidget* stop : bench.stopsIn(dock)) {
            if (!stop->isVisible() || !stop->isEnabled()) {
                continue;
            }
            stop->setFocus(Qt::TabFocusReason);
            QCoreApplication::processEvents();
            const QImage with = picture(stop);
            stop->clearFocus();
            bench.window->menuBar()->setFocus();
            QCoreApplication::processEvents();
            const QImage without = picture(stop);
            int changed = 0;
            for (int y = 0; y < with.height(); ++y) {
                for (int x = 0; x < with.width(); ++x) {
                    changed += with.pixel(x, y) != without.pixel(x, y) ? 1 : 0;
                }
            }
            // More than a cursor.
            QVERIFY2(changed > 40,
                     qPrintable(QStringLiteral("nothing shows that the keyboard is in ") + nameOf(stop)));
        }
    }

    void everyCommandHasItsOwnKeySaysItAndIsInThePalette() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        std::map<QKeySequence, QString> keys;
        const QList<QAction*> actions = bench.window->findChildren<QAction*>();
        press(bench.window.get(), bench.window->action(QStringLiteral("palette"))->shortcut());
        auto* list = bench.window->quickPick()->findChild<QAbstractItemView*>();
        QTRY_VERIFY_WITH_TIMEOUT(list->isVisible() && list->model()->rowCount() > 0, test::patience);
        QStringList offered;
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            offered.append(list->model()->index(row, 0).data().toString());
        }
        int commands = 0;
        for (const QAction* action : actions) {
            if (bench.window->action(action->objectName()) != action) {
                continue; // Of a widget of Qt's own.
            }
            ++commands;
            QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->objectName()));
            QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)),
                     qPrintable(action->objectName() + QStringLiteral(": ") + action->toolTip()));
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(keys.try_emplace(key, action->objectName()).second,
                         qPrintable(key.toString() + QStringLiteral(" is of ") + keys[key] +
                                    QStringLiteral(" and ") + action->objectName()));
            }
            const bool isChoice = action->isCheckable() && action->actionGroup() != nullptr;
            const QString title = isChoice ? action->statusTip() : action->text().remove(QLatin1Char('&'));
            const bool isOffered = std::any_of(offered.begin(), offered.end(),
                                               [&](const QString& row) { return row.contains(title); });
            QVERIFY2(isOffered || !action->isEnabled(),
                     qPrintable(title + QStringLiteral(" is not in the palette")));
        }
        QVERIFY(commands > 50);
    }

    void everyEnabledCommandAnswersItsKey() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        press(bench.window.get(), bench.show(QStringLiteral("graph"))->shortcut());
        press(bench.window.get(), QKeySequence(Qt::Key_Down));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.selectedNode().empty(), test::patience);
        // What opens is closed again, as Esc does.
        QTimer closes;
        QObject::connect(&closes, &QTimer::timeout, &closes, [] {
            if (QWidget* popup = QApplication::activePopupWidget()) {
                popup->close();
            } else if (QWidget* modal = QApplication::activeModalWidget()) {
                QTest::keyClick(modal, Qt::Key_Escape);
            }
        });
        closes.start(20);
        QStringList answered;
        for (QAction* action : bench.window->findChildren<QAction*>()) {
            const QString name = action->objectName();
            const bool ends = name == QLatin1String("quit") || name == QLatin1String("closeLog");
            if (bench.window->action(name) != action || !action->isEnabled() || ends) {
                continue;
            }
            QSignalSpy triggered(action, &QAction::triggered);
            press(bench.window.get(), action->shortcut());
            QTRY_VERIFY2_WITH_TIMEOUT(
                !triggered.isEmpty(),
                qPrintable(name + QStringLiteral(" does not answer ") + action->shortcut().toString()),
                test::patience);
            QTRY_VERIFY_WITH_TIMEOUT(!QApplication::activeModalWidget() && !QApplication::activePopupWidget(),
                                     test::patience);
            // Offscreen nobody makes the window active again once a dialog is gone.
            bench.window->activateWindow();
            QTRY_VERIFY2_WITH_TIMEOUT(QApplication::focusWidget() != nullptr, qPrintable(name),
                                      test::patience);
            if (bench.window->quickPick()->isVisible()) {
                press(bench.window.get(), QKeySequence(Qt::Key_Escape));
                QTRY_VERIFY_WITH_TIMEOUT(!bench.window->quickPick()->isVisible(), test::patience);
            }
            QVERIFY(bench.idle());
            answered.append(name);
        }
        qInfo("%d commands answered", int(answered.size()));
        QVERIFY(answered.size() > 40);
    }

    void menusOpenByTheirKeyWhereTheyAreAsked() {
        KeyboardBench bench;
        QVERIFY(bench.start());
        for (const char* dock : {"compiles", "graph", "text"}) {
            bench.window->activateWindow(); // Offscreen nobody does once a menu is gone.
            QTRY_VERIFY2_WITH_TIMEOUT(bench.window->isActiveWindow(), dock, test::patience);
            press(bench.window.get(), bench.show(QLatin1String(dock))->shortcut());
            QTRY_VERIFY2_WITH_TIMEOUT(
                bench.hasKeyboard(QLatin1String(dock)),
                qPrintable(QLatin1String(dock) + QLatin1String(": ") + nameOf(QApplication::focusWidget())),
                test::patience);
            press(bench.window.get(), QKeySequence(Qt::Key_Down));
            int entries = 0;
            QTimer closes;
            QObject::connect(&closes, &QTimer::timeout, &closes, [&] {
                if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                    entries = int(menu->actions().size());
                    QTest::keyClick(menu, Qt::Key_Escape);
                }
            });
            closes.start(20);
            QWidget* focus = QApplication::focusWidget();
            const QPoint at = focus->inputMethodQuery(Qt::ImCursorRectangle).toRect().center();
            QContextMenuEvent event(QContextMenuEvent::Keyboard, at, focus->mapToGlobal(at));
            QApplication::sendEvent(focus, &event);
            QTRY_VERIFY2_WITH_TIMEOUT(entries > 0, dock, test::patience);
            QTRY_VERIFY_WITH_TIMEOUT(!QApplication::activePopupWidget(), test::patience);
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_keyboard, WindowKeyboardTest)
#include "tst_window_keyboard.moc"
