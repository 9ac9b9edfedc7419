// Time for a frame of the graph view, by number of boxes and zoom: bench_paint [BOXES…]

#include "graph/scene_painter.h"

#include "ir/graph_builder.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Two columns, forward and backward. Each box uses the one before it, and each forward box is saved for the
/// other column.
session::LayoutSnapshotPtr twoColumns(std::uint32_t count) {
    ir::GraphBuilder graph;
    graph.reserve(count);
    auto made = std::make_shared<layout::Layout>();
    for (std::uint32_t i = 0; i < count; ++i) {
        ir::Node node;
        node.name = "native_layer_norm_" + std::to_string(i);
        node.target = "aten.native_layer_norm.default";
        node.op = i == 0 ? ir::Opcode::Placeholder : ir::Opcode::CallFunction;
        if (i > 0) {
            node.args = {ir::NodeId(i - 1)};
        }
        ir::TensorMeta meta;
        meta.dtype = ir::DType::Float32;
        meta.shape = {ir::SymInt(128), ir::SymInt(256)};
        node.value = meta;
        graph.append(std::move(node));
        layout::Box box;
        box.node = ir::NodeId(i);
        box.rect = {(i % 2) * 420.0, (i / 2) * 60.0, 190, 40};
        made->boxes.push_back(box);
        made->boxOfNode.emplace_back(i);
        if (i >= 2) {
            const double x = (i % 2) * 420.0 + 95;
            const double y = (i / 2) * 60.0;
            layout::Edge edge;
            edge.from = BoxId(i - 2);
            edge.to = BoxId(i);
            edge.path = {{x, y - 20}, {x, y - 14}, {x, y - 6}, {x, y}};
            made->edges.push_back(edge);
        }
        if (i % 2 == 1) {
            const double y = (i / 2) * 60.0 + 20;
            layout::Edge edge;
            edge.kind = layout::EdgeKind::Saved;
            edge.from = BoxId(i - 1);
            edge.to = BoxId(i);
            edge.bytes = 4096 * std::int64_t(i);
            edge.path = {{190, y}, {260, y}, {350, y}, {420, y}};
            made->edges.push_back(edge);
        }
    }
    made->bounds = {0, 0, 610, count / 2 * 60.0};
    auto snapshot = std::make_shared<session::GraphSnapshot>();
    snapshot->graph = graph.finish();
    snapshot->phases.assign(count, ir::Phase::Forward);
    auto result = std::make_shared<session::LayoutSnapshot>();
    result->graph = std::move(snapshot);
    result->layout = std::move(made);
    return result;
}

/// A table line: milliseconds per frame at a zoom.
struct FrameTime {
    std::uint32_t boxes = 0;
    double zoom = 0;
    double mean = 0;
    double worst = 0;
};

void measure(std::uint32_t count, std::vector<FrameTime>& all) {
    const session::LayoutSnapshotPtr layout = twoColumns(count);
    QElapsedTimer timer;
    timer.start();
    const GraphScenePtr scene = GraphScene::make(layout);
    const double sceneTime = double(timer.nsecsElapsed()) / 1e6;
    SceneLook look = SceneLook::of(Theme::darkTheme());
    timer.restart();
    look.coloring = makeColoring(*scene, ColorBy::Kind, look.theme, nullptr);
    std::printf("%u boxes: scene %.1f ms, colours %.1f ms\n", count, sceneTime,
                double(timer.nsecsElapsed()) / 1e6);
    ScenePainter scenePainter;
    scenePainter.setScene(scene);
    QImage image(1400, 900, QImage::Format_ARGB32_Premultiplied);
    const double whole = 900 / scene->bounds().height();
    for (const double zoom : {2.0, 1.0, 0.55, 0.4, 0.2, 0.1, 0.02, whole}) {
        constexpr int frames = 20;
        double worst = 0;
        double sum = 0;
        for (int i = 0; i < frames; ++i) {
            // Panned a little each time, as by a wheel.
            const QPointF middle(305, scene->bounds().height() / 2 + i * 30 / zoom);
            QPainter painter(&image);
            timer.restart();
            scenePainter.paint(painter, look, QRectF(image.rect()), middle - QPointF(700, 450) / zoom, zoom);
            const double time = double(timer.nsecsElapsed()) / 1e6;
            worst = std::max(worst, time);
            sum += time;
        }
        std::printf("  zoom %-8.4g mean %6.2f ms  worst %6.2f ms\n", zoom, sum / frames, worst);
        all.push_back({count, zoom, sum / frames, worst});
    }
}

void writeJson(const std::string& path, const std::vector<FrameTime>& all) {
    std::ofstream out(path);
    out << R"({"benchmark": "paint", "unit": "milliseconds", "frames": [)";
    for (const FrameTime& frame : all) {
        out << (&frame == all.data() ? "\n" : ",\n") << R"(  {"boxes": )" << frame.boxes << R"(, "zoom": )"
            << frame.zoom << R"(, "mean": )" << frame.mean << R"(, "worst": )" << frame.worst << '}';
    }
    out << "\n]}\n";
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication application(argc, argv);
    std::string json;
    std::vector<std::uint32_t> counts;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json" && i + 1 < argc) {
            json = argv[++i];
        } else {
            counts.push_back(std::uint32_t(std::strtoul(argv[i], nullptr, 10)));
        }
    }
    std::vector<FrameTime> all;
    for (const std::uint32_t count :
         counts.empty() ? std::vector<std::uint32_t>{2'000, 20'000, 100'000} : counts) {
        measure(count, all);
    }
    if (!json.empty()) {
        writeJson(json, all);
    }
}
