// The whole window over the real engine and the real LibTorch.
#include "support/window_bench.h"

#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "torch_module.h"

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
        const RunModel* model = bench.window->runPanel()->model();
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

QTEST_MAIN(WindowTorchTest)
#include "tst_window_torch.moc"
