// The Budget dock in the whole window: dragging the budget changes the graph, the tables and the memory
// picture.
#include "support/pictures.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "budget/budget_canvas.h"
#include "budget/budget_panel.h"
#include "budget/budget_sweeps.h"
#include "common/theme.h"
#include "graph/coloring.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "partition/current_partition.h"
#include "partition/saved_model.h"
#include "partition/saved_panel.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QAction>
#include <QComboBox>
#include <QDockWidget>

#include <algorithm>

#include <set>

using namespace aotscope;
using namespace aotscope::views;

class TestWindowBudget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void behindAnotherTabNothingIsTried() {
        test::WindowBench bench;
        int sweeps = 0;
        connect(&bench.engine, &EngineClient::started, this,
                [&](quint64, const QString& tag) { sweeps += tag == BudgetSweeps::tag() ? 1 : 0; });
        QVERIFY(bench.open(test::sampleLogPath()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentPartition()->isCurrent(), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        QCOMPARE(sweeps, 0);
        QVERIFY(!bench.window->panel<BudgetPanel>()->isVisible());
        bench.window->action(QStringLiteral("show-budget"))->trigger();
        QVERIFY(bench.window->panel<BudgetPanel>()->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(sweeps, 1, test::patience);
        bench.window->action(QStringLiteral("show-saved"))->trigger();
        QVERIFY(!bench.window->panel<BudgetPanel>()->isVisible());
    }

    void draggingTheBudgetMovesEverythingElse() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        QVERIFY(bench.select(bench.sibling("joint")));
        const CurrentPartition* split = bench.window->currentPartition();
        bench.window->action(QStringLiteral("show-budget"))->trigger();
        const BudgetPanel* panel = bench.window->panel<BudgetPanel>();
        BudgetCanvas* canvas = panel->canvas();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->look().sweep && !canvas->look().outdated && split->isCurrent(),
                                 test::patience);
        // Where no window manager runs, no window is active.
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(), static_cast<QWidget*>(canvas), test::patience);
        GraphPanel* graph = bench.window->panel<GraphDock>()->panel();
        auto* combo = graph->findChild<QComboBox*>(QStringLiteral("graphColorBy"));
        QVERIFY(combo);
        combo->setCurrentIndex(combo->findData(int(ColorBy::Fate)));
        const auto savedBoxes = [&]() -> std::size_t {
            const ColoringPtr coloring = graph->findChild<GraphCanvas*>()->look().coloring;
            return coloring && coloring->by == ColorBy::Fate ? coloring->entries.front().count : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(savedBoxes() > 0, test::patience);
        const std::size_t boxes = savedBoxes();
        const auto marks = [&] { return graph->findChild<GraphCanvas*>()->look().marks; };
        QTRY_VERIFY_WITH_TIMEOUT(marks(), test::patience);
        const std::size_t empty = marks()->split().againValues;
        const int rows = bench.window->panel<SavedPanel>()->model()->rowCount();

        const QPoint from = canvas->pixelOfHandle().toPoint();
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        for (int percent = 95; percent >= 20; percent -= 5) {
            QTest::mouseMove(canvas, {int(canvas->xOf(percent / 100.0)), from.y()});
        }
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, {int(canvas->xOf(0.2)), from.y()});
        QTRY_VERIFY_WITH_TIMEOUT(split->isCurrent(), test::patience);
        const session::BudgetSweepPoint& point = canvas->look().sweep->points[4];
        QCOMPARE(split->budget(), point.budget);
        QCOMPARE(split->snapshot()->savedBytes, point.savedBytes);
        QCOMPARE(split->snapshot()->saved.size(), point.saved);
        QCOMPARE(std::size_t(bench.window->panel<SavedPanel>()->model()->rowCount()), point.saved);
        QVERIFY(bench.window->panel<SavedPanel>()->model()->rowCount() < rows);
        QTRY_VERIFY_WITH_TIMEOUT(savedBoxes() < boxes, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bandsTell(*graph->findChild<GraphCanvas*>(), *split->snapshot()),
                                 test::patience);
        QVERIFY(marks()->split().againValues > empty);
        QCOMPARE(bench.window->panel<MemoryPanel>()->canvas()->look().scene->profile().peak.bytes,
                 point.peakBytes);
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            QVERIFY(bench.window->grab().save(
                test::artifactPath(dark ? QStringLiteral("window-budget-dark.png")
                                        : QStringLiteral("window-budget-light.png"))));
        }
    }

private:
    /// The bands carry what is saved, with the bytes of the Saved panel.
    static bool bandsTell(const GraphCanvas& canvas, const session::PartitionSnapshot& split) {
        const layout::SplitMarks& marks = canvas.look().marks->split();
        std::set<std::string> carried;
        for (const layout::Band& band : marks.bands) {
            std::int64_t bytes = 0;
            for (const std::uint32_t index : band.saved) {
                carried.insert(canvas.scene()->graph().node(marks.saved[index].node).name);
                bytes += marks.saved[index].bytes;
            }
            if (bytes != band.bytes) {
                return false;
            }
        }
        std::set<std::string> saved;
        for (const session::SavedTensor& tensor : split.saved) {
            saved.insert(tensor.name);
        }
        return marks.savedBytes == split.savedBytes && carried == saved;
    }

    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_budget, TestWindowBudget)
#include "tst_window_budget.moc"
