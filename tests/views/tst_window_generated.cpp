// The Generated code dock in the whole window: kernels, their nodes in the other panels, and back.
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/log_list.h"
#include "graph/graph_panel.h"
#include "inductor/generated_code_panel.h"
#include "inductor/generated_kernel_model.h"
#include "window/graph_dock.h"

#include <QDockWidget>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct GeneratedBench : test::WindowBench {
    GeneratedCodePanel* panel = nullptr;

    [[nodiscard]] bool openRecord(const char* name) {
        const QString path =
            QStringLiteral(AOTSCOPE_SOURCE_DIR "/tests/inductor/records/%1.log.xz").arg(QLatin1String(name));
        if (!open(path)) {
            return false;
        }
        window->dock(QStringLiteral("generated"))->show();
        window->dock(QStringLiteral("generated"))->raise();
        panel = window->panel<GeneratedCodePanel>();
        return selectGraph("forward") &&
               QTest::qWaitFor([this] { return panel->part() != nullptr; }, test::patience);
    }
    [[nodiscard]] session::ArtifactReference graph(const char* artifact) const {
        const session::LogSnapshotPtr log = window->logs()->logs().begin()->second;
        session::ArtifactReference reference =
            session::referenceTo(*log, *std::ranges::find_if(log->compiles(), isCompile));
        reference.artifact = artifact;
        return reference;
    }
    [[nodiscard]] bool selectGraph(const char* artifact) { return select(graph(artifact)); }
    void selectNode(const char* artifact, const char* node) {
        window->selection()->select({graph(artifact), node});
    }
    [[nodiscard]] int rowOf(const char* kernel) const {
        for (int row = 0; row < panel->model()->rowCount(); ++row) {
            if (panel->model()
                    ->index(row, GeneratedKernelModel::Name)
                    .data()
                    .toString()
                    .endsWith(QLatin1String(kernel))) {
                return row;
            }
        }
        return -1;
    }
    void clickKernel(int row) const {
        const QModelIndex index = panel->model()->index(row, 0);
        panel->list()->scrollTo(index);
        QTest::mouseClick(panel->list()->viewport(), Qt::LeftButton, {},
                          panel->list()->visualRect(index).center());
    }
    [[nodiscard]] QString currentLine() const { return panel->code()->line(panel->code()->currentLine()); }
};

} // namespace

class WindowGeneratedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void kernelsAreListedWithTheirLaunchesAndNodes() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("mlp"));
        QCOMPARE(bench.panel->parts()->count(), 2);
        QCOMPARE(bench.panel->parts()->tabText(0), QStringLiteral("Forward"));
        QCOMPARE(bench.panel->model()->rowCount(), 3);
        const int addmm = bench.rowOf("extern_kernels.addmm");
        QVERIFY(addmm >= 0);
        QCOMPARE(bench.panel->model()->index(addmm, GeneratedKernelModel::Launches).data().toString(),
                 QStringLiteral("2"));
        QCOMPARE(bench.panel->model()->index(addmm, GeneratedKernelModel::Nodes).data().toString(),
                 QStringLiteral("2"));
        const int norm = bench.rowOf("cpp_fused_native_layer_norm_relu_0");
        QCOMPARE(bench.panel->model()->index(norm, GeneratedKernelModel::Kind).data().toString(),
                 QStringLiteral("C++"));
        const auto* title = bench.panel->findChild<QLabel*>(QStringLiteral("generatedCodeTitle"));
        QVERIFY(title->text().contains(QStringLiteral("shown, never executed")));
        QVERIFY(bench.panel->details()->text().contains(QStringLiteral("Not linked")));
    }

    void aKernelSelectsItsNodesEverywhere() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("mlp"));
        bench.clickKernel(bench.rowOf("cpp_fused_native_layer_norm_relu_0"));
        const std::optional<session::Selection>& selected = bench.window->selection()->current();
        QVERIFY(selected.has_value());
        QCOMPARE(selected->artifact.artifact, std::string("forward"));
        QCOMPARE(selected->node, std::string("relu"));
        const SpotlightPtr& spotlight = bench.window->selection()->spotlight();
        QVERIFY(spotlight != nullptr);
        QVERIFY(spotlight->nodes.contains("rsqrt"));
        QVERIFY(spotlight->nodes.contains("var_mean"));
        QVERIFY(!spotlight->nodes.contains("addmm"));
        QVERIFY(bench.currentLine().startsWith(QStringLiteral("cpp_fused_native_layer_norm_relu_0 = ")));
        QVERIFY(bench.panel->details()->text().contains(QStringLiteral("model.py")));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->node().valid(), test::patience);
    }

    void aNodeMarksItsKernelsForwardAndBackward() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("mlp"));
        bench.selectNode("forward", "addmm_1");
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->model()->marked().size(), std::size_t(1), test::patience);
        QVERIFY(bench.panel->model()
                    ->index(bench.rowOf("extern_kernels.addmm"), 0)
                    .data()
                    .toString()
                    .startsWith(QStringLiteral("▸")));
        QVERIFY(bench.currentLine().contains(QStringLiteral("extern_kernels.addmm(")));

        QVERIFY(bench.selectGraph("backward"));
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->parts()->currentIndex(), 1, test::patience);
        bench.selectNode("backward", "sum_4");
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.currentLine().startsWith(QStringLiteral("cpp_fused_native_layer_norm")), test::patience);
        // Views have no kernel.
        bench.selectNode("backward", "permute_3");
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->model()->marked().empty(), test::patience);
    }

    void aNodeOfTheJointGraphShowsTheHalfThatComputesIt() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("mlp"));
        QVERIFY(bench.selectGraph("joint"));
        bench.selectNode("joint", "sum_4");
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->parts()->currentIndex(), 1, test::patience);
        QCOMPARE(bench.panel->model()->marked().size(), std::size_t(1));
        bench.selectNode("joint", "relu");
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->parts()->currentIndex(), 0, test::patience);
    }

    void aSourceLineMarksAllItsKernels() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("softmax_loss"));
        bench.clickKernel(bench.rowOf("extern_kernels.addmm"));
        const inductor::LaunchLinks& links = bench.panel->part()->generated.links.launches[1];
        QVERIFY(!links.sources.empty());
        const QString place = QStringLiteral("%1:%2")
                                  .arg(QString::fromStdString(links.sources[0].source.file))
                                  .arg(links.sources[0].source.line);
        Q_EMIT bench.panel->details()->linkActivated(QStringLiteral("source:") + place);
        // The line computes gelu, in a C++ kernel, and the addmm.
        QCOMPARE(bench.panel->model()->marked().size(), std::size_t(2));
        QVERIFY(bench.window->selection()->spotlight()->nodes.contains("erf"));
        QVERIFY(bench.window->selection()->spotlight()->nodes.contains("addmm"));
    }

    void aLineOfTheCodeChoosesItsKernelAndFoldingShowsItAlone() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("mlp"));
        const inductor::GeneratedCode& code = bench.panel->part()->generated;
        const inductor::Kernel* kernel = code.code.tryKernel("cpp_fused_sigmoid_1");
        QVERIFY(kernel != nullptr);
        const int line = static_cast<int>(kernel->source->firstLine) + 3;
        bench.panel->code()->scrollToLine(line);
        const QRect there = bench.panel->code()->characterRect({line, 0});
        QTest::mouseClick(bench.panel->code()->viewport(), Qt::LeftButton, {}, there.center());
        QCOMPARE(bench.window->selection()->current()->node, std::string("sigmoid"));
        const int whole = bench.panel->code()->lineCount();
        QTest::mouseClick(bench.panel->fold(), Qt::LeftButton);
        QVERIFY(bench.panel->code()->lineCount() < whole / 2);
        QVERIFY(bench.panel->code()->line(0).startsWith(QStringLiteral("cpp_fused_sigmoid_1 = ")));
        QTest::mouseClick(bench.panel->fold(), Qt::LeftButton);
        QCOMPARE(bench.panel->code()->lineCount(), whole);
    }

    void withoutGeneratedCodeItSaysHowToGetSome() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->dock(QStringLiteral("generated"))->show();
        bench.window->dock(QStringLiteral("generated"))->raise();
        const auto* panel = bench.window->panel<GeneratedCodePanel>();
        const auto says = [&](const char* words) {
            const auto labels = panel->findChildren<QLabel*>();
            return std::ranges::any_of(
                labels, [&](const QLabel* label) { return label->text().contains(QLatin1String(words)); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(says("has no generated code"), test::patience);
        QVERIFY(says("INDUCTOR_PROVENANCE=1"));
    }

    void itsPictures() {
        GeneratedBench bench;
        QVERIFY(bench.openRecord("mlp"));
        QVERIFY(bench.selectGraph("backward"));
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->parts()->currentIndex(), 1, test::patience);
        bench.clickKernel(bench.rowOf("cpp_fused_sigmoid_backward_0"));
        const GraphDock* graph = bench.window->panel<GraphDock>();
        QTRY_VERIFY_WITH_TIMEOUT(graph->panel()->shown() != nullptr, test::patience);
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = bench.window->grab().toImage();
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(
                test::artifactPath(QStringLiteral("window-generated-%1.png").arg(dark ? "dark" : "light"))));
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_generated, WindowGeneratedTest)
#include "tst_window_generated.moc"
