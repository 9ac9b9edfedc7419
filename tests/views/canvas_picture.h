#pragma once

#include "support/view_bench.h"

#include "graph/graph_canvas.h"
#include "ir/graph_builder.h"
#include "ir/text/descriptor_text.h"

#include <cmath>
#include <utility>

namespace aotscope::views {

inline ir::Node tensorNode(const std::string& name, ir::Opcode op, const std::string& target,
                           ir::Arguments args) {
    ir::Node node;
    node.name = name;
    node.op = op;
    node.target = target;
    node.args = std::move(args);
    ir::TensorMeta meta;
    meta.dtype = ir::DType::Float32;
    meta.shape = {ir::SymInt(8), ir::SymInt(4)};
    node.value = meta;
    return node;
}

/// A graph of weight and x → mm → relu → output, with a backward mul that takes the saved relu and the
/// tangent. Two of the nodes can be in a closed group.
inline session::LayoutSnapshotPtr smallPicture(bool groupClosed) {
    ir::GraphBuilder graph;
    ir::Node weight = tensorNode("primals_1", ir::Opcode::Placeholder, "", {});
    weight.inputSource = "L['self']._modules['fc']._parameters['weight']";
    weight.descriptors = {ir::parsePlaceholderDescriptor("PlainAOTInput(idx=0)")};
    ir::Node x = tensorNode("primals_2", ir::Opcode::Placeholder, "", {});
    x.descriptors = {ir::parsePlaceholderDescriptor("PlainAOTInput(idx=1)")};
    ir::Node tangent = tensorNode("tangents_1", ir::Opcode::Placeholder, "", {});
    tangent.descriptors = {ir::parsePlaceholderDescriptor("TangentAOTInput(output=PlainAOTOutput(idx=0))")};
    const ir::NodeId a = graph.append(std::move(weight));
    const ir::NodeId b = graph.append(std::move(x));
    const ir::NodeId t = graph.append(std::move(tangent));
    const ir::NodeId mm = graph.append(tensorNode("mm", ir::Opcode::CallFunction, "aten.mm.default", {b, a}));
    const ir::NodeId relu =
        graph.append(tensorNode("relu", ir::Opcode::CallFunction, "aten.relu.default", {mm}));
    const ir::NodeId mul =
        graph.append(tensorNode("mul", ir::Opcode::CallFunction, "aten.mul.Tensor", {t, relu}));
    ir::Node output;
    output.name = "output";
    output.op = ir::Opcode::Output;
    output.args = {ir::Argument(ir::ListArgument{{ir::Argument(relu), ir::Argument(mul)}})};
    output.descriptors = {ir::parseReturnedDescriptor("PlainAOTOutput(idx=0)"),
                          ir::parseReturnedDescriptor("GradAOTOutput(grad_of=PlainAOTInput(idx=1))")};
    const ir::NodeId out = graph.append(std::move(output));

    auto snapshot = std::make_shared<session::GraphSnapshot>();
    snapshot->graph = graph.finish();
    snapshot->reference = {0, {}, "joint"};
    snapshot->joint = true;
    snapshot->phases.assign(7, ir::Phase::Forward);
    snapshot->phases[t.index()] = ir::Phase::Backward;
    snapshot->phases[mul.index()] = ir::Phase::Backward;
    snapshot->modules.ofNode.resize(7);
    snapshot->modules.ofNode[mm.index()].path = "fc";
    snapshot->modules.ofNode[relu.index()].path = "fc";

    auto made = std::make_shared<layout::Layout>();
    made->boxOfNode.resize(7);
    made->folded = true;
    const auto addBox = [&](ir::NodeId node, double left, double top, bool backward) {
        layout::Box box;
        box.rect = {left, top, 180, 40};
        box.node = node;
        box.isBackward = backward;
        made->boxOfNode[node.index()] = BoxId(std::uint32_t(made->boxes.size()));
        made->boxes.push_back(box);
    };
    addBox(a, 0, 0, false);
    addBox(b, 200, 0, false);
    layout::Group group;
    group.path = "fc";
    group.title = "fc";
    group.nodes = {mm, relu};
    group.open = !groupClosed;
    if (groupClosed) {
        layout::Box box;
        box.rect = {100, 100, 180, 40};
        box.group = GroupId(0);
        box.isGroup = true;
        box.nodeCount = 2;
        made->boxOfNode[mm.index()] = made->boxOfNode[relu.index()] = BoxId(2);
        made->boxes.push_back(box);
    } else {
        addBox(mm, 100, 100, false);
        addBox(relu, 100, 180, false);
        made->boxes[2].group = made->boxes[3].group = GroupId(0);
        group.frame = {80, 70, 220, 160};
    }
    made->groups.push_back(group);
    addBox(mul, 500, 180, true);
    addBox(t, 500, 300, true);
    addBox(out, 300, 380, false);
    const auto addEdge = [&](ir::NodeId from, ir::NodeId to, layout::EdgeKind kind) {
        layout::Edge edge;
        edge.from = made->boxOfNode[from.index()];
        edge.to = made->boxOfNode[to.index()];
        if (edge.from == edge.to) {
            return;
        }
        edge.kind = kind;
        edge.bytes = 128;
        const layout::Rect& f = made->boxes[edge.from.index()].rect;
        const layout::Rect& g = made->boxes[edge.to.index()].rect;
        const layout::Point start{f.x + f.width / 2, f.y + f.height / 2};
        const layout::Point end{g.x + g.width / 2, g.y + g.height / 2};
        edge.path = {start, start, end, end};
        made->edges.push_back(edge);
    };
    addEdge(a, mm, layout::EdgeKind::Data);
    addEdge(b, mm, layout::EdgeKind::Data);
    addEdge(mm, relu, layout::EdgeKind::Data);
    addEdge(relu, mul, layout::EdgeKind::Saved);
    addEdge(t, mul, layout::EdgeKind::Data);
    addEdge(relu, out, layout::EdgeKind::Data);
    addEdge(mul, out, layout::EdgeKind::Data);
    made->bounds = {0, 0, 680, 420};
    auto result = std::make_shared<session::LayoutSnapshot>();
    result->graph = snapshot;
    result->layout = made;
    return result;
}

/// Marks of a partition that saves these nodes, each with that many bytes.
inline PartitionMarksPtr savedMarks(const session::LayoutSnapshotPtr& picture,
                                    const std::vector<std::string>& saved, std::int64_t bytes) {
    const ir::Graph& graph = *picture->graph->graph;
    auto answer = std::make_shared<session::SplitMarksSnapshot>();
    answer->picture = picture;
    answer->facts.fates.assign(graph.idBound(), ir::NodeFate::ForwardOnly);
    for (const ir::NodeId node : graph.order()) {
        if (picture->graph->phases[node.index()] == ir::Phase::Backward) {
            answer->facts.fates[node.index()] = ir::NodeFate::BackwardOnly;
        }
    }
    for (const std::string& name : saved) {
        const ir::NodeId node = graph.tryFind(name).value();
        answer->facts.fates[node.index()] = ir::NodeFate::Saved;
        answer->facts.saved.push_back({node, bytes});
    }
    answer->marks = layout::splitMarks(graph, *picture->layout, answer->facts);
    return std::make_shared<const PartitionMarks>(answer);
}

struct Shown {
    explicit Shown(bool groupClosed = false)
        : scene(GraphScene::make(smallPicture(groupClosed))), canvas(theme) {
        canvas.resize(900, 600);
        canvas.show();
        show(scene);
    }
    void show(const GraphScenePtr& next, const std::optional<GraphCanvas::Anchor>& anchor = {},
              bool keepView = false) {
        canvas.setScene(next, makeColoring(*next, ColorBy::Kind, theme.theme(), nullptr), anchor, keepView);
    }
    [[nodiscard]] BoxId box(const char* name) const {
        return scene->boxOf(scene->graph().tryFind(name).value());
    }
    [[nodiscard]] std::string name(BoxId id) const { return scene->graph().node(scene->box(id).node).name; }
    [[nodiscard]] QPoint pixel(BoxId id) const { return canvas.toPixel(scene->rect(id).center()).toPoint(); }

    ThemeSource theme;
    GraphScenePtr scene;
    GraphCanvas canvas;
};

} // namespace aotscope::views
