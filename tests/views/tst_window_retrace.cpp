// Re-tracing in the whole window, from the button to the result and both graphs in Compare.
#include "support/pictures.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "compare/compare_panel.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "ir/text/parser.h"
#include "retrace/metadata_text.h"
#include "retrace/retrace_panel.h"
#include "retrace/retrace_text.h"
#include "retrace/stage_bar.h"
#include "window/graph_dock.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QSlider>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTreeWidget>
#include <QUrl>

#include <map>
#include <optional>

using namespace aotscope;
using namespace aotscope::views;

namespace {

constexpr const char* madeText = R"(class GraphModule(torch.nn.Module):
    def forward(self, arg0_1: "f32[8, 4][4, 1]cpu"):
        relu: "f32[8, 4][4, 1]cpu" = torch.ops.aten.relu.default(arg0_1);  arg0_1 = None
        return (relu,)
)";

/// A forward with these statements.
ir::GraphPtr forwardOf(const std::string& statements, const std::string& result) {
    return *ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                               "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n" +
                               statements + "        return (" + result + ",)\n");
}

std::string statement(const std::string& name, const std::string& op, const std::string& arguments) {
    return "        " + name + ": \"f32[8, 4][4, 1]cpu\" = torch.ops.aten." + op + "(" + arguments + ")\n";
}

/// Three stages: the second decomposes one operator, the third inserts another before it.
std::vector<aot::TraceStage> threeForwards(const ir::GraphPtr& program) {
    const std::string head =
        statement("relu", "relu.default", "arg0_1") + statement("exp", "exp.default", "relu");
    const std::string apart =
        statement("sigmoid", "sigmoid.default", "exp") + statement("mul", "mul.Tensor", "exp, sigmoid");
    using Kind = aot::TraceStageKind;
    return {{Kind::Program, program},
            {Kind::Resolved, nullptr, "an operator is not known"},
            {Kind::Functional, forwardOf(head + statement("silu", "silu.default", "exp"), "silu")},
            {Kind::Decomposed, forwardOf(head + apart, "mul")},
            {Kind::Joint, forwardOf(head + apart + statement("neg", "neg.default", "mul"), "neg")}};
}

/// Where the Graph dock draws the nodes of its graph.
std::map<std::string, QRectF> placesOf(const session::LayoutSnapshot& shown) {
    std::map<std::string, QRectF> places;
    for (const ir::NodeId id : shown.graph->graph->order()) {
        const layout::Rect& r = shown.layout->boxes[shown.layout->boxOfNode[id.index()].index()].rect;
        places[shown.graph->graph->node(id).name] = QRectF(r.x, r.y, r.width, r.height);
    }
    return places;
}

/// A backend that "traces" every program to one small graph whose second output aliases its first input.
aot::RetraceResult traced() {
    aot::RetraceResult result;
    result.graph = *ir::parseGraphText(madeText);
    result.reason = "no input requires grad";
    result.metadata.inputInfo.resize(1);
    result.metadata.inputInfo[0].mutatesData = true;
    result.metadata.outputInfo.resize(2);
    result.metadata.outputInfo[1].outputType = ir::OutputType::AliasOfInput;
    result.metadata.outputInfo[1].baseIndex = 0;
    return result;
}

/// The window with the project's log and that backend.
struct RetraceBench : test::WindowBench {
    RetraceBench() {
        backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&, base::Progress&) {
            return traced();
        };
    }
    [[nodiscard]] bool openSample() { return open(test::sampleLogPath()); }
    [[nodiscard]] RetracePanel* panel() const { return window->panel<RetracePanel>(); }
    /// Traces the selected compile and waits for its end.
    [[nodiscard]] bool retrace() const {
        panel()->retraceCompile();
        return QTest::qWaitFor([this] { return !panel()->running(); }, test::patience);
    }
};

} // namespace

class TestWindowRetrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aCompileIsTracedAndOpensInCompare() {
        RetraceBench bench;
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        bench.window->action(QStringLiteral("retrace"))->trigger();
        QVERIFY(panel->running());
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QCOMPARE(panel->results().size(), std::size_t(1));
        const session::RetraceSnapshotPtr result = panel->results().front();
        QCOMPARE(result->verdict, session::RetraceVerdict::Different);
        QCOMPARE(panel->view()->topLevelItemCount(), 1);
        QCOMPARE(panel->view()->topLevelItem(0)->text(1), retraceResultText(*result));
        const QString details = panel->details()->toPlainText();
        QVERIFY(details.contains(QStringLiteral("First difference")));
        QVERIFY(details.contains(QStringLiteral("data mutated")));
        QVERIFY(details.contains(QStringLiteral("output 1")));
        QVERIFY(details.contains(QStringLiteral("a view")));

        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            bench.window->dock(QStringLiteral("retrace"))->raise();
            QCoreApplication::processEvents();
            const QImage picture = panel->grab().toImage();
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("retrace-result-dark.png")
                                                         : QStringLiteral("retrace-result-light.png"))));
        }

        Q_EMIT panel->view()->itemActivated(panel->view()->topLevelItem(0), 0);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<ComparePanel>()->shown() != nullptr, test::patience);
        QCOMPARE(bench.window->panel<ComparePanel>()->shown()->left->graph, result->made->graph);

        // Once more: the row is kept.
        panel->retraceLog();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QCOMPARE(panel->view()->topLevelItemCount(), 1);
    }

    /// Each log has its 0/0, and what was traced last is what is looked at.
    void rowsOfSeveralLogsAreToldApart() {
        const QTemporaryDir folder;
        const QString other = folder.filePath(QStringLiteral("other.log"));
        QVERIFY(QFile::copy(test::sampleLogPath(), other));
        RetraceBench bench;
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        QCOMPARE(panel->view()->topLevelItem(0)->text(0), QStringLiteral("0/0"));
        bench.window->openPaths({other});
        const quint32 first = panel->results().front()->log;
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->selection()->current()->artifact.log != first, test::patience);
        QVERIFY(bench.retrace());
        QCOMPARE(panel->view()->topLevelItemCount(), 2);
        QCOMPARE(panel->view()->topLevelItem(1)->text(0), QStringLiteral("0/0 · other.log"));
        QVERIFY(
            panel->view()->topLevelItem(0)->text(0).contains(QStringLiteral("transformer_encoder_layer")));
        QCOMPARE(panel->view()->currentItem(), panel->view()->topLevelItem(1));
    }

    void whatWasTracedIsSavedAsAFolder() {
        RetraceBench bench;
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        const QTemporaryDir parent;
        const QString folder = parent.filePath(QStringLiteral("retraced"));
        std::optional<QString> answer;
        const auto told = [&](const QString& message) { answer = message; };
        panel->saveTo(folder, told);
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QCOMPARE(*answer, QString());
        const QStringList all =
            QDir(parent.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        QCOMPARE(all, QStringList(QStringLiteral("retraced")));
        const auto read = [&](const char* name) {
            QFile file(folder + QLatin1Char('/') + QLatin1String(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto again = ir::parseGraphText(read("0_0/inference.txt").toStdString());
        QVERIFY(again.ok());
        QCOMPARE((*again)->size(), panel->results().front()->made->graph->size());
        QVERIFY(!read("0_0/inference.json").isEmpty());
        QVERIFY(read("0_0/metadata.json").contains("input_info"));
        QVERIFY(read("report.html").contains("First difference"));
        // What is there is not written over; what is canceled leaves nothing.
        answer.reset();
        panel->saveTo(folder, told);
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QVERIFY2(answer->contains(QStringLiteral("already exists")), qPrintable(*answer));
        answer.reset();
        panel->saveTo(parent.filePath(QStringLiteral("other")), told);
        bench.window->action(QStringLiteral("cancel"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QVERIFY(answer->isEmpty() || answer->startsWith(QStringLiteral("Canceled")));
        QCOMPARE(
            QDir(parent.path())
                .entryList({QStringLiteral(".*")}, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
            QStringList());
    }

    /// A matrix, its lower half, and that once more.
    /// A text of thousands of rows held the window up for seconds.
    void ofThousandsOfInputsTheNotableAreListed() {
        session::RetraceSnapshot retraced;
        retraced.result.emplace();
        constexpr std::size_t inputs = 5'000;
        retraced.result->metadata.inputInfo.resize(inputs);
        retraced.result->metadata.inputInfo[4'321].mutatesData = true;
        retraced.result->metadata.outputInfo.resize(inputs);
        retraced.metadataDifferences = {"output_info[4444].raw_type: Tensor, not int"};
        for (std::size_t i = 0; i < inputs; ++i) {
            retraced.result->guards.push_back({"Eq(s" + std::to_string(i) + ", 8)", {}});
        }
        const QString html = metadataHtml(retraced) + guardsHtml(retraced);
        QVERIFY2(html.size() < 60'000, qPrintable(QString::number(html.size())));
        QTextDocument page;
        page.setHtml(html);
        const QString said = page.toPlainText();
        QVERIFY(said.contains(QLatin1String("4321")) && said.contains(QLatin1String("data mutated")));
        QVERIFY(said.contains(QLatin1String("4444")) && said.contains(QLatin1String("not int")));
        QVERIFY(said.contains(QLatin1String("metadata.json")));
        QVERIFY(said.contains(QLatin1String("--guards")));
    }

    void loggedFieldsThatAreNotComparedAreNamedWithTheirText() {
        session::RetraceSnapshot retraced;
        retraced.result = traced();
        retraced.result->metadata.tracedTangents.resize(1);
        ir::ViewAndMutationMeta& logged = retraced.loggedMetadata.emplace();
        logged.otherFields = {{"brand_new", "Thing(a=<b>)"}};
        logged.tangentMetas = {
            {false, 0, ir::TangentLayout{{}, ir::SymInts{ir::SymInt(4), ir::SymInt(1)}, {}}}};
        logged.tangentSources = {{ir::SourceLocation{"model.py", 41, "forward", "return x"}}};
        retraced.metadataNotCompared = {"tangent_source_stack_traces", "brand_new"};
        QTextDocument page;
        page.setHtml(metadataHtml(retraced));
        const QString words = page.toPlainText();
        QVERIFY(words.contains(QStringLiteral("Logged fields that are not compared")));
        QVERIFY(words.contains(QStringLiteral("tangent_source_stack_traces")));
        QVERIFY(words.contains(QStringLiteral("Thing(a=<b>)")));
        QVERIFY(words.contains(QStringLiteral("expected with strides [4, 1]")));
        QVERIFY(words.contains(QStringLiteral("made at model.py:41")));
    }

    void inputsOfOneMemoryAreDrawnToScale() {
        session::RetraceSnapshot retraced;
        retraced.result = traced();
        retraced.sharedInputs = {
            {{{0, "a", {{0, 32}}}, {1, "b", {{16, 32}}}, {2, "c", {{16, 32}}, 1}}, "primals_1"}};
        QTextDocument page;
        page.setHtml(metadataHtml(retraced));
        const QString words = page.toPlainText();
        QVERIFY(words.contains(QStringLiteral("input 0 a")));
        QVERIFY(words.contains(QString(24, QChar(0x2588))));
        QVERIFY(words.contains(QString(12, QChar(0x2591)) + QString(12, QChar(0x2588))));
        QVERIFY(words.contains(QStringLiteral("elements 16 to 31")));
        QVERIFY(words.contains(QStringLiteral("the same elements as input 1")));
        QVERIFY(words.contains(QStringLiteral("synthetic base, the graph's input primals_1")));
    }

    void whatCannotBeTracedIsTold() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        RetracePanel* panel = bench.window->panel<RetracePanel>();
        panel->retraceCompile();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QCOMPARE(panel->results().size(), std::size_t(1));
        QVERIFY(panel->results().front()->error.has_value());
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("traces nothing")));
        // What the log has of it is a click away.
        for (const char* which : {"program", "logged"}) {
            const QString link = QStringLiteral("graph:") + QLatin1String(which);
            QVERIFY(panel->details()->toHtml().contains(link));
            Q_EMIT panel->details()->anchorClicked(QUrl(link));
            QCOMPARE(bench.window->selection()->current()->artifact.artifact,
                     std::string(which == std::string("program") ? "dynamo" : "joint"));
        }
    }

    void guardsLinkToWhoAsked() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&,
                                      base::Progress&) {
            aot::RetraceResult result = traced();
            result.guards = {{.expression = "Not(s0 > 25)",
                              .node = "linear",
                              .source = ir::SourceLocation{"/home/me/model.py", 41, "forward", "x"}}};
            return result;
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        const QString details = panel->details()->toPlainText();
        QVERIFY(details.contains(QStringLiteral("Not(s0 > 25)")));
        QVERIFY(details.contains(QStringLiteral("asked by linear")));
        QVERIFY(details.contains(QStringLiteral("model.py:41")));
        Q_EMIT panel->details()->anchorClicked(QUrl(QStringLiteral("node:linear")));
        QTRY_COMPARE_WITH_TIMEOUT(bench.selectedNode(), std::string("linear"), test::patience);
        QCOMPARE(bench.window->selection()->current()->artifact.artifact, std::string("dynamo"));
    }

    void theCacheSaysHitOrMissAndWhy() {
        RetraceBench bench;
        int traces = 0;
        bench.backend->onRetrace = [&traces](const aot::RetraceRequest&, const session::TracePauses&,
                                             base::Progress&) {
            ++traces;
            return traced();
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        QVERIFY(!panel->details()->toPlainText().contains(QStringLiteral("Cache")));
        panel->setCacheWanted(true);
        QVERIFY(bench.retrace());
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("Cache miss: not compiled before")));
        QCOMPARE(traces, 2);
        QVERIFY(bench.retrace());
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("Cache hit: from memory")));
        QCOMPARE(traces, 2);
        // Stages are traces of their own, which no entry holds.
        panel->setStagesWanted(true);
        QVERIFY(bench.retrace());
        QVERIFY(panel->details()->toPlainText().contains(
            QStringLiteral("Cache bypass: the graphs of the stages")));
        QCOMPARE(traces, 3);
    }

    void stagesAreWalkedThrough() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest& request, const session::TracePauses&,
                                      base::Progress&) {
            aot::RetraceResult result = traced();
            if (request.stages) {
                using Kind = aot::TraceStageKind;
                const ir::GraphPtr one = *ir::parseGraphText(
                    QByteArray(madeText).replace("relu.default", "sigmoid.default").toStdString());
                result.stages = {{Kind::Program, request.program},
                                 {Kind::Resolved, nullptr, "an operator is not known"},
                                 {Kind::Functional, one},
                                 {Kind::Decomposed, one},
                                 {Kind::Joint, result.graph}};
            }
            return result;
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        bench.window->action(QStringLiteral("show-retrace"))->trigger();
        QVERIFY(bench.retrace());
        QVERIFY(!panel->stageBar()->isVisible());
        panel->setStagesWanted(true);
        panel->retraceCompile();
        QTRY_VERIFY_WITH_TIMEOUT(panel->stageBar()->isVisible(), test::patience);
        QCOMPARE(panel->stageBar()->stage(), 4);
        const QString said = panel->stageBar()->said();
        QVERIFY(said.contains(QStringLiteral("resolved (not shown)")));
        QVERIFY(said.contains(QStringLiteral("decomposed (as before)")));
        // relu for sigmoid, and the output is another.
        QCOMPARE(panel->results().front()->stages[4].changed, std::size_t(1));
        QVERIFY(said.contains(QStringLiteral("joint (+1 ~1 −1)")));

        // Over what changed nothing, and what is not there.
        const auto shows = [&](const std::string& artifact) {
            return bench.window->currentGraph()->graph() &&
                   bench.window->currentGraph()->graph()->reference.artifact.starts_with(artifact);
        };
        bench.window->action(QStringLiteral("previousStage"))->trigger();
        QCOMPARE(panel->stageBar()->stage(), 2);
        QTRY_VERIFY_WITH_TIMEOUT(shows("functional "), test::patience);
        bench.window->action(QStringLiteral("previousStage"))->trigger();
        QCOMPARE(panel->stageBar()->stage(), 0);
        QTRY_VERIFY_WITH_TIMEOUT(shows("dynamo"), test::patience);
        bench.window->action(QStringLiteral("nextStage"))->trigger();
        bench.window->action(QStringLiteral("nextStage"))->trigger();
        QCOMPARE(panel->stageBar()->stage(), 4);
        bench.window->action(QStringLiteral("nextStage"))->trigger();
        QCOMPARE(panel->stageBar()->stage(), 4);
        QTRY_VERIFY_WITH_TIMEOUT(shows("retraced "), test::patience);
        // However far the stages before it reached.
        const auto* canvas = bench.window->panel<GraphDock>()->panel()->findChild<GraphCanvas*>();
        const auto inSight = [&] {
            const session::LayoutSnapshotPtr shown = bench.window->panel<GraphDock>()->panel()->shown();
            if (!shown || !shown->graph->reference.artifact.starts_with("retraced ")) {
                return false;
            }
            const auto nodes = shown->graph->graph->order();
            return std::any_of(nodes.begin(), nodes.end(), [&](ir::NodeId node) {
                return canvas->visibleArea().intersects(canvas->scene()->rect(canvas->scene()->boxOf(node)));
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(inSight(), test::patience);
        const QImage picture = bench.window->grab().toImage();
        QVERIFY(picture.save(test::artifactPath(QStringLiteral("retrace-stages.png"))));
    }

    void whatAStageLeavesAsItWasStaysInPlace() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest& request, const session::TracePauses&,
                                      base::Progress&) {
            aot::RetraceResult result = traced();
            result.stages = threeForwards(request.program);
            result.graph = result.stages.back().graph;
            return result;
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        panel->setStagesWanted(true);
        QVERIFY(bench.retrace());
        GraphPanel* graphs = bench.window->panel<GraphDock>()->panel();
        auto* canvas = graphs->findChild<GraphCanvas*>();
        const auto show = [&](int stage, const std::string& artifact) {
            panel->stageBar()->slider()->setValue(stage);
            return QTest::qWaitFor(
                [&] {
                    return graphs->shown() && canvas->scene() && !canvas->isStale() &&
                           canvas->scene()->snapshot() == graphs->shown() &&
                           graphs->shown()->graph->reference.artifact.starts_with(artifact);
                },
                test::patience);
        };
        QVERIFY(show(2, "functional "));
        const auto functional = placesOf(*graphs->shown());
        bench.window->selection()->select({graphs->shown()->graph->reference, "exp"});
        canvas->zoomBy(1.1);
        const QPointF corner = canvas->toPixel(QPointF());
        const double zoom = canvas->zoom();

        QVERIFY(show(3, "decomposed "));
        const auto decomposed = placesOf(*graphs->shown());
        for (const std::string name : {"arg0_1", "relu", "exp", "output"}) {
            QCOMPARE(decomposed.at(name), functional.at(name));
        }
        QCOMPARE(canvas->toPixel(QPointF()), corner);
        QCOMPARE(canvas->zoom(), zoom);
        QCOMPARE(bench.selectedNode(), std::string("exp"));
        const session::RetraceStage& stage = panel->results().front()->stages[3];
        QVERIFY(stage.added > 0);
        std::size_t added = 0;
        std::size_t changed = 0;
        for (std::uint32_t box = 0; box < canvas->scene()->boxCount(); ++box) {
            added += canvas->scene()->mark(BoxId(box)).added;
            changed += canvas->scene()->mark(BoxId(box)).changed;
        }
        QCOMPARE(added, stage.added);
        QCOMPARE(changed, stage.changed);
        const auto markOf = [&](const char* name) {
            return canvas->scene()->mark(canvas->scene()->boxOf(*canvas->scene()->graph().tryFind(name)));
        };
        QVERIFY(!markOf("relu").any());
        QVERIFY(markOf("mul").any());
        QVERIFY(panel->stageBar()->said().contains(QStringLiteral("decomposed (+%1").arg(stage.added)));
        auto* legend = graphs->findChild<QWidget*>(QStringLiteral("graphLegend"));
        QVERIFY(legend->toolTip().contains(QStringLiteral("added since the previous stage")));

        QVERIFY(show(4, "retraced "));
        const auto joint = placesOf(*graphs->shown());
        for (const std::string name : {"arg0_1", "relu", "exp", "sigmoid", "mul", "output"}) {
            QCOMPARE(joint.at(name), decomposed.at(name));
        }
        for (const auto& [name, place] : decomposed) {
            QVERIFY(!place.intersects(joint.at("neg")));
        }
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QVERIFY(show(3, "decomposed "));
            QCoreApplication::processEvents();
            QVERIFY(bench.window->grab().save(
                test::artifactPath(dark ? QStringLiteral("stages-in-place-dark.png")
                                        : QStringLiteral("stages-in-place-light.png"))));
        }
        // And back: the first picture again.
        QVERIFY(show(2, "functional "));
        QCOMPARE(placesOf(*graphs->shown()), functional);
        QCOMPARE(bench.selectedNode(), std::string("exp"));
    }

    void aTraceCanBeCanceled() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&,
                                      base::Progress& progress) -> base::Result<aot::RetraceResult> {
            while (!progress.stopRequested()) {
                QThread::msleep(1);
            }
            return base::canceledError();
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        panel->retraceCompile();
        QVERIFY(panel->running());
        panel->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QVERIFY(panel->results().empty());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_retrace, TestWindowRetrace)
#include "tst_window_retrace.moc"
