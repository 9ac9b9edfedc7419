// The whole window with the real engine and the real LibTorch.
#include "support/corpus.h"
#include "support/pictures.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/verdict_label.h"
#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "retrace/retrace_panel.h"
#include "retrace/stage_bar.h"
#include "steps/current_call.h"
#include "steps/stack_canvas.h"
#include "steps/wrappers_panel.h"
#include "torch_module.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>

#include <algorithm>
#include <filesystem>
#include <string>

using namespace aotscope;
using namespace aotscope::views;

class WindowTorchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theJointGraphRunsAndItsRowsHoldNumbers() {
        test::WindowBench bench(app::torchBackendFactory());
        QVERIFY(bench.open(test::sampleLogPath()));
        QCOMPARE(bench.window->selection()->current()->artifact.artifact, std::string("joint"));
        QVERIFY(bench.run());
        const session::RunSnapshotPtr run = bench.window->currentGraph()->run();
        QVERIFY2(!run->error, run->error ? run->error->text().c_str() : "");
        const ir::Graph& graph = *bench.window->currentGraph()->graph()->graph;
        const RunModel* model = bench.window->panel<RunPanel>()->model();
        QCOMPARE(std::size_t(model->rowCount()), run->nodes.size());
        QVERIFY(run->nodes.size() + 1 >= graph.size()); // The output need not have a row.
        int means = 0;
        for (int row = 0; row < model->rowCount(); ++row) {
            bool isNumber = false;
            model->index(row, RunModel::Mean).data().toString().toDouble(&isNumber);
            means += isNumber ? 1 : 0;
        }
        for (const session::NodeRun& node : run->nodes) {
            QVERIFY2(node.mismatch.empty(), node.mismatch.c_str());
        }
        // The output and the numbers of symbols have none.
        QVERIFY2(means > model->rowCount() * 9 / 10, qPrintable(QString::number(means)));
    }

    void theMeasuredStepIsThePredictedOne() {
        test::WindowBench bench(app::torchBackendFactory());
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->action(QStringLiteral("show-memory"))->trigger();
        MemoryPanel* panel = bench.window->panel<MemoryPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->measureButton()->isEnabled() && panel->canvas()->look().scene,
                                 test::patience);
        for (const char* order : {"current choices", "as logged"}) {
            const int row = panel->orderChoice()->findText(QLatin1String(order));
            QVERIFY(row >= 0);
            panel->orderChoice()->setCurrentIndex(row);
            Q_EMIT panel->orderChoice()->activated(row);
            panel->measure();
            QTRY_VERIFY2_WITH_TIMEOUT(panel->canvas()->look().measured, qPrintable(panel->summary()),
                                      test::patience);
            const memory::MeasuredProfile& measured = *panel->canvas()->look().measured;
            QCOMPARE(measured.bytes, panel->canvas()->look().scene->profile().bytes);
            QVERIFY(measured.start.back() > 0);
            QVERIFY(panel->summary().contains(QStringLiteral("as predicted at every node")));
        }
        panel->timeChoice()->click();
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = bench.window->grab().toImage();
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("window-measured-dark.png")
                                                         : QStringLiteral("window-measured-light.png"))));
        }
    }

    /// The norm of numbers near 1e25 is one that float32 has; the squares that its kernel adds up are not.
    void onePressFindsAKernelThatOverflows() {
        const test::TempFolder folder;
        const std::filesystem::path file = folder.write(
            "norm.txt",
            "class GraphModule(torch.nn.Module):\n"
            "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n"
            "        mul: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.mul.Tensor(arg0_1, 1e+25)\n"
            "        norm: \"f32[8][1]cpu\" = torch.ops.aten.linalg_vector_norm.default(mul, 2, [1])\n"
            "        neg: \"f32[8][1]cpu\" = torch.ops.aten.neg.default(norm)\n"
            "        return (neg,)\n");
        test::WindowBench bench(app::torchBackendFactory());
        QVERIFY(bench.open(file.string()));
        auto* panel = bench.window->panel<RunPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->firstWrongButton()->isEnabled(), test::patience);
        panel->firstWrongButton()->click();
        QTRY_COMPARE_WITH_TIMEOUT(bench.selectedNode(), std::string("norm"), test::patience);
        const QString details = panel->findChild<QLabel*>(QStringLiteral("runSummary"))->toolTip();
        QVERIFY2(details.contains(QStringLiteral("aten.linalg_vector_norm.default")), qPrintable(details));
    }

    /// Forward and backward of the sample through all wrappers, then back in time to a node.
    void theFunctionIsCalledAndSteppedThrough() {
        test::WindowBench bench(app::torchBackendFactory());
        QVERIFY(bench.open(test::sampleLogPath()));
        CurrentCall* call = bench.window->parts().context.call;
        auto* wrappers = bench.window->panel<WrappersPanel>();
        bench.window->action(QStringLiteral("call"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(call->function()->call && !call->calling(), test::patience);
        QVERIFY2(wrappers->verdict()->line().startsWith(QStringLiteral("✓ equal: ")),
                 qPrintable(wrappers->verdict()->line()));
        const steps::CallRecordPtr record = call->function()->record();
        QVERIFY(record);
        const auto count = [&](steps::EventKind kind) {
            return std::ranges::count(record->events, kind, &steps::CallEvent::kind);
        };
        QVERIFY(count(steps::EventKind::ForwardNode) > 20 && count(steps::EventKind::BackwardNode) > 20);
        QVERIFY(count(steps::EventKind::WrapperEntry) >= 2);
        QCOMPARE(wrappers->stack()->levels().size(), call->function()->wrappers()->size() + 1);
        bench.window->action(QStringLiteral("stepThrough"))->trigger();
        const auto isAt = [&](std::size_t event) {
            return QTest::qWaitFor([&] { return call->paused() && call->pause()->next == event; },
                                   test::patience);
        };
        QVERIFY(isAt(0));
        const auto last = static_cast<std::size_t>(
            std::ranges::find(record->events, steps::EventKind::BackwardNode, &steps::CallEvent::kind) -
            record->events.begin());
        call->goTo(last);
        QVERIFY(isAt(last));
        QCOMPARE(bench.selectedNode(), record->events[last].title);
        bench.window->action(QStringLiteral("stepBackInto"))->trigger();
        QVERIFY(isAt(last - 1));
        call->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!call->calling(), test::patience);
    }

    /// Behind the joint graph come the forward that the partition cuts off it, and the one with hooks.
    void theStagesGoOnToTheForwardWithHooks() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        test::WindowBench bench(app::torchBackendFactory());
        QVERIFY(bench.open(test::corpusTrace("hooks_sym_dynamic").string()));
        bench.window->action(QStringLiteral("show-retrace"))->trigger();
        auto* panel = bench.window->panel<RetracePanel>();
        panel->setStagesWanted(true);
        panel->retraceCompile();
        QTRY_VERIFY_WITH_TIMEOUT(panel->stageBar()->isVisible(), test::patience);
        const session::RetraceSnapshot& retraced = *panel->results().front();
        QCOMPARE(retraced.stages.size(), std::size_t(7));
        QCOMPARE(panel->stageBar()->slider()->maximum(), 6);
        QCOMPARE(panel->stageBar()->stage(), 4);
        const QString said = panel->stageBar()->said();
        QVERIFY2(said.contains(QStringLiteral("<b>joint")) && said.contains(QStringLiteral("→  forward (")) &&
                     said.contains(QStringLiteral("→  hooks (+")) &&
                     !said.contains(QStringLiteral("not shown")),
                 qPrintable(said));
        for (const char* stage : {"forward stage of joint", "hooks stage of joint"}) {
            bench.window->action(QStringLiteral("nextStage"))->trigger();
            const auto shows = [&] {
                const session::GraphSnapshotPtr& graph = bench.window->currentGraph()->graph();
                return graph && graph->reference.artifact == stage;
            };
            QTRY_VERIFY2_WITH_TIMEOUT(shows(), stage, test::patience);
        }
        QCOMPARE(panel->stageBar()->stage(), 6);
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            QVERIFY(bench.window->grab().save(test::artifactPath(
                dark ? QStringLiteral("stages-hooks-dark.png") : QStringLiteral("stages-hooks-light.png"))));
        }
        // In a narrow window the chosen stage is still told.
        const QSize size = bench.window->size();
        QVERIFY(panel->stageBar()->shown().contains(QStringLiteral("decomposed")));
        bench.window->resize(700, size.height());
        QTRY_VERIFY2_WITH_TIMEOUT(!panel->stageBar()->shown().contains(QStringLiteral("decomposed")) &&
                                      panel->stageBar()->shown().contains(QStringLiteral("<b>hooks (+")),
                                  qPrintable(panel->stageBar()->shown()), test::patience);
        QVERIFY(bench.window->grab().save(test::artifactPath(QStringLiteral("stages-hooks-narrow.png"))));
        bench.window->resize(size);
        // The last stage is the forward that PyTorch logged.
        session::ArtifactReference forward = *retraced.target.logged;
        forward.artifact = "forward";
        bench.window->selection()->select({forward, {}});
        const ir::GraphPtr made = retraced.stages.back().graph->graph;
        const auto isLogged = [&] {
            const session::GraphSnapshotPtr& graph = bench.window->currentGraph()->graph();
            return graph && graph->reference.artifact == "forward";
        };
        QTRY_VERIFY_WITH_TIMEOUT(isLogged(), test::patience);
        const ir::GraphPtr logged = bench.window->currentGraph()->graph()->graph;
        QCOMPARE(made->size(), logged->size());
        for (std::size_t i = 0; i < made->size(); ++i) {
            QCOMPARE(made->node(made->order()[i]).name, logged->node(logged->order()[i]).name);
        }
    }

    void closingInMidRunIsClean() {
        test::WindowBench bench(app::torchBackendFactory());
        QVERIFY(bench.open(test::sampleLogPath()));
        QSignalSpy started(&bench.engine, &EngineClient::started);
        bench.window->action(QStringLiteral("run"))->trigger();
        const auto running = [&] {
            return std::any_of(started.begin(), started.end(), [](const QVariantList& of) {
                return of.back().toString() == QLatin1String("run");
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(running(), test::patience);
        bench.window->close();
        bench.window.reset();
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_torch, WindowTorchTest)
#include "tst_window_torch.moc"
