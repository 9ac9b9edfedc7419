// Graphs with very many nodes in every panel: nothing may block the window's thread.
#include "support/corpus.h"
#include "support/small_graphs.h"
#include "support/stalls.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/log_list.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "memory/live_set_model.h"
#include "memory/memory_panel.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "partition/current_partition.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/quick_pick.h"

#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QTabBar>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// A chain whose second node is used by the next `users` nodes. `factor` occurs in every node.
std::string longGraph(int nodes, int users, const std::string& factor) {
    const auto name = [](int i) { return i == 0 ? std::string("arg0_1") : "add_" + std::to_string(i); };
    std::string text = "class GraphModule(torch.nn.Module):\n"
                       "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n";
    for (int i = 1; i <= nodes; ++i) {
        const int other = i > 2 && i <= users + 2 ? 2 : std::max(0, i - 2);
        text += "        " + name(i) + ": \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.add.Tensor(" + name(i - 1) +
                ", " + name(other) + ", alpha = " + (i % 10 == 0 ? factor : "2") + ")\n";
    }
    return text + "        return (" + name(nodes) + ",)\n        \n";
}

std::string logOf(const std::vector<std::string>& graphs) {
    std::string log;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        const std::string ids =
            "\"frame_id\": " + std::to_string(i) + ", \"frame_compile_id\": 0, \"attempt\": 0";
        log += test::graphRecord("aot_inference_graph", ids, graphs[i]);
    }
    return log;
}

struct LargeBench : test::WindowBench {
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return !window->parts().jobs->busy(); }, test::patience);
    }
    /// Opens a panel and waits for what it asks of the engine.
    [[nodiscard]] bool show(const char* dock) const {
        window->action(QStringLiteral("show-") + QLatin1String(dock))->trigger();
        return test::Watchdog().awaitTurns() && settled();
    }
    [[nodiscard]] bool switchTheme(bool dark) {
        test::Stalls stalls;
        const auto choose = [this](bool toDark) {
            theme.choose(toDark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            return true;
        };
        return stalls.measuredAtBest(
            dark ? "the dark theme" : "the light theme", [&] { choose(!dark); },
            [&] { return choose(dark); });
    }
    test::TempFolder folder;
};

} // namespace

class WindowLargeGraphsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aGraphOfAHundredThousandNodes() {
        LargeBench bench;
        const auto path = bench.folder.write("long.log", logOf({longGraph(100'000, 20'000, "2")}));
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        test::Stalls stalls;
        QVERIFY(stalls.measured("a graph of 100,000 nodes opens", [&] {
            bench.window->openPaths({QString::fromStdString(path.string())});
            return QTest::qWaitFor([&] { return bench.window->currentGraph()->graph() != nullptr; },
                                   test::patience) &&
                   bench.settled();
        }));
        QCOMPARE(bench.window->currentGraph()->graph()->graph->size(), std::size_t(100'002));
        CodeView* text = bench.window->panel<TextPanel>()->view();
        QVERIFY(stalls.measured("its text", [&] {
            return bench.show("text") &&
                   QTest::qWaitFor([&] { return text->lineCount() > 100'000; }, test::patience);
        }));
        QVERIFY(stalls.measured("as logged", [&] {
            bench.window->panel<TextPanel>()->showLogged(true);
            return QTest::qWaitFor([&] { return text->lineCount() > 100'000; }, test::patience);
        }));
        QSignalSpy found(text, &CodeView::found);
        QVERIFY(stalls.measured("searched to its end", [&] {
            text->find(QRegularExpression(QStringLiteral("return .add_100000")));
            return QTest::qWaitFor([&] { return !found.isEmpty(); }, test::patience);
        }));
        QVERIFY(found.first().first().toBool());
        QVERIFY(bench.show("inspector"));
        QVERIFY(stalls.measured("a node of 20,000 users is selected", [&] {
            bench.window->currentGraph()->selectNode(
                *bench.window->currentGraph()->graph()->graph->tryFind("add_2"));
            return bench.settled();
        }));
        QVERIFY(bench.show("run"));
        QVERIFY(stalls.measured("it ran", [&] {
            return bench.run() &&
                   QTest::qWaitFor(
                       [&] { return bench.window->panel<RunPanel>()->model()->rowCount() > 100'000; },
                       test::patience);
        }));
        RunModel* runs = bench.window->panel<RunPanel>()->model();
        for (int column = 0; column < runs->columnCount(); ++column) {
            QSignalSpy sorted(runs, &QAbstractItemModel::modelReset);
            QVERIFY(stalls.measured(qPrintable(QStringLiteral("100,000 rows sorted by %1").arg(column)), [&] {
                bench.window->panel<RunPanel>()->view()->sortByColumn(column, Qt::DescendingOrder);
                return QTest::qWaitFor([&] { return !sorted.isEmpty(); }, test::patience);
            }));
        }
        bench.window->panel<RunPanel>()->view()->sortByColumn(RunModel::Node, Qt::DescendingOrder);
        QTRY_COMPARE_WITH_TIMEOUT(runs->index(0, RunModel::Node).data().toString(), QStringLiteral("output"),
                                  test::patience);
        QCOMPARE(runs->index(1, RunModel::Node).data().toString(), QStringLiteral("arg0_1"));
        QVERIFY(stalls.measured("a node far away is selected", [&] {
            bench.window->currentGraph()->selectNode(
                *bench.window->currentGraph()->graph()->graph->tryFind("add_99000"));
            return bench.settled();
        }));
        QuickPick* pick = bench.window->quickPick();
        QVERIFY(stalls.measured("go to a node", [&] {
            bench.window->parts().goTo->open(QStringLiteral("@"));
            return QTest::qWaitFor([&] { return pick->model()->matchCount() > 100'000; }, test::patience);
        }));
        QVERIFY(stalls.measured("and its name typed", [&] {
            for (const QChar letter : QStringLiteral("add_1234")) {
                QTest::keyClick(pick->input(), letter.toLatin1());
                QCoreApplication::processEvents();
            }
            return QTest::qWaitFor(
                [&] { return pick->model()->matchCount() > 0 && pick->model()->matchCount() < 100; },
                test::patience);
        }));
        QTest::keyClick(pick->input(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(bench.selectedNode(), std::string("add_1234"), test::patience);
        for (const bool dark : {true, false}) {
            QVERIFY(bench.switchTheme(dark));
        }
        QVERIFY(stalls.measured("it is closed", [&] {
            Q_EMIT bench.window->panel<CompilesPanel>()->closeRequested(
                bench.window->logs()->logs().begin()->first);
            return QTest::qWaitFor([&] { return bench.window->logs()->logs().empty(); }, test::patience);
        }));
    }

    void twoGraphsOfTwentyThousandNodesAreCompared() {
        LargeBench bench;
        const auto path =
            bench.folder.write("two.log", logOf({longGraph(20'000, 10, "2"), longGraph(20'000, 10, "3")}));
        QVERIFY(bench.open(path.string()));
        QVERIFY(bench.settled());
        const auto left = bench.sibling("inference");
        auto right = left;
        right.compile = load::CompileId::parse("1/0").value();
        ComparePanel* panel = bench.window->panel<ComparePanel>();
        test::Stalls stalls;
        QVERIFY(stalls.measured("two graphs of 20,000 nodes compared", [&] {
            Q_EMIT bench.window->panel<CompilesPanel>()->compareRequested(left, right);
            return QTest::qWaitFor([&] { return panel->shown() != nullptr; }, test::patience) &&
                   bench.settled();
        }));
        QVERIFY(panel->shown()->diff.differences.size() >= 2'000);
        auto* tabs = panel->findChild<QTabBar*>();
        QVERIFY(tabs);
        for (int tab = 0; tab < tabs->count(); ++tab) {
            QVERIFY(stalls.measured(qPrintable(tabs->tabText(tab)), [&] {
                tabs->setCurrentIndex(tab);
                return true;
            }));
        }
        auto* table = panel->findChild<QTreeView*>(QStringLiteral("compareTable"));
        QVERIFY(stalls.measured("the last difference picked", [&] {
            const QModelIndex last = table->model()->index(table->model()->rowCount() - 1, 0);
            table->scrollTo(last);
            table->setCurrentIndex(last);
            Q_EMIT table->clicked(last);
            return bench.settled();
        }));
    }

    void theMemoryOfTheLargestGraphOfTheCorpus() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        LargeBench bench;
        QVERIFY(bench.open(QString::fromStdString(test::corpusTrace("huge_transformer").string())));
        QVERIFY(QTest::qWaitFor([&] { return bench.window->currentPartition()->snapshot() != nullptr; },
                                test::patience));
        QVERIFY(bench.settled());
        MemoryPanel* panel = bench.window->panel<MemoryPanel>();
        test::Stalls stalls;
        QVERIFY(stalls.measured("the memory of 20,000 nodes", [&] {
            return bench.show("memory") &&
                   QTest::qWaitFor([&] { return panel->model()->rowCount() > 0; }, test::patience);
        }));
        for (int order = 0; order < panel->orderChoice()->count(); ++order) {
            QVERIFY(stalls.measured(qPrintable(panel->orderChoice()->itemText(order)), [&] {
                const QSignalSpy shown(panel->model(), &QAbstractItemModel::modelReset);
                panel->orderChoice()->setCurrentIndex(order);
                Q_EMIT panel->orderChoice()->activated(order);
                return QTest::qWaitFor([&] { return !shown.isEmpty(); }, test::patience);
            }));
        }
        QVERIFY(stalls.measured("the saved tensors", [&] { return bench.show("saved"); }));
        QVERIFY(stalls.measured("the budgets", [&] { return bench.show("budget"); }));
        for (const bool dark : {true, false}) {
            QVERIFY(bench.switchTheme(dark));
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_large_graphs, WindowLargeGraphsTest)
#include "tst_window_large_graphs.moc"
