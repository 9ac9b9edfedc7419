// The Memory dock on real partitions: its contents, and how it and the other panels follow each other.
#include "common/compile_settings.h"
#include "common/current_graph.h"
#include "common/empty_page.h"
#include "common/log_list.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "memory/live_set_model.h"
#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "memory/peak_difference.h"
#include "memory/profile_svg.h"
#include "partition/current_partition.h"
#include "support/view_bench.h"
#include "support/window_test.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QTreeView>
#include <QWheelEvent>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The panel beside a Graph panel, with a partition of the sample log.
struct MemoryPanelBench : test::ViewBench {
    std::unique_ptr<CurrentGraph> graph = std::make_unique<CurrentGraph>(&engine, &hub, &logs);
    CompileSettings settings;
    std::unique_ptr<CurrentPartition> current =
        std::make_unique<CurrentPartition>(&engine, &hub, &logs, &settings);
    std::unique_ptr<GraphPanel> graphPanel = std::make_unique<GraphPanel>(context());
    std::unique_ptr<MemoryPanel> panel;
    session::PartitionSnapshotPtr split;

    MemoryPanelBench() {
        ViewContext shared = context();
        shared.graph = graph.get();
        shared.partition = current.get();
        panel = std::make_unique<MemoryPanel>(shared);
        panel->resize(1300, 320);
    }

    /// Waits for the partition that follows from the choices now.
    [[nodiscard]] bool hasSplit() {
        const bool answered = QTest::qWaitFor([this] { return current->isCurrent(); }, test::patience);
        split = current->snapshot();
        return answered;
    }

    [[nodiscard]] bool show() {
        panel->show();
        graphPanel->show();
        if (!QTest::qWaitForWindowExposed(panel.get(), test::patience) || !open(test::sampleLog())) {
            return false;
        }
        hub.select({reference("0/0", "joint"), {}});
        return hasSplit() &&
               QTest::qWaitFor([this] { return graph->graph() && graphPanel->shown() != nullptr; },
                               test::patience);
    }

    [[nodiscard]] MemoryCanvas* canvas() const { return panel->canvas(); }

    /// A pixel inside the picture of some value that has a band of its own.
    [[nodiscard]] QPoint pixelOfABand() const {
        for (int y = canvas()->height() - 40; y > 30; y -= 3) {
            for (int x = 100; x < canvas()->width() - 20; x += 7) {
                const memory::Band* band = canvas()->bandAt(QPointF(x, y));
                if (band != nullptr && band->range) {
                    return {x, y};
                }
            }
        }
        return {};
    }

    /// As the engine tells of a run that held what was predicted, but for one byte after the forward's last
    /// node; the fourth node took 100 µs and the others 1 µs each.
    [[nodiscard]] session::TrainingStepSnapshotPtr pretendedRun() const {
        const memory::MemoryProfile& profile = *split->profile;
        const auto half = [](const session::ArtifactReference& reference, const ir::GraphPtr& made) {
            auto snapshot = std::make_shared<session::GraphSnapshot>();
            snapshot->reference = reference;
            snapshot->graph = made;
            auto run = std::make_shared<session::RunSnapshot>();
            run->graph = snapshot;
            const memory::MemoryProfile own = memory::profileGraph(*made);
            for (const ir::NodeId node : made->order()) {
                if (made->node(node).op == ir::Opcode::Output) {
                    break;
                }
                session::NodeRun ran;
                ran.node = node;
                ran.nanoseconds = run->nodes.size() == 3 ? 100'000 : 1000;
                ran.aliveBytes = own.intermediateBytes[run->nodes.size()];
                ran.scratchBytes = made->node(node).target == "aten.mm.default" ? 1 << 20 : 0;
                run->nodes.push_back(ran);
            }
            return run;
        };
        auto forward = half(split->forward, split->partition->forward);
        forward->nodes.back().aliveBytes += 1;
        Q_ASSERT(forward->nodes.size() + 1 == profile.forwardEnd);
        return std::make_shared<const session::TrainingStepSnapshot>(
            session::TrainingStepSnapshot{forward, half(split->backward, split->partition->backward)});
    }

