// Marks of a partition in the picture of its joint graph: the engine computes them for the shown picture.
#include "support/corpus.h"
#include "support/stalls.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "partition/current_partition.h"
#include "window/graph_dock.h"

#include <QComboBox>
#include <QDir>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct MarksBench : test::WindowBench {
    [[nodiscard]] const GraphCanvas* canvas() const {
        return window->panel<GraphDock>()->panel()->findChild<GraphCanvas*>();
    }
    /// Whether the marks that are shown are those of the picture and the partition that are shown.
    [[nodiscard]] bool marked() const {
        const CurrentPartition& split = *window->currentPartition();
        if (!split.isCurrent() || !canvas()->scene() || !canvas()->look().marks) {
            return false;
        }
        const GraphScene& scene = *canvas()->scene();
        const layout::SplitMarks wanted = layout::splitMarks(
            scene.graph(), scene.layout(), session::splitFacts(scene.graph(), *split.snapshot()));
        const layout::SplitMarks& shown = canvas()->look().marks->split();
        return shown.recomputed == wanted.recomputed && shown.saved == wanted.saved &&
               shown.edges == wanted.edges && shown.bands.size() == wanted.bands.size();
    }
    /// A saved value that can be computed again.
    [[nodiscard]] std::string choosable() const {
        const CurrentPartition& split = *window->currentPartition();
        for (const session::SavedTensor& row : split.snapshot()->saved) {
            const std::vector<std::string> names{row.name};
            if (!split.choosable(names).empty()) {
                return row.name;
            }
        }
        return {};
    }
};

} // namespace

class TestWindowMarks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aChoiceInALargeGraphIsMarkedWithoutAPause() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        MarksBench bench;
        QVERIFY(bench.open(QString::fromStdString(test::corpusTrace("huge_transformer").string())));
        QTRY_VERIFY_WITH_TIMEOUT(bench.canvas()->look().marks, test::patience);
        QVERIFY(bench.marked());
        QVERIFY(bench.window->currentGraph()->graph()->graph->size() > 20'000);
        const std::string node = bench.choosable();
        QVERIFY(!node.empty());
        for (const ColorBy by : {ColorBy::Kind, ColorBy::Fate}) {
            auto* combo = bench.window->panel<GraphDock>()->panel()->findChild<QComboBox*>(
                QStringLiteral("graphColorBy"));
            combo->setCurrentIndex(combo->findData(int(by)));
            test::Stalls stalls;
            const PartitionMarksPtr before = bench.canvas()->look().marks;
            QVERIFY(stalls.measured(by == ColorBy::Kind ? "a choice is marked" : "and coloured", [&] {
                bench.window->currentPartition()->force(std::vector<std::string>{node},
                                                        passes::Forced::Recompute);
                return QTest::qWaitFor(
                    [&] { return bench.canvas()->look().marks != before && bench.marked(); }, test::patience);
            }));
            bench.window->currentPartition()->undo();
            QTRY_VERIFY_WITH_TIMEOUT(bench.marked(), test::patience);
        }
    }

    void marksAreOfThePictureThatIsShown() {
        MarksBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        QTRY_VERIFY_WITH_TIMEOUT(bench.marked(), test::patience);
        const GraphScenePtr before = bench.canvas()->scene();
        auto* grouping =
            bench.window->panel<GraphDock>()->panel()->findChild<QComboBox*>(QStringLiteral("graphGrouping"));
        grouping->setCurrentIndex(grouping->findData(int(layout::Grouping::None)));
        Q_EMIT grouping->activated(grouping->currentIndex());
        QTRY_VERIFY_WITH_TIMEOUT(bench.canvas()->scene() != before, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.marked(), test::patience);
        QVERIFY(bench.select(bench.sibling("dynamo")));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.canvas()->look().marks, test::patience);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_marks, TestWindowMarks)
#include "tst_window_marks.moc"
