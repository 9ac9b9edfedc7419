// Where the keyboard is in the whole window, and what commands do there.
#include "panels_bench.h"
#include "support/window_test.h"

#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/problems_panel.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "partition/saved_panel.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/keys_dialog.h"
#include "window/quick_pick.h"

#include <QAction>
#include <QLineEdit>
#include <QMap>
#include <QPushButton>
#include <QShortcut>
#include <QTabBar>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

class WindowFocusTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void goToFindsANodeAndThePaletteRunsACommand() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QuickPick* pick = bench.window->quickPick();
        const std::string wanted = bench.nameOf(bench.graph().graph->order().back());
        bench.window->parts().goTo->open(QStringLiteral("@") + QString::fromStdString(wanted));
        QTRY_VERIFY_WITH_TIMEOUT(pick->model()->rowCount() > 0, test::patience);
        pick->pickCurrent();
        QCOMPARE(bench.selectedNode(), wanted);
        for (const bool dark : {false, true}) {
            bench.window->parts().goTo->openCommandPalette();
            pick->input()->setText(dark ? QStringLiteral(">dark") : QStringLiteral(">light"));
            QTRY_VERIFY_WITH_TIMEOUT(pick->model()->rowCount() > 0, test::patience);
            pick->pickCurrent();
            QCOMPARE(bench.theme.theme().dark, dark);
        }
    }

    void theKeyboardBeginsInThePicture() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(), static_cast<QWidget*>(bench.canvas()),
                                  test::patience);
    }

    /// Asked for while the first picture is still being laid out.
    void aPanelAskedForKeepsTheKeyboard() {
        PanelsBench bench;
        CurrentGraph* graph = bench.window->currentGraph();
        connect(
            graph, &CurrentGraph::graphChanged, graph,
            [&] { bench.window->action(QStringLiteral("show-memory"))->trigger(); },
            Qt::SingleShotConnection);
        QVERIFY(bench.openSample());
        // The page that says what will be here has it until the profile comes.
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(),
                                  static_cast<QWidget*>(bench.window->panel<MemoryPanel>()->canvas()),
                                  test::patience);
    }

    /// W, A, S and D mean the picture then, not the filter that had the keyboard before.
    void aClickedTabTakesTheKeyboard() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        bench.window->panel<CompilesPanel>()->view()->setFocus();
        bench.window->action(QStringLiteral("find"))->trigger();
        for (QTabBar* tabs : bench.window->findChildren<QTabBar*>()) {
            for (int tab = 0; tab < tabs->count(); ++tab) {
                if (tabs->tabText(tab) == QLatin1String("Memory")) {
                    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
                }
            }
        }
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(),
                                  static_cast<QWidget*>(bench.window->panel<MemoryPanel>()->canvas()),
                                  test::patience);
    }

    void theKeyboardInATableChoosesNoNode() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QVERIFY(bench.run());
        auto* table = bench.window->panel<RunPanel>()->view();
        QVERIFY(table->model()->rowCount() > 1);
        QFocusEvent taken(QEvent::FocusIn, Qt::TabFocusReason);
        QCoreApplication::sendEvent(table, &taken);
        QCOMPARE(bench.selectedNode(), std::string());
        QTest::keyClick(table, Qt::Key_Down);
        QVERIFY(!bench.selectedNode().empty());
    }

    void findLooksWhereTheKeyboardIs() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        // Where no window manager runs nobody else gives it the keyboard.
        bench.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(bench.window.get(), test::patience));
        const auto press = [&](QWidget* widget) {
            widget->setFocus(Qt::OtherFocusReason);
            QTest::keyClick(widget, Qt::Key_F, Qt::ControlModifier);
            return bench.window->focusWidget();
        };
        const auto* search =
            bench.window->panel<GraphDock>()->findChild<QLineEdit*>(QStringLiteral("graphSearchInput"));
        QCOMPARE(press(bench.canvas()), search);
        const auto* inText = bench.window->panel<TextPanel>()->findChild<QLineEdit*>();
        QCOMPARE(press(bench.text()), inText);
        for (QWidget* panel : {static_cast<QWidget*>(bench.window->panel<CompilesPanel>()),
                               static_cast<QWidget*>(bench.window->panel<ProblemsPanel>()),
                               static_cast<QWidget*>(bench.window->panel<SavedPanel>())}) {
            const auto name = panel == bench.window->panel<ProblemsPanel>() ? "problems"
                              : panel == bench.window->panel<SavedPanel>()  ? "saved"
                                                                            : "compiles";
            bench.raise(name);
            QCOMPARE(press(panel->findChild<QTreeView*>()),
                     panel->findChild<QLineEdit*>(QStringLiteral("panelFilter")));
        }
        // Where nothing can be found, in the picture.
        bench.raise("run");
        QCOMPARE(press(bench.window->panel<RunPanel>()->findChild<QPushButton*>()), search);
    }

    void noTwoCommandsHaveOneKey() {
        PanelsBench bench;
        QVERIFY(bench.openSample());
        QMap<QString, QStringList> commands;
        for (const QAction* action : bench.window->findChildren<QAction*>()) {
            for (const QKeySequence& key : action->shortcuts()) {
                if (action->shortcutContext() == Qt::WindowShortcut) {
                    commands[key.toString()].append(action->text());
                }
            }
        }
        QVERIFY(commands.size() > 30);
        for (auto key = commands.begin(); key != commands.end(); ++key) {
            QVERIFY2(key->size() == 1, qPrintable(key.key() + QStringLiteral(": ") + key->join(u", ")));
        }
        for (const QShortcut* shortcut : bench.window->findChildren<QShortcut*>()) {
            QVERIFY2(!commands.contains(shortcut->key().toString()), qPrintable(shortcut->key().toString()));
        }
    }

    void everyCommandIsOnThePageOfKeys() {
        test::WindowBench bench;
        std::vector<QAction*> actions;
        for (const char* name : {"open", "goBack", "palette", "retrace", "why", "keys"}) {
            actions.push_back(bench.window->action(QLatin1String(name)));
        }
        const QString page = keysHtml(actions, bench.theme);
        for (const QAction* action : actions) {
            QVERIFY(page.contains(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped()));
            QVERIFY(page.contains(action->statusTip().toHtmlEscaped()));
        }
        for (const char* menu : {"File", "Go", "Run", "Partition", "Help"}) {
            QVERIFY(page.contains(QStringLiteral("<h4>%1</h4>").arg(QLatin1String(menu))));
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_focus, WindowFocusTest)
#include "tst_window_focus.moc"