    void drag(const QPointF& from, const QPointF& to, Qt::KeyboardModifiers modifiers = {}) const {
        QTest::mousePress(canvas(), Qt::LeftButton, modifiers, from.toPoint());
        QTest::mouseMove(canvas(), ((from + to) / 2).toPoint());
        QTest::mouseMove(canvas(), to.toPoint());
        QTest::mouseRelease(canvas(), Qt::LeftButton, modifiers, to.toPoint());
    }
};

} // namespace

class TestMemoryPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutAStepItSaysHowToGetOne() {
        MemoryPanelBench bench;
        const QAbstractItemModelTester tester(bench.panel->model());
        QCOMPARE(bench.panel->model()->rowCount(), 0);
        QVERIFY(bench.panel->summary().isEmpty());
        QVERIFY(bench.panel->findChild<EmptyPage*>()->isEmpty());
        QVERIFY(bench.panel->findChild<EmptyPage*>()->message().contains(QStringLiteral("No step")));
    }

    void picturesOfTheCommandLineHaveTheWindowsColours() {
        for (std::size_t i = 0; i < memory::categoryCount; ++i) {
            const auto category = static_cast<memory::Category>(i);
            QCOMPARE(QColor(QString::fromStdString(memory::categoryColor(category))),
                     Theme::lightTheme().category(categoryOf(category)));
        }
    }

    void theTableListsWhatIsAliveAtThePeak() {
        MemoryPanelBench bench;
        const QAbstractItemModelTester tester(bench.panel->model());
        QVERIFY(bench.show());
        const memory::MemoryProfile& profile = *bench.split->profile;
        QCOMPARE(bench.canvas()->marker(), profile.peak.position);
        QCOMPARE(std::size_t(bench.panel->model()->rowCount()),
                 memory::aliveAt(profile, profile.peak.position).size());
        QCOMPARE(bench.panel->model()->total(), profile.peak.bytes);
        QVERIFY(bench.panel->summary().contains(QStringLiteral("peak")));
        QCOMPARE(bench.panel->orderChoice()->count(), 3);
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            const QImage picture = bench.pictureOf(*bench.panel);
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("memory-dark.png")
                                                         : QStringLiteral("memory-light.png"))));
        }
    }

    void aClickOnABandSelectsItsNodeEverywhere() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        const QPoint pixel = bench.pixelOfABand();
        QVERIFY(!pixel.isNull());
        const std::uint32_t range = *bench.canvas()->bandAt(pixel)->range;
        QTest::mouseClick(bench.canvas(), Qt::LeftButton, {}, pixel);
        QVERIFY(bench.hub.current());
        QCOMPARE(bench.hub.current()->node, bench.split->profile->ranges[range].name);
        QCOMPARE(bench.canvas()->look().selected, std::optional(range));
        // The graph that is shown has the node, so that it stays.
        QCOMPARE(bench.hub.current()->artifact, bench.reference("0/0", "joint"));
        auto* graphCanvas = bench.graphPanel->findChild<GraphCanvas*>();
        QTRY_VERIFY_WITH_TIMEOUT(graphCanvas->current().valid(), test::patience);
    }

    void aSelectionElsewhereHighlightsItsBandAndRow() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        const memory::LiveRange& largest =
            *memory::aliveAt(*bench.split->profile, bench.split->profile->peak.position).front();
        bench.hub.select({bench.reference("0/0", "forward"), largest.name});
        QVERIFY(bench.canvas()->look().selected);
        QCOMPARE(bench.split->profile->ranges[*bench.canvas()->look().selected].name, largest.name);
        QCOMPARE(bench.panel->model()->rangeAt(bench.panel->table()->currentIndex().row()), &largest);
    }

    void draggingThePeakFadesInTheGraphWhatIsNotAliveThere() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        QVERIFY(!bench.hub.spotlight());
        const QPointF from = bench.canvas()->pixelOfMarker();
        const double to = bench.canvas()->xOf(double(bench.split->profile->forwardEnd) / 2);
        bench.drag(from, {to, from.y()});
        const std::uint32_t position = bench.canvas()->marker();
        QVERIFY(std::abs(double(position) - bench.split->profile->forwardEnd / 2.0) <= 2);
        QVERIFY(bench.panel->dimChoice()->isChecked());
        const SpotlightPtr spotlight = bench.hub.spotlight();
        QVERIFY(spotlight);
        QVERIFY(!spotlight->filters);
        for (const memory::LiveRange& range : bench.split->profile->ranges) {
            const bool alive = range.from <= position && position <= range.last;
            if (alive) {
                QVERIFY(spotlight->nodes.contains(range.name));
            }
        }
        QCOMPARE(bench.panel->model()->total(), bench.split->profile->bytes[position]);
        auto* graphCanvas = bench.graphPanel->findChild<GraphCanvas*>();
        const GraphScenePtr scene = graphCanvas->scene();
        QVERIFY(scene);
        std::size_t lit = 0;
        for (std::uint32_t box = 0; box < scene->boxCount(); ++box) {
            lit += graphCanvas->look().kept.contains(box) ? 1 : 0;
        }
        QVERIFY(lit > 0);
        QVERIFY(lit < scene->boxCount());
        // Out of sight it fades nothing.
        bench.panel->hide();
        QVERIFY(!bench.hub.spotlight());
        QVERIFY(graphCanvas->look().kept.empty() || bench.hub.current()->node.size() > 0);
    }

    void aPickedStretchFiltersTheTables() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        const int y = bench.canvas()->height() / 2;
        const QPointF from(bench.canvas()->xOf(3.5), y);
        bench.drag(from, {bench.canvas()->xOf(12.5), double(y)}, Qt::ShiftModifier);
        const auto span = bench.canvas()->look().span;
        QVERIFY(span);
        QVERIFY(span->first <= 4 && span->first >= 2);
        QVERIFY(span->second <= 13 && span->second >= 11);
        std::size_t overlapping = 0;
        for (const memory::LiveRange& range : bench.split->profile->ranges) {
            overlapping += range.from <= span->second && span->first <= range.last ? 1 : 0;
        }
        QCOMPARE(std::size_t(bench.panel->model()->rowCount()), overlapping);
        QVERIFY(bench.hub.spotlight() && bench.hub.spotlight()->filters);
        QTest::keyClick(bench.canvas(), Qt::Key_Escape);
        QVERIFY(!bench.canvas()->look().span);
        QVERIFY(!bench.hub.spotlight());
        // As does a click with Shift, which picks nothing.
        bench.drag(from, {bench.canvas()->xOf(12.5), double(y)}, Qt::ShiftModifier);
        QVERIFY(bench.canvas()->look().span);
        QTest::mouseClick(bench.canvas(), Qt::LeftButton, Qt::ShiftModifier, bench.pixelOfABand());
        QVERIFY(!bench.canvas()->look().span);
        QVERIFY(bench.hub.current()->node.empty());
    }

    /// As in the graph and the timeline.
    void draggingPans() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        const MemoryLook& look = bench.canvas()->look();
        const double width = (look.to - look.from) / 4;
        const double from = width;
        bench.canvas()->showPart(from, from + width);
        const QPointF press(500, bench.canvas()->height() / 2.0);
        const double under =
            MemoryPainter::positionAt(look, MemoryPainter::plotOf(bench.canvas()->rect()), 500);
        QTest::mousePress(bench.canvas(), Qt::LeftButton, {}, press.toPoint());
        QTest::mouseMove(bench.canvas(), {480, int(press.y())});
        QCOMPARE(bench.canvas()->cursor().shape(), Qt::ClosedHandCursor);
        QTest::mouseMove(bench.canvas(), {460, int(press.y())});
        QTest::mouseRelease(bench.canvas(), Qt::LeftButton, {}, {460, int(press.y())});
        QCOMPARE(bench.canvas()->cursor().shape(), Qt::ArrowCursor);
        // What was under the mouse went with it.
        QVERIFY(std::abs(bench.canvas()->xOf(under) - 460) < 1e-6);
        QVERIFY(look.from > from);
        QVERIFY(std::abs(look.to - look.from - width) < 1e-6);
        QVERIFY(!look.span);
        QVERIFY(!bench.hub.spotlight());
        QVERIFY(bench.hub.current()->node.empty());
        // The other way, with the middle button.
        QTest::mousePress(bench.canvas(), Qt::MiddleButton, {}, {460, int(press.y())});
        QTest::mouseMove(bench.canvas(), press.toPoint());
        QTest::mouseRelease(bench.canvas(), Qt::MiddleButton, {}, press.toPoint());
        QVERIFY(std::abs(look.from - from) < 1e-6);
        QVERIFY(!look.span);
    }

    void keysAndWheelMoveThePicture() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        const MemoryLook& look = bench.canvas()->look();
        const double whole = look.to - look.from;
        QTest::keyClick(bench.canvas(), Qt::Key_W);
        QVERIFY(look.to - look.from < whole);
        const double from = look.from;
        QTest::keyClick(bench.canvas(), Qt::Key_D);
        QVERIFY(look.from > from);
        QTest::keyClick(bench.canvas(), Qt::Key_A);
        QVERIFY(std::abs(look.from - from) < 1e-6);
        QTest::keyClick(bench.canvas(), Qt::Key_S);
        QVERIFY(std::abs(look.to - look.from - whole) < 1e-6);
        // What is under the cursor stays there.
        const QPointF at(500, 100);
        const double before =
            MemoryPainter::positionAt(look, MemoryPainter::plotOf(bench.canvas()->rect()), 500);
        QWheelEvent wheel(at, bench.canvas()->mapToGlobal(at), {}, {0, 240}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(bench.canvas(), &wheel);
        const double after =
            MemoryPainter::positionAt(look, MemoryPainter::plotOf(bench.canvas()->rect()), 500);
        QVERIFY(look.to - look.from < whole);
        QVERIFY(std::abs(before - after) < 1e-6);
        QTest::keyClick(bench.canvas(), Qt::Key_F);
        QCOMPARE(look.to - look.from, whole);
        const std::uint32_t marker = bench.canvas()->marker();
        QTest::keyClick(bench.canvas(), Qt::Key_Left);
        QCOMPARE(bench.canvas()->marker(), marker - 1);
        QTest::keyClick(bench.canvas(), Qt::Key_P);
        QCOMPARE(bench.canvas()->marker(), marker);
    }

    void theDifferenceToEagerIsListedAndAddsUp() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        QComboBox* table = bench.panel->tableChoice();
        const int row = table->findData(int(MemoryOrder::Kind::Eager));
        QVERIFY(row >= 0);
        table->setCurrentIndex(row);
        Q_EMIT table->activated(row);
        QVERIFY(bench.panel->model()->comparing());
        QCOMPARE(bench.panel->model()->total(),
                 bench.split->profile->peak.bytes - bench.split->eagerProfile->peak.bytes);
        QCOMPARE(std::size_t(bench.panel->model()->rowCount()),
                 memory::compareAtPeak(*bench.split->eagerProfile, *bench.split->profile).size());
    }

    void aRunIsLaidOverTheBandsAndGivesTheAxisOfTime() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        const MemoryLook& look = bench.canvas()->look();
        QVERIFY(bench.panel->measureButton()->isEnabled());
        QVERIFY(!bench.panel->timeChoice()->isEnabled());
        bench.engine.hold();
        QTest::keyClick(bench.canvas(), Qt::Key_M);
        const auto* command = std::get_if<session::RunTrainingStep>(&bench.engine.sent().back());
        QVERIFY(command != nullptr);
        QCOMPARE(command->forward, bench.split->forward);
        QVERIFY(!bench.panel->measureButton()->isEnabled());
        const quint64 job = bench.engine.lastJob();
        const std::string tag = bench.engine.tagOfLast().toStdString();
        bench.engine.pretend({job, tag, bench.pretendedRun()});
        bench.engine.pretend({job, tag, session::Finished{}});
        QVERIFY(look.measured);
        QVERIFY(bench.panel->measureButton()->isEnabled());
        // The last node of the forward held one byte more than predicted.
        QCOMPARE(look.measured->differing.size(), std::size_t(1));
        QVERIFY2(bench.panel->summary().contains(QStringLiteral("differs at 1 node")),
                 qPrintable(bench.panel->summary()));
        QVERIFY(bench.panel->timeChoice()->isEnabled());

        const std::uint32_t marker = bench.canvas()->marker();
        const double wide = bench.canvas()->xOf(4) - bench.canvas()->xOf(3);
        QTest::keyClick(bench.canvas(), Qt::Key_T);
        QVERIFY(bench.panel->timeChoice()->isChecked());
        QVERIFY(look.axis().isTime());
        QCOMPARE(look.to - look.from, double(look.measured->start.back()));
        // The fourth node took a hundred times as long as each of the others.
        QVERIFY(bench.canvas()->xOf(4) - bench.canvas()->xOf(3) >
                50 * (bench.canvas()->xOf(6) - bench.canvas()->xOf(5)));
        QCOMPARE(bench.canvas()->marker(), marker);
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QVERIFY(bench.pictureOf(*bench.panel)
                        .save(test::artifactPath(dark ? QStringLiteral("memory-time-dark.png")
                                                      : QStringLiteral("memory-time-light.png"))));
        }
        // An operator that takes a megabyte for itself leaves the bands their half of the picture.
        const QRectF plot = MemoryPainter::plotOf(QRectF(bench.canvas()->rect()));
        QVERIFY(look.measured->highest > 10 * look.measured->peak.bytes);
        const QPointF underPeak(bench.canvas()->xOf(bench.split->profile->peak.position + 0.5),
                                plot.bottom() - 0.4 * plot.height());
        QVERIFY(bench.canvas()->bandAt(underPeak) != nullptr);
        // What is seen stays in sight from axis to axis.
        QTest::keyClick(bench.canvas(), Qt::Key_W);
        const double first = look.axis().positionAt(look.from);
        QTest::keyClick(bench.canvas(), Qt::Key_T);
        QVERIFY(!look.axis().isTime());
        QVERIFY(std::abs(look.from - first) < 1);
        QTest::keyClick(bench.canvas(), Qt::Key_F);
        QVERIFY(std::abs(bench.canvas()->xOf(4) - bench.canvas()->xOf(3) - wide) < 1e-6);

        // Halves made anew were not run.
        bench.engine.release();
        bench.current->setBudget(0.3);
        QVERIFY(bench.hasSplit());
        QVERIFY(!look.measured);
        QVERIFY(!bench.panel->timeChoice()->isEnabled());
    }

    void whyNothingWasMeasuredIsSaid() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        QComboBox* order = bench.panel->orderChoice();
        const int eager = order->findData(int(MemoryOrder::Kind::Eager));
        order->setCurrentIndex(eager);
        Q_EMIT order->activated(eager);
        QVERIFY(!bench.panel->measureButton()->isEnabled());
        QVERIFY(bench.panel->measureButton()->toolTip().contains(QStringLiteral("Eager")));
        order->setCurrentIndex(0);
        Q_EMIT order->activated(0);
        // This session has no LibTorch.
        QTest::mouseClick(bench.panel->measureButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->summary().contains(QStringLiteral("without LibTorch")),
                                 test::patience);
        QVERIFY(bench.panel->measureButton()->isEnabled());
        QVERIFY(!bench.canvas()->look().measured);
    }

    void otherChoicesKeepTheView() {
        MemoryPanelBench bench;
        QVERIFY(bench.show());
        QTest::keyClick(bench.canvas(), Qt::Key_W);
        const double shownShare = (bench.canvas()->look().to - bench.canvas()->look().from) /
                                  double(bench.split->profile->bytes.size());
        QComboBox* rounding = bench.panel->roundingChoice();
        rounding->setCurrentIndex(1);
        Q_EMIT rounding->activated(1);
        bench.current->setBudget(0.3);
        QVERIFY(bench.hasSplit());
        QCOMPARE(rounding->currentIndex(), 1);
        for (const memory::LiveRange& range : bench.split->profile->ranges) {
            QCOMPARE(range.bytes % 512, 0);
        }
        QVERIFY(std::abs((bench.canvas()->look().to - bench.canvas()->look().from) /
                             double(bench.split->profile->bytes.size()) -
                         shownShare) < 1e-6);
        QCOMPARE(bench.canvas()->marker(), bench.split->profile->peak.position);
    }
};

AOTSCOPE_WINDOW_TEST(tst_memory_panel, TestMemoryPanel)
#include "tst_memory_panel.moc"
