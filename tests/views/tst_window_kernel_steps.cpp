// Steps through a call by fused kernel: where they lead, and that the Kernels dock follows the current point.
#include "steps_bench.h"

#include "common/code_edit.h"
#include "common/shown_kernels.h"
#include "kernels/kernel_model.h"
#include "kernels/kernel_page.h"
#include "kernels/kernel_source.h"
#include "kernels/kernels_panel.h"
#include "steps/step_bar.h"

#include <QComboBox>
#include <QDockWidget>
#include <QTextBlock>

using namespace aotscope;
using namespace aotscope::views;

namespace {

constexpr std::size_t atRelu = 4;
constexpr std::size_t atView = 5;
constexpr std::size_t atCopy = 6;
constexpr std::size_t behind = 7;

/// fakeCallRecord with three nodes more in the forward: a relu and its copy, which one kernel computes, and a
/// view between them.
steps::CallRecord recordWithKernel() {
    steps::CallRecord record = test::fakeCallRecord();
    const auto node = [](const char* name, const char* target) {
        return test::eventOf(steps::EventKind::ForwardNode, 2, 1, name, 1'000, target);
    };
    record.events.insert(record.events.begin() + atRelu,
                         {node("relu", "aten.relu.default"), node("detach_1", "aten.detach.default"),
                          node("clone_3", "aten.clone.default")});
    record.wrappers[0].exit = *record.wrappers[0].exit + 3;
    record.wrappers[1].exit = *record.wrappers[1].exit + 3;
    record.wrappers[2].entry += 3;
    record.wrappers[2].exit = *record.wrappers[2].exit + 3;
    return record;
}

struct KernelStepsBench : test::StepsBench {
    [[nodiscard]] KernelsPanel* kernels() const { return window->panel<KernelsPanel>(); }
    [[nodiscard]] KernelSource* source() const { return kernels()->page()->source(); }
    void byFusedKernel() const {
        trigger("show-kernels");
        kernels()->groupingBox()->setCurrentIndex(KernelsPanel::FusedKernels);
    }
    /// The kernels of the forward half are there.
    [[nodiscard]] bool planned() const {
        const session::PartitionSnapshotPtr split = window->currentPartition()->snapshot();
        return QTest::qWaitFor(
            [&] {
                const session::KernelPlanSnapshotPtr& plan = window->parts().context.kernels->plan();
                return plan && plan->graph->reference == split->forward &&
                       kernels()->model()->graph() == plan->graph;
            },
            test::patience);
    }
    [[nodiscard]] QString chosenRow() const {
        const QModelIndexList rows = kernels()->list()->selectionModel()->selectedRows(KernelModel::Name);
        return rows.size() == 1 ? rows.front().data().toString() : QString();
    }
    /// The marked lines of the kernel's source.
    [[nodiscard]] QStringList marked() const {
        QStringList lines;
        for (const int line : source()->edit()->relatedLines()) {
            lines.append(source()->edit()->document()->findBlockByNumber(line - 1).text());
        }
        return lines;
    }
};

} // namespace

class WindowKernelStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aRecordedCallIsSteppedThroughByKernel() {
        KernelStepsBench bench;
        test::answerCalls(*bench.backend, recordWithKernel());
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        // By node each node is a step.
        bench.call()->goTo(atRelu);
        bench.trigger("stepOperator");
        QCOMPARE(bench.point(), atView);
        bench.byFusedKernel();
        bench.call()->goTo(atRelu);
        QVERIFY(bench.planned());
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("before relu in fused_relu")));
        bench.trigger("stepOperator");
        QCOMPARE(bench.point(), behind);
        bench.trigger("stepBack");
        QCOMPARE(bench.point(), atRelu);
        bench.trigger("stepInto");
        QCOMPARE(bench.point(), atView);
        bench.trigger("stepOperator");
        QCOMPARE(bench.point(), atCopy);
        bench.trigger("stepBackOut");
        QCOMPARE(bench.point(), atRelu);
        bench.trigger("stepInto");
        bench.trigger("stepOut");
        QCOMPARE(bench.point(), behind);
        bench.kernels()->groupingBox()->setCurrentIndex(KernelsPanel::Nodes);
        bench.trigger("stepBack");
        QCOMPARE(bench.point(), atCopy);
    }

    void theDockFollowsToTheKernelAndItsLines() {
        KernelStepsBench bench;
        test::answerCalls(*bench.backend, recordWithKernel());
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        bench.byFusedKernel();
        bench.call()->goTo(atRelu);
        QVERIFY(bench.planned());
        QTRY_VERIFY_WITH_TIMEOUT(bench.chosenRow().startsWith(QStringLiteral("fused_relu")), test::patience);
        const QString kernel = bench.chosenRow();
        QVERIFY(bench.source()->kernel());
        QCOMPARE(QString::fromStdString(bench.source()->kernel()->name), kernel);
        const QStringList ofRelu = bench.marked();
        QVERIFY(!ofRelu.filter(QStringLiteral("relu")).isEmpty());
        // In the view between them the kernel stays; the copy has other lines.
        bench.trigger("stepInto");
        QCOMPARE(bench.chosenRow(), kernel);
        bench.trigger("stepInto");
        QCOMPARE(bench.chosenRow(), kernel);
        QVERIFY(!bench.marked().filter(QStringLiteral("clone_3")).isEmpty());
        QVERIFY(bench.marked() != ofRelu);
        // What a person wrote into the text moves the lines.
        const QStringList ofClone = bench.marked();
        bench.source()->edit()->setPlainText(QStringLiteral("// mine\n") +
                                             bench.source()->edit()->toPlainText());
        QCOMPARE(bench.marked(), ofClone);
        // A product is ATen's own kernel, without source.
        bench.call()->goTo(3);
        QCOMPARE(bench.chosenRow(), QStringLiteral("addmm"));
        QVERIFY(!bench.source()->kernel());
        QVERIFY(bench.marked().isEmpty());
    }

    void aPausedCallIsAskedForStepsByKernel() {
        KernelStepsBench bench;
        std::vector<steps::EventFacts> facts(recordWithKernel().events.size());
        for (const std::size_t event : {atRelu, atView, atCopy}) {
            facts[event].kernel = "fused_relu_clone_1";
        }
        bool wantedAtStart = false;
        std::vector<std::optional<bool>> wanted;
        test::answerCalls(*bench.backend);
        bench.backend->onCall = [&](const session::CallRequest&, const steps::StepPauses& pauses,
                                    base::Progress&) {
            wantedAtStart = pauses.byFusedKernel;
            steps::StepPauses noted = pauses;
            noted.onPause = [&](steps::StepPause pause) {
                steps::StepAnswer answer = pauses.onPause(std::move(pause));
                wanted.push_back(answer.byFusedKernel);
                return answer;
            };
            return test::stepThrough(recordWithKernel(), noted, facts);
        };
        QVERIFY(bench.start());
        bench.byFusedKernel();
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        bench.call()->goTo(atRelu);
        QVERIFY(bench.awaitPause(atRelu));
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("in fused_relu_clone_1")));
        bench.trigger("stepOperator");
        QVERIFY(bench.awaitPause(behind));
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("over fused_relu_clone_1")));
        bench.trigger("stepBack");
        QVERIFY(bench.awaitPause(atRelu));
        bench.trigger("stepInto");
        QVERIFY(bench.awaitPause(atView));
        bench.kernels()->groupingBox()->setCurrentIndex(KernelsPanel::Operators);
        QVERIFY(!bench.wrappers()->bar()->said().contains(QStringLiteral("in fused_relu")));
        bench.trigger("stepBack");
        QVERIFY(bench.awaitPause(atRelu));
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
        QVERIFY(wantedAtStart);
        QVERIFY(wanted.front() == true);
        QVERIFY(wanted.at(4) == false);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_kernel_steps, WindowKernelStepsTest)
#include "tst_window_kernel_steps.moc"
