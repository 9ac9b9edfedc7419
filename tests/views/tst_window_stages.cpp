// The stages of a trace in the whole window: the bar to walk through them, and the Graph dock beside it.
#include "support/pictures.h"
#include "support/retrace_bench.h"
#include "support/window_test.h"

#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "ir/text/parser.h"
#include "retrace/retrace_panel.h"
#include "retrace/stage_bar.h"
#include "window/graph_dock.h"

#include <QSlider>

#include <map>

using namespace aotscope;
using namespace aotscope::views;
using test::RetraceBench;
using test::traced;

namespace {

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

} // namespace

class TestWindowStages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void stagesAreWalkedThrough() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest& request, const session::TracePauses&,
                                      base::Progress&) {
            aot::RetraceResult result = traced();
            if (request.stages) {
                using Kind = aot::TraceStageKind;
                const ir::GraphPtr one = *ir::parseGraphText(
                    QByteArray(test::madeText).replace("relu.default", "sigmoid.default").toStdString());
                result.stages = {{Kind::Program, request.program},
                                 {Kind::Resolved, nullptr, "an operator is not known"},
                                 {Kind::Functional, one},
                                 {Kind::Decomposed, one},
                                 {Kind::Joint, result.function.graph}};
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
            result.function.graph = result.stages.back().graph;
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

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_stages, TestWindowStages)
#include "tst_window_stages.moc"
