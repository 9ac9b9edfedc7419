// On what the window runs graphs: the status bar says so, its menu chooses, and without a GPU it says why.
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "panels/run_panel.h"

#include <QMenu>
#include <QStatusBar>
#include <QToolButton>

#include <mutex>
#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

session::DeviceChoice gpu(int index) {
    return {session::DeviceChoice::Kind::Cuda, index};
}

/// The window over a log with one graph; on what each run was wanted is remembered.
struct DeviceBench : test::WindowBench {
    test::TempFolder folder;
    std::mutex mutex;
    std::vector<session::DeviceChoice> ran;

    DeviceBench() {
        backend->onRun = [this](const ir::Graph& graph, const session::RunOptions& options, base::Progress&) {
            const std::lock_guard lock(mutex);
            ran.push_back(options.device);
            return test::FakeBackend::everyNodeRan(graph, options);
        };
    }
    void haveGpus(int count) {
        session::DeviceList list{{{{}, "fake processor"}}, "13.2", {}, ""};
        for (int i = 0; i < count; ++i) {
            list.devices.push_back({gpu(i), "fake GPU"});
        }
        backend->devices = list;
    }
    [[nodiscard]] bool openGraph() {
        return open(folder
                        .write("graph.log", test::graphRecord("aot_inference_graph", test::firstCompile,
                                                              test::smallGraphText()))
                        .string());
    }
    [[nodiscard]] QToolButton* status() const {
        return window->statusBar()->findChild<QToolButton*>(QStringLiteral("device"));
    }
    /// Opens the menu and waits for the engine's answer.
    [[nodiscard]] QList<QAction*> entries() const {
        QMenu* menu = status()->menu();
        menu->popup(status()->mapToGlobal(QPoint(0, 0)));
        const auto isThere = [menu] {
            for (const QAction* action : menu->actions()) {
                if (action->text().contains(QStringLiteral("fake processor"))) {
                    return true;
                }
            }
            return false;
        };
        return QTest::qWaitFor(isThere, test::patience) ? menu->actions() : QList<QAction*>();
    }
    [[nodiscard]] bool run() const {
        const std::size_t before = backend->started;
        window->panel<RunPanel>()->run();
        return QTest::qWaitFor([&] { return std::size_t(backend->started) > before; }, test::patience) &&
               QTest::qWaitFor([&] { return window->panel<RunPanel>()->isEnabled(); }, test::patience);
    }
};

} // namespace

class TestWindowDevice : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void graphsRunOnTheGpuThatWasChosen() {
        DeviceBench bench;
        bench.haveGpus(2);
        QVERIFY(bench.openGraph());
        QCOMPARE(bench.status()->text().chopped(2), QStringLiteral("Device: CPU"));
        QVERIFY(bench.run());
        const QList<QAction*> entries = bench.entries();
        QCOMPARE(entries.size(), 3);
        QCOMPARE(entries[0]->text(), QStringLiteral("CPU: fake processor"));
        QVERIFY(entries[0]->isChecked());
        QCOMPARE(entries[2]->text(), QStringLiteral("GPU 1: fake GPU"));
        QVERIFY(entries[2]->isEnabled());
        QTest::mouseClick(bench.status()->menu(), Qt::LeftButton, {},
                          bench.status()->menu()->actionGeometry(entries[2]).center());
        QCOMPARE(bench.status()->text().chopped(2), QStringLiteral("Device: GPU 1"));
        QVERIFY(bench.run());
        const std::lock_guard lock(bench.mutex);
        QCOMPARE(bench.ran.size(), std::size_t(2));
        QVERIFY(bench.ran[0] == session::DeviceChoice());
        QVERIFY(bench.ran[1] == gpu(1));
    }

    void withoutAGpuTheMenuSaysWhyAndWhatToDo() {
        DeviceBench bench;
        bench.backend->devices = {
            {{{}, "fake processor"}},
            "",
            {{"the NVIDIA driver", "libcuda.so.1", "sudo apt-get install nvidia-driver"}},
            "There is no NVIDIA GPU with a driver in this machine."};
        QVERIFY(bench.openGraph());
        const QList<QAction*> entries = bench.entries();
        QVERIFY(!entries.isEmpty());
        const QAction* reason = entries.back();
        QVERIFY(!reason->isEnabled());
        QCOMPARE(reason->text(),
                 QStringLiteral("No GPU: There is no NVIDIA GPU with a driver in this machine."));
        QVERIFY(reason->toolTip().contains(QStringLiteral("sudo apt-get install nvidia-driver")));
        bench.status()->menu()->close();
    }

    void aGpuWhoseLibrariesAreMissingIsShownAndCannotBeChosen() {
        DeviceBench bench;
        bench.haveGpus(1);
        bench.backend->devices.missing = {{"cuBLAS", "libcublas.so.13", "pip install nvidia-cublas"}};
        bench.backend->devices.noGpu = "LibTorch's CUDA half cannot be opened: cuBLAS is missing.";
        QVERIFY(bench.openGraph());
        const QList<QAction*> entries = bench.entries();
        QVERIFY(entries.size() >= 3);
        QCOMPARE(entries[1]->text(), QStringLiteral("GPU 0: fake GPU"));
        QVERIFY(!entries[1]->isEnabled());
        QVERIFY(entries[0]->isEnabled());
        bench.status()->menu()->close();
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_device, TestWindowDevice)
#include "tst_window_device.moc"
