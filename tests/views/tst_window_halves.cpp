// The halves of a partition in the whole window.
#include "explore_bench.h"
#include "support/pictures.h"
#include "support/window_test.h"

#include "graph/coloring.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QComboBox>

#include <set>

using namespace aotscope;
using namespace aotscope::views;

class WindowHalvesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theHalvesOpenInTheGraphAndFollowTheChoices() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const session::ArtifactReference half = bench.split->snapshot()->backward;
        const std::string node = bench.choosableSaved();
        QVERIFY(bench.select(half));
        QCOMPARE(bench.window->currentGraph()->graph()->graph, bench.split->snapshot()->partition->backward);
        QVERIFY(bench.window->panel<GraphDock>()
                    ->kinds()
                    ->tabText(bench.window->panel<GraphDock>()->kinds()->currentIndex())
                    .contains(QStringLiteral("joint")));
        bench.split->force(std::vector<std::string>{node}, passes::Forced::Recompute);
        QVERIFY(bench.settled());
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph() &&
                                     bench.window->currentGraph()->graph()->graph ==
                                         bench.split->snapshot()->partition->backward,
                                 test::patience);
        const auto shown = [&] {
            const session::LayoutSnapshotPtr layout = bench.window->panel<GraphDock>()->panel()->shown();
            return layout && layout->graph->graph == bench.split->snapshot()->partition->backward;
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown(), test::patience);
    }

    /// A half is in no record of the log: the Payload dock says so and nothing fails.
    void aHalfHasNoPayloadAndThatIsNoProblem() {
        ExploreBench bench;
        QVERIFY(bench.start());
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<PayloadPanel>()->shown(), test::patience);
        QVERIFY(bench.select(bench.split->snapshot()->backward));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        QVERIFY(!bench.window->panel<PayloadPanel>()->shown());
        QCOMPARE(bench.window->panel<ProblemsPanel>()->model()->errors(), std::size_t(0));
        // Back at a record, its payload is there again.
        QVERIFY(bench.select(bench.sibling("joint")));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<PayloadPanel>()->shown(), test::patience);
    }

    void recomputedNodesAreMarkedInTheBackward() {
        ExploreBench bench;
        QVERIFY(bench.start());
        GraphPanel* panel = bench.window->panel<GraphDock>()->panel();
        auto* combo = panel->findChild<QComboBox*>(QStringLiteral("graphColorBy"));
        combo->setCurrentIndex(combo->findData(int(ColorBy::Fate)));
        const auto counted = [&](std::size_t entry) {
            const ColoringPtr coloring = panel->findChild<GraphCanvas*>()->look().coloring;
            return coloring && coloring->by == ColorBy::Fate ? coloring->entries[entry].count : 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(counted(0) > 0, test::patience);
        QVERIFY(bench.select(bench.split->snapshot()->backward));
        const auto marked = [&] {
            const session::LayoutSnapshotPtr shown = panel->shown();
            return shown && shown->graph->reference == bench.split->snapshot()->backward && counted(1) > 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(marked(), test::patience);
        QVERIFY(panel->grab().save(test::artifactPath(QStringLiteral("step-fates.png"))));
        // Whatever the colours are.
        combo->setCurrentIndex(combo->findData(int(ColorBy::Kind)));
        const auto* canvas = panel->findChild<GraphCanvas*>();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->look().marks, test::patience);
        const PartitionMarksPtr marks = canvas->look().marks;
        std::set<std::uint32_t> boxes;
        for (const session::RecomputedValue& value : bench.split->snapshot()->recomputed) {
            const auto node = canvas->scene()->graph().tryFind(value.name);
            QVERIFY(node);
            QVERIFY(marks->split().recomputed[canvas->scene()->boxOf(*node).index()]);
            boxes.insert(canvas->scene()->boxOf(*node).index());
        }
        QCOMPARE(marks->split().recomputedNodes, bench.split->snapshot()->recomputed.size());
        QCOMPARE(std::size_t(std::ranges::count(marks->split().recomputed, true)), boxes.size());
        QVERIFY(marks->split().bands.empty());
        QVERIFY(panel->grab().save(test::artifactPath(QStringLiteral("step-recomputed.png"))));
        // Dynamo's graph is not of the partition.
        QVERIFY(bench.select(bench.sibling("dynamo")));
        combo->setCurrentIndex(combo->findData(int(ColorBy::Fate)));
        QTRY_VERIFY_WITH_TIMEOUT(counted(0) == 0 && counted(1) == 0, test::patience);
        QVERIFY(!canvas->look().marks);
    }

    /// The picture stays beside an artifact that is no graph, and so does what is said of it.
    void anArtifactLeavesThePictureAndItsMarks() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const auto* canvas = bench.window->panel<GraphDock>()->panel()->findChild<GraphCanvas*>();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->look().marks, test::patience);
        const session::ArtifactReference joint = bench.sibling("joint");
        const QString tab = bench.window->panel<GraphDock>()->kinds()->tabText(
            bench.window->panel<GraphDock>()->kinds()->currentIndex());
        bench.window->selection()->select({bench.sibling("torch._functorch.config"), {}});
        QVERIFY(canvas->look().marks);
        QVERIFY(bench.split->concerns(joint));
        QCOMPARE(bench.window->panel<GraphDock>()->panel()->shown()->graph->reference, joint);
        QCOMPARE(bench.window->panel<GraphDock>()->kinds()->tabText(
                     bench.window->panel<GraphDock>()->kinds()->currentIndex()),
                 tab);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_halves, WindowHalvesTest)
#include "tst_window_halves.moc"
