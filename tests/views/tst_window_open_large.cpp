// Large logs in the whole window: many compiles, a compile of many records, a large graph.
#include "support/corpus.h"
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/stalls.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/log_list.h"
#include "graph/graph_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/quick_pick.h"

#include <QTreeView>

#include <fstream>
#include <functional>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// One compile that holds the records of a whole log.
std::string logOfOneCompile(std::size_t graphs) {
    std::string block = test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText());
    for (const char* name : {"before_post_grad_graph", "torch._functorch.config", "fx_graph_cache_hash"}) {
        block += test::payloadRecord(
            R"("artifact": {"name": ")" + std::string(name) + R"(", "encoding": "string"})", 0, name);
    }
    std::string log = test::dynamoStart(0);
    log.reserve(log.size() + graphs * block.size());
    for (std::size_t i = 0; i < graphs; ++i) {
        log += block;
    }
    return log;
}

} // namespace

class WindowOpenLargeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void twentyThousandCompilesOpen() {
        const test::TempFolder folder;
        const auto path = folder.write("many.log", test::logOfCompiles(20'000));
        test::WindowBench bench;
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        test::Stalls stalls;
        CompileModel* model = bench.window->panel<CompilesPanel>()->model();
        QVERIFY(stalls.measured("20,000 compiles open", [&] {
            bench.window->openPaths({QString::fromStdString(path.string())});
            return QTest::qWaitFor([&] { return model->shownCompiles() == 20'000; }, test::patience) &&
                   QTest::qWaitFor([&] { return bench.window->currentGraph()->graph() != nullptr; },
                                   test::patience);
        }));
        // Every change is answered once, after it.
        const auto measured = [&](const QString& what, const std::function<void()>& work) {
            return stalls.measured(qPrintable(what), [&] {
                QSignalSpy arranged(model, &CompileModel::arranged);
                work();
                return arranged.isEmpty() &&
                       QTest::qWaitFor([&] { return !arranged.isEmpty(); }, test::patience);
            });
        };
        QVERIFY(measured(QStringLiteral("one of 20,000 compiles found"),
                         [&] { model->setFilter(QStringLiteral("19999/0")); }));
        QCOMPARE(model->shownCompiles(), std::size_t(1));
        QVERIFY(measured(QStringLiteral("20,000 compiles shown again"), [&] { model->setFilter({}); }));
        QCOMPARE(model->shownCompiles(), std::size_t(20'000));
        QTreeView* view = bench.window->panel<CompilesPanel>()->view();
        for (int column = 0; column < CompileModel::ColumnCount; ++column) {
            for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                QVERIFY(
                    measured(QStringLiteral("20,000 compiles sorted by %1")
                                 .arg(model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()),
                             [&] { view->sortByColumn(column, order); }));
            }
        }
        view->sortByColumn(CompileModel::Id, Qt::DescendingOrder);
        const auto first = [&] { return model->index(0, CompileModel::Id, model->index(0, 0)).data(); };
        QTRY_COMPARE_WITH_TIMEOUT(first().toString(), QStringLiteral("19999/0"), test::patience);
    }

    /// Large logs are filtered and sorted beside the window's thread.
    void aLargeLogShowsTheLastFilter() {
        constexpr std::uint32_t compiles = 3'000;
        const test::TempFolder folder;
        const auto path = folder.write("many.log", test::logOfCompiles(compiles));
        test::WindowBench bench;
        CompileModel* model = bench.window->panel<CompilesPanel>()->model();
        QTreeView* view = bench.window->panel<CompilesPanel>()->view();
        QVERIFY(bench.open(QString::fromStdString(path.string())));
        QTRY_COMPARE_WITH_TIMEOUT(model->shownCompiles(), std::size_t(compiles), test::patience);
        const auto selectedRow = [&] { return view->currentIndex().siblingAtColumn(0).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(selectedRow(), QStringLiteral("0/0"), test::patience);
        QSignalSpy resets(model, &QAbstractItemModel::modelReset);
        model->setFilter(QStringLiteral("299"));
        model->setFilter(QStringLiteral("2999/0"));
        QCOMPARE(model->shownCompiles(), std::size_t(compiles));
        QTRY_COMPARE_WITH_TIMEOUT(model->shownCompiles(), std::size_t(1), test::patience);
        QCOMPARE(resets.size(), 1);
        // A log that grows keeps what is shown of it, and only what matches comes.
        std::ofstream(path, std::ios::binary | std::ios::app)
            << test::dynamoStart(12'999) << test::dynamoStart(compiles);
        QTRY_COMPARE_WITH_TIMEOUT(model->shownCompiles(), std::size_t(2), test::patience);
        QCOMPARE(resets.size(), 1);
        view->sortByColumn(CompileModel::Id, Qt::DescendingOrder);
        const auto firstRow = [&] { return model->index(0, 0, model->index(0, 0)).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(firstRow(), QStringLiteral("12999/0"), test::patience);
        QCOMPARE(resets.size(), 1);
        // An answer about a log that was closed is not shown.
        model->setFilter({});
        bench.window->openPaths({test::sampleLogPath()});
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), 2, test::patience);
        Q_EMIT bench.window->panel<CompilesPanel>()->closeRequested(0);
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), 1, test::patience);
        const auto& sample = *bench.window->logs()->logs().begin()->second;
        QTRY_COMPARE_WITH_TIMEOUT(model->shownCompiles(), countCompiles(sample), test::patience);
    }

    void aCompileOfAWholeLogsRecordsOpens() {
        constexpr std::size_t graphs = 30'000;
        const test::TempFolder folder;
        const auto path = folder.write("one.log", logOfOneCompile(graphs));
        test::WindowBench bench;
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        test::Stalls stalls;
        QVERIFY(stalls.measured("one compile of 120,000 artifacts opens", [&] {
            bench.window->openPaths({QString::fromStdString(path.string())});
            return QTest::qWaitFor([&] { return bench.window->currentGraph()->graph() != nullptr; },
                                   test::patience) &&
                   QTest::qWaitFor([&] { return !bench.window->parts().jobs->busy(); }, test::patience);
        }));
        for (const char* name : {"joint#2", "joint#30000", "fx_graph_cache_hash#20000", "joint"}) {
            QVERIFY(stalls.measured(name, [&] {
                bench.window->selection()->select({bench.sibling(name), {}});
                return true;
            }));
        }
        QVERIFY(stalls.measured("its artifacts picked", [&] {
            return QTest::qWaitFor([&] { return bench.window->currentGraph()->graph() != nullptr; },
                                   test::patience);
        }));
        CompilesPanel* panel = bench.window->panel<CompilesPanel>();
        const QModelIndex compile = panel->model()->index(0, 0, panel->model()->index(0, 0));
        QVERIFY(stalls.measured("its row opened", [&] {
            panel->view()->expand(compile);
            return true;
        }));
        QCOMPARE(panel->model()->rowCount(compile), static_cast<int>(graphs * 4));
        QuickPick* pick = bench.window->quickPick();
        QVERIFY(stalls.measured("go to anything", [&] {
            bench.window->parts().goTo->open({});
            return QTest::qWaitFor([&] { return pick->model()->matchCount() > 10'000; }, test::patience);
        }));
        QVERIFY(stalls.measured("an artifact typed", [&] {
            // Enter waits for what is typed to be looked for.
            QTest::keyClicks(pick->input(), QStringLiteral("joint#4321"));
            QTest::keyClick(pick->input(), Qt::Key_Return);
            return QTest::qWaitFor(
                [&] { return bench.window->selection()->current()->artifact.artifact == "joint#4321"; },
                test::patience);
        }));
    }

    void theLargestGraphOfTheCorpusOpens() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        test::WindowBench bench;
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        test::Stalls stalls;
        QVERIFY(stalls.measured("the largest graph opens", [&] {
            bench.window->openPaths({QString::fromStdString(test::corpusTrace("huge_transformer").string())});
            return QTest::qWaitFor(
                [&] {
                    return bench.window->currentGraph()->graph() &&
                           bench.window->panel<GraphDock>()->panel()->shown() &&
                           !bench.window->parts().jobs->busy();
                },
                test::patience);
        }));
        QVERIFY(bench.window->currentGraph()->graph()->graph);
        QVERIFY(bench.window->currentGraph()->graph()->graph->size() > 5'000);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_open_large, WindowOpenLargeTest)
#include "tst_window_open_large.moc"
