// The Budget dock on real partitions: its curves equal the engine's and PyTorch's, and its handle changes the
// partition.
#include "budget/budget_canvas.h"
#include "budget/budget_panel.h"
#include "common/compile_settings.h"
#include "common/current_graph.h"
#include "common/empty_page.h"
#include "common/log_list.h"
#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "partition/current_partition.h"
#include "partition/saved_model.h"
#include "partition/saved_panel.h"
#include "passes/alternative.h"
#include "support/view_bench.h"
#include "support/window_test.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProgressBar>

#include <algorithm>
#include <set>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// What torch 2.11's partitioner saves of the sample's joint graph, by solver and budget.
QJsonObject recordedAnswers() {
    QFile file(QStringLiteral(AOTSCOPE_SOURCE_DIR "/tests/golden/budget_answers.json"));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QJsonObject programs =
        QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("programs")].toObject();
    for (const QString& name : programs.keys()) {
        if (name.startsWith(QStringLiteral("transformer_encoder_layer."))) {
            return programs[name].toObject();
        }
    }
    return {};
}

std::set<std::string> namesOf(const QJsonArray& array) {
    std::set<std::string> names;
    for (const QJsonValue& value : array) {
        names.insert(value.toString().toStdString());
    }
    return names;
}

/// The panel beside others that must follow it, with a partition of the sample log.
struct BudgetPanelBench : test::ViewBench {
    std::unique_ptr<CurrentGraph> graph = std::make_unique<CurrentGraph>(&engine, &hub, &logs);
    CompileSettings settings;
    std::unique_ptr<CurrentPartition> current =
        std::make_unique<CurrentPartition>(&engine, &hub, &logs, &settings);
    std::unique_ptr<MemoryPanel> memory;
    std::unique_ptr<SavedPanel> saved;
    std::unique_ptr<BudgetPanel> panel;

    BudgetPanelBench() {
        ViewContext shared = context();
        shared.graph = graph.get();
        shared.partition = current.get();
        memory = std::make_unique<MemoryPanel>(shared);
        saved = std::make_unique<SavedPanel>(shared);
        panel = std::make_unique<BudgetPanel>(shared);
        panel->resize(1000, 320);
    }

    [[nodiscard]] bool openSample() {
        if (!open(test::sampleLog())) {
            return false;
        }
        hub.select({reference("0/0", "joint"), {}});
        return settled();
    }
    /// Waits for the partition that follows from the choices now.
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return current->isCurrent(); }, test::patience);
    }
    /// Waits for the curves of the choices now.
    [[nodiscard]] bool swept() const {
        return QTest::qWaitFor(
            [this] { return canvas()->look().sweep && !canvas()->look().outdated && settled(); },
            test::patience);
    }
    [[nodiscard]] bool show() {
        panel->show();
        return QTest::qWaitForWindowExposed(panel.get(), test::patience) && openSample() && swept();
    }
    [[nodiscard]] BudgetCanvas* canvas() const { return panel->canvas(); }
    [[nodiscard]] const session::BudgetSweepSnapshot& sweep() const { return *canvas()->look().sweep; }
    [[nodiscard]] std::size_t sweepsSent() const {
        return std::size_t(std::ranges::count_if(engine.sent(), [](const session::Command& command) {
            return std::holds_alternative<session::SweepBudgets>(command);
        }));
    }
    [[nodiscard]] std::set<std::string> savedNames() const {
        std::set<std::string> names;
        for (const session::SavedTensor& row : current->snapshot()->saved) {
            names.insert(row.name);
        }
        return names;
    }
    void take(QComboBox* combo, int index) const {
        combo->setCurrentIndex(index);
        Q_EMIT combo->activated(index);
    }
};

} // namespace

class TestBudgetPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutAStepItSaysHowToGetOne() {
        BudgetPanelBench bench;
        bench.panel->show();
        QVERIFY(bench.panel->findChild<EmptyPage*>()->message().contains(QStringLiteral("No step")));
        QCOMPARE(bench.sweepsSent(), std::size_t(0));
        QVERIFY(!bench.panel->sweepAction()->isEnabled());
        QVERIFY(!bench.panel->cancelAction()->isEnabled());
    }

    void nothingIsSweptWhileThePanelIsOutOfSight() {
        BudgetPanelBench bench;
        QVERIFY(bench.openSample());
        QCOMPARE(bench.sweepsSent(), std::size_t(0));
        bench.panel->show();
        QVERIFY(bench.swept());
        QCOMPARE(bench.sweepsSent(), std::size_t(1));
    }

    void theCurvesAreThoseOfTheEngine() {
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        const session::PartitionSnapshot& split = *bench.current->snapshot();
        QCOMPARE(bench.sweep().points.size(), std::size_t(21));
        for (std::size_t i = 0; i < bench.sweep().points.size(); ++i) {
            const session::BudgetSweepPoint& point = bench.sweep().points[i];
            const auto made =
                passes::budgetPoint(split.joint->graph, split.options, static_cast<double>(i) / 20);
            QVERIFY(made.ok());
            QCOMPARE(point.budget, made->budget);
            QCOMPARE(point.savedBytes, made->savedBytes);
            QCOMPARE(point.recomputedFlops, made->flops);
            QCOMPARE(point.saved, made->saved);
            QCOMPARE(point.stage, made->stage);
        }
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            const QImage picture = bench.pictureOf(*bench.panel);
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("budget-dark.png")
                                                         : QStringLiteral("budget-light.png"))));
        }
    }

    void aClickOnAPointSavesWhatPyTorchSavesForItsBudget() {
        const QJsonObject recorded = recordedAnswers();
        QCOMPARE(recorded.size(), 5);
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        bench.take(bench.panel->stepsChoice(), 0);
        for (int solver = 0; solver < bench.panel->solverChoice()->count(); ++solver) {
            bench.take(bench.panel->solverChoice(), solver);
            QVERIFY(bench.swept());
            QCOMPARE(bench.sweep().points.size(), std::size_t(11));
            const QJsonObject budgets = recorded[bench.panel->solverChoice()->itemText(solver)].toObject();
            QCOMPARE(budgets.size(), 9);
            for (const int tenth : {1, 5, 9}) {
                const std::set<std::string> wanted =
                    namesOf(budgets[QStringLiteral("0.%1").arg(tenth)].toArray());
                QTest::mouseClick(bench.canvas(), Qt::LeftButton, {},
                                  bench.canvas()->pixelOf(BudgetCurve::Saved, std::size_t(tenth)).toPoint());
                QVERIFY(bench.settled());
                const session::BudgetSweepPoint& point = bench.sweep().points[std::size_t(tenth)];
                QCOMPARE(bench.current->budget(), point.budget);
                QCOMPARE(bench.savedNames(), wanted);
                QCOMPARE(point.saved, wanted.size());
                QCOMPARE(point.savedBytes, bench.current->snapshot()->savedBytes);
                QCOMPARE(point.peakBytes, bench.current->snapshot()->profile->peak.bytes);
            }
        }
    }

    void draggingTheHandleChangesTheStepForEveryPanel() {
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        QSignalSpy steps(bench.current.get(), &CurrentPartition::partitionChanged);
        QSignalSpy chosen(bench.canvas(), &BudgetCanvas::budgetChosen);
        const std::int64_t before = bench.current->snapshot()->savedBytes;
        const QPoint from = bench.canvas()->pixelOfHandle().toPoint();
        QTest::mousePress(bench.canvas(), Qt::LeftButton, {}, from);
        QCOMPARE(chosen.count(), 0);
        for (const double budget : {0.83, 0.52, 0.22, 0.0}) {
            QTest::mouseMove(bench.canvas(), {int(bench.canvas()->xOf(budget)), from.y()});
            QVERIFY(std::abs(bench.current->budget() - budget) < 0.011);
        }
        QTest::mouseRelease(bench.canvas(), Qt::LeftButton, {}, {int(bench.canvas()->xOf(0)), from.y()});
        QCOMPARE(chosen.count(), 4);
        QCOMPARE(bench.current->budget(), 0.0);
        QVERIFY(bench.settled());
        QVERIFY(steps.count() >= 1);
        const session::PartitionSnapshot& split = *bench.current->snapshot();
        QVERIFY(split.savedBytes < before);
        QCOMPARE(split.savedBytes, bench.sweep().points.front().savedBytes);
        QCOMPARE(std::size_t(bench.saved->model()->rowCount()), split.saved.size());
        QCOMPARE(bench.memory->canvas()->look().scene->profile().peak.bytes, split.profile->peak.bytes);
        QVERIFY(bench.panel->summary().contains(QStringLiteral("budget 0.00")));
        // Another budget is no other sweep, and one drag is one thing to undo.
        QCOMPARE(bench.sweepsSent(), std::size_t(1));
        bench.current->undo();
        QVERIFY(bench.settled());
        QCOMPARE(bench.current->snapshot()->savedBytes, before);
        QCOMPARE(bench.canvas()->look().budget, 1.0);
    }

    void twoQuickDragsAreTwoThingsToUndo() {
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        const auto budget = [&] { return bench.current->budget(); };
        const auto drag = [&](std::initializer_list<double> stops) {
            const QPoint from = bench.canvas()->pixelOfHandle().toPoint();
            QTest::mousePress(bench.canvas(), Qt::LeftButton, {}, from);
            for (const double stop : stops) {
                QTest::mouseMove(bench.canvas(), {int(bench.canvas()->xOf(stop)), from.y()});
            }
            QTest::mouseRelease(bench.canvas(), Qt::LeftButton, {},
                                {int(bench.canvas()->xOf(*(stops.end() - 1))), from.y()});
            return budget();
        };
        const double first = drag({0.9, 0.7});
        const double second = drag({0.5, 0.4, 0.3});
        QVERIFY(first > 0.65 && first < 0.75 && second < 0.35);
        bench.current->undo();
        QCOMPARE(budget(), first);
        bench.current->undo();
        QCOMPARE(budget(), 1.0);
        QVERIFY(!bench.current->canUndo());
        // A drag that ends where it began leaves nothing to undo.
        QCOMPARE(drag({0.6, 1.0}), 1.0);
        QVERIFY(!bench.current->canUndo());
        // Each press of a key is a choice of its own.
        QTest::keyClick(bench.canvas(), Qt::Key_Left);
        QTest::keyClick(bench.canvas(), Qt::Key_Left);
        QCOMPARE(budget(), 0.9);
        bench.current->undo();
        QCOMPARE(budget(), 0.95);
        bench.current->undo();
        QCOMPARE(budget(), 1.0);
        QVERIFY(bench.settled());
    }

    void keysMoveTheHandle() {
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        const auto budget = [&] { return bench.current->budget(); };
        QTest::keyClick(bench.canvas(), Qt::Key_Left);
        QCOMPARE(budget(), 0.95);
        QTest::keyClick(bench.canvas(), Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(budget(), 0.94);
        QTest::keyClick(bench.canvas(), Qt::Key_Right);
        QCOMPARE(budget(), 0.95);
        QTest::keyClick(bench.canvas(), Qt::Key_Home);
        QCOMPARE(budget(), 0.0);
        QTest::keyClick(bench.canvas(), Qt::Key_Left);
        QCOMPARE(budget(), 0.0);
        QTest::keyClick(bench.canvas(), Qt::Key_End);
        QCOMPARE(budget(), 1.0);
        QVERIFY(bench.settled());
    }

    void otherChoicesAreSweptOnceAndThenKnown() {
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        const session::BudgetSweepSnapshotPtr first = bench.canvas()->look().sweep;
        const session::PartitionSnapshotPtr split = bench.current->snapshot();
        const auto row = std::ranges::find_if(split->saved, [&](const session::SavedTensor& saved) {
            const std::vector<std::string> names{saved.name};
            return !bench.current->choosable(names).empty();
        });
        QVERIFY(row != split->saved.end());
        const std::vector<std::string> forced{row->name};
        bench.current->force(forced, passes::Forced::Recompute);
        // The old curves stay, marked as such.
        QCOMPARE(bench.canvas()->look().sweep, first);
        QVERIFY(bench.canvas()->look().outdated);
        QVERIFY(bench.swept());
        QVERIFY(bench.canvas()->look().sweep != first);
        const session::BudgetSweepPoint& last = bench.sweep().points.back();
        QVERIFY(last.recomputed > first->points.back().recomputed);
        QCOMPARE(last.savedBytes, bench.current->snapshot()->savedBytes);
        QCOMPARE(last.recomputedFlops, bench.current->snapshot()->recomputedFlops);
        QCOMPARE(bench.sweepsSent(), std::size_t(2));
        bench.current->releaseAll();
        QCOMPARE(bench.canvas()->look().sweep, first);
        QVERIFY(!bench.canvas()->look().outdated);
        QCOMPARE(bench.sweepsSent(), std::size_t(2));
    }

    void aSweepCanBeStoppedAndAskedAnew() {
        BudgetPanelBench bench;
        QVERIFY(bench.openSample());
        bench.engine.hold();
        bench.panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.panel.get(), test::patience));
        // Where no window manager runs, nobody else does it.
        bench.panel->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(bench.panel.get(), test::patience));
        QVERIFY(bench.panel->sweeps()->running());
        QVERIFY(bench.panel->progress()->isVisible());
        base::ProgressState state;
        state.stage = "Budgets";
        state.done = 7;
        state.total = 20;
        bench.engine.pretend({bench.engine.lastJob(), "budgets", session::Progressed{state}});
        QCOMPARE(bench.panel->progress()->value(), 7);
        QCOMPARE(bench.panel->progress()->maximum(), 20);
        bench.canvas()->setFocus();
        QTest::keyClick(bench.canvas(), Qt::Key_Escape);
        QVERIFY(!bench.panel->sweeps()->running());
        QVERIFY(!bench.panel->progress()->isVisible());
        QVERIFY(bench.panel->sweepAction()->isEnabled());
        QVERIFY(!bench.canvas()->look().sweep);
        bench.engine.release();
        QTest::keyClick(bench.canvas(), Qt::Key_R);
        QVERIFY(bench.swept());
        QCOMPARE(bench.sweepsSent(), std::size_t(2));
        QVERIFY(!bench.panel->sweepAction()->isEnabled());
    }

    void withoutInputsThePeakIsThatOfTheIntermediates() {
        BudgetPanelBench bench;
        QVERIFY(bench.show());
        const QPointF before = bench.canvas()->pixelOf(BudgetCurve::Peak, 0);
        bench.panel->inputsChoice()->setChecked(false);
        QVERIFY(bench.canvas()->pixelOf(BudgetCurve::Peak, 0) != before);
        const session::BudgetSweepPoint& point = bench.sweep().points.front();
        QCOMPARE(peakOf(point, false), point.intermediatePeakBytes);
        QVERIFY(point.intermediatePeakBytes < point.peakBytes);
    }
};

AOTSCOPE_WINDOW_TEST(tst_budget_panel, TestBudgetPanel)
#include "tst_budget_panel.moc"
