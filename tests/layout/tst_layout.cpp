#include "layout/graphs.h"
#include "layout/laid_out.h"
#include "layout/layout.h"
#include "support/found_libraries.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

using namespace aotscope;
using namespace aotscope::layout;
using namespace aotscope::layout::test;

namespace {

LayoutOptions inProgramOrder() {
    LayoutOptions options;
    options.mostBoxesForDot = 0;
    return options;
}

const Box& boxOf(const Layout& layout, ir::NodeId id) {
    return layout.boxes[layout.boxOfNode[id.index()].index()];
}

double middleY(const Box& box) {
    return box.rect.y + box.rect.height / 2;
}

bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 && a.y < b.y + b.height - 0.5 &&
           b.y < a.y + a.height - 0.5;
}

bool contains(const Rect& outer, const Rect& inner) {
    return inner.x >= outer.x - 0.5 && inner.y >= outer.y - 0.5 &&
           inner.x + inner.width <= outer.x + outer.width + 0.5 &&
           inner.y + inner.height <= outer.y + outer.height + 0.5;
}

/// Properties of every layout.
void checkSound(const ir::Graph& graph, const Layout& layout) {
    for (const Box& box : layout.boxes) {
        CHECK(std::isfinite(box.rect.x));
        CHECK(std::isfinite(box.rect.y));
        CHECK(contains(layout.bounds, box.rect));
    }
    std::size_t overlaps = 0;
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < layout.boxes.size(); ++j) {
            overlaps += overlap(layout.boxes[i].rect, layout.boxes[j].rect) ? 1 : 0;
        }
    }
    CHECK(overlaps == 0);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;
    for (const ir::NodeId id : graph.order()) {
        REQUIRE(layout.boxOfNode[id.index()].valid());
        for (const ir::NodeId user : graph.users(id)) {
            const BoxId from = layout.boxOfNode[id.index()];
            const BoxId to = layout.boxOfNode[user.index()];
            if (from != to) {
                ++expected[{from.index(), to.index()}];
            }
        }
    }
    CHECK(layout.edges.size() == expected.size());
    for (const Edge& edge : layout.edges) {
        CHECK(expected[{edge.from.index(), edge.to.index()}] == edge.count);
        REQUIRE(edge.path.size() >= 4);
        CHECK(edge.path.size() % 3 == 1);
        for (const auto& [point, box] :
             {std::pair(edge.path.front(), edge.from), std::pair(edge.path.back(), edge.to)}) {
            const Rect& r = layout.boxes[box.index()].rect;
            constexpr double near = 3;
            CHECK(contains({r.x - near, r.y - near, r.width + 2 * near, r.height + 2 * near},
                           {point.x, point.y, 0, 0}));
        }
    }
    for (const Box& box : layout.boxes) {
        GroupId at = box.isGroup ? layout.groups[box.group.index()].parent : box.group;
        for (; at.valid(); at = layout.groups[at.index()].parent) {
            CHECK(layout.groups[at.index()].open);
            CHECK(contains(layout.groups[at.index()].frame, box.rect));
        }
    }
}

bool same(const Layout& a, const Layout& b) {
    const auto sameRect = [](const Rect& x, const Rect& y) {
        return x.x == y.x && x.y == y.y && x.width == y.width && x.height == y.height;
    };
    const auto samePoint = [](const Point& x, const Point& y) { return x.x == y.x && x.y == y.y; };
    return std::ranges::equal(a.boxes, b.boxes, sameRect, &Box::rect, &Box::rect) &&
           std::ranges::equal(a.groups, b.groups, sameRect, &Group::frame, &Group::frame) &&
           std::ranges::equal(a.edges, b.edges, [&](const Edge& x, const Edge& y) {
               return x.from == y.from && x.to == y.to && x.bytes == y.bytes &&
                      std::ranges::equal(x.path, y.path, samePoint);
           });
}

} // namespace

TEST_CASE("a joint graph is folded: backward on the right, level with its forward, running upwards") {
    const Chain chain = jointChain(12);
    for (const LayoutOptions& options : {LayoutOptions(), inProgramOrder()}) {
        const LayoutPtr layout = laidOut(*chain.graph, chain.modules, options);
        CAPTURE(layout->engine);
        CHECK(layout->folded);
        checkSound(*chain.graph, *layout);
        double forwardEnd = 0;
        double backwardBegin = 1e9;
        for (std::size_t i = 0; i < chain.forward.size(); ++i) {
            const Box& forward = boxOf(*layout, chain.forward[i]);
            const Box& backward = boxOf(*layout, chain.backward[i]);
            CHECK_FALSE(forward.isBackward);
            CHECK(backward.isBackward);
            forwardEnd = std::max(forwardEnd, forward.rect.x + forward.rect.width);
            backwardBegin = std::min(backwardBegin, backward.rect.x);
            CHECK(std::abs(middleY(forward) - middleY(backward)) < 1);
            if (i > 0) {
                CHECK(middleY(boxOf(*layout, chain.forward[i - 1])) < middleY(forward));
            }
        }
        CHECK(forwardEnd < backwardBegin);
    }
}

TEST_CASE("saved tensors are the edges across the fold, with their bytes") {
    const Chain chain = jointChain(5);
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules);
    std::size_t saved = 0;
    for (const Edge& edge : layout->edges) {
        const bool across =
            !layout->boxes[edge.from.index()].isBackward && layout->boxes[edge.to.index()].isBackward;
        CHECK((edge.kind == EdgeKind::Saved) == across);
        saved += across ? 1 : 0;
        CHECK(edge.bytes == 8 * 64 * 4);
    }
    CHECK(saved == 5);
}

TEST_CASE("an edge between closed groups counts a tensor once, however many use it") {
    {
        GraphBuilder builder;
        const ir::NodeId x = builder.input("x");
        const ir::NodeId a = builder.call("a", {x}, "left");
        const ir::NodeId a2 = builder.call("a2", {a}, "left");
        const ir::NodeId b = builder.call("b", {a}, "right");
        const ir::NodeId c = builder.call("c", {a, b, a2}, "right");
        builder.output({c});
        LayoutOptions options;
        options.closedGroups = {"left", "right"};
        const ir::ModulePaths modules = builder.modules();
        const ir::GraphPtr graph = builder.freeze();
        const LayoutPtr layout = laidOut(*graph, modules, options);
        checkSound(*graph, *layout);
        const BoxId left = layout->boxOfNode[a.index()];
        const BoxId right = layout->boxOfNode[b.index()];
        const auto edge = std::ranges::find_if(
            layout->edges, [&](const Edge& each) { return each.from == left && each.to == right; });
        REQUIRE(edge != layout->edges.end());
        CHECK(edge->count == 3);
        CHECK(edge->bytes == 2 * 8 * 64 * 4);
    }
}

TEST_CASE("bytes of symbolic shapes are counted with the graph's hints") {
    GraphBuilder builder;
    const ir::NodeId x = builder.input("x");
    ir::TensorMeta meta = tensor({});
    meta.shape = {ir::SymInt(ir::SymExpr("s0")), ir::SymInt(4)};
    builder.graph().editMeta(x).value = meta;
    builder.graph().editSymbolHints()["s0"] = 10;
    builder.output({builder.call("a", {x})});
    const ir::GraphPtr graph = builder.freeze();
    const LayoutPtr layout = laidOut(*graph, {});
    REQUIRE(layout->edges.size() == 2);
    CHECK(layout->edges.front().bytes == 10 * 4 * 4);
}

TEST_CASE("the same graph gives the same picture") {
    const Chain chain = jointChain(40, 4);
    for (const LayoutOptions& options : {LayoutOptions(), inProgramOrder()}) {
        CHECK(same(*laidOut(*chain.graph, chain.modules, options),
                   *laidOut(*chain.graph, chain.modules, options)));
    }
}

TEST_CASE("without dot the picture is made in program order and the note says what to install") {
    const Chain chain = jointChain(6);
    LayoutOptions options;
    options.dotProgram = "/nonexistent/dot";
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules, options);
    checkSound(*chain.graph, *layout);
    CHECK(layout->engine == "program order");
    CHECK(layout->note.find("/nonexistent/dot") != std::string::npos);
    CHECK(layout->note.find("install") != std::string::npos);
}

TEST_CASE("a dot that gives nonsense, nothing or an early end is not believed") {
    const Chain chain = jointChain(6);
    for (const std::string program : {"true", "false", "cat"}) {
        CAPTURE(program);
        LayoutOptions options;
        options.dotProgram = program;
        const LayoutPtr layout = laidOut(*chain.graph, chain.modules, options);
        checkSound(*chain.graph, *layout);
        CHECK(layout->engine == "program order");
        CHECK(layout->note.find(program) != std::string::npos);
    }
}

TEST_CASE("more boxes than dot can lay out go straight to program order") {
    const Chain chain = jointChain(30);
    LayoutOptions options;
    options.mostBoxesForDot = 20;
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules, options);
    checkSound(*chain.graph, *layout);
    CHECK(layout->engine == "program order");
    CHECK(layout->note.find("63 boxes") != std::string::npos);
}

TEST_CASE("a stopped layout answers canceled") {
    const Chain chain = jointChain(6);
    std::stop_source source;
    source.request_stop();
    const auto result =
        computeLayout(*chain.graph, chain.modules, {}, base::Progress({}, source.get_token()));
    REQUIRE_FALSE(result.ok());
    CHECK(base::isCanceled(result.error()));
}

TEST_CASE("an empty graph and a graph of one node have a layout") {
    const ir::GraphPtr empty = ir::GraphBuilder().finish();
    CHECK(laidOut(*empty, {})->boxes.empty());
    GraphBuilder builder;
    builder.input("x");
    const ir::GraphPtr one = builder.freeze();
    const LayoutPtr layout = laidOut(*one, {});
    checkSound(*one, *layout);
    CHECK(layout->boxes.size() == 1);
}

TEST_CASE("uses before definitions and circles are laid out too") {
    GraphBuilder builder;
    const ir::NodeId a = builder.call("a", {});
    const ir::NodeId b = builder.call("b", {a});
    const ir::NodeId c = builder.call("c", {b});
    builder.graph().setArguments(a, {c});
    builder.graph().setArguments(b, {a, b});
    builder.output({c});
    const ir::GraphPtr graph = builder.freeze();
    for (const LayoutOptions& options : {LayoutOptions(), inProgramOrder()}) {
        checkSound(*graph, *laidOut(*graph, {}, options));
    }
}

TEST_CASE("many inputs of one user are stacked instead of spread over one row") {
    GraphBuilder builder;
    std::vector<ir::NodeId> inputs;
    for (int i = 0; i < 200; ++i) {
        inputs.push_back(builder.input("x" + std::to_string(i)));
    }
    builder.output(inputs);
    const ir::GraphPtr graph = builder.freeze();
    const LayoutPtr layout = laidOut(*graph, {});
    checkSound(*graph, *layout);
    CHECK(layout->bounds.width < 4000);
}

TEST_CASE("weights stand near their users, not in one row at the top") {
    if (!found::hasDot()) {
        return;
    }
    GraphBuilder builder;
    ir::NodeId at = builder.input("x");
    std::vector<std::pair<ir::NodeId, ir::NodeId>> uses;
    std::vector<ir::NodeId> weights;
    for (int i = 0; i < 60; ++i) {
        weights.push_back(builder.input("w" + std::to_string(i)));
    }
    for (int i = 0; i < 60; ++i) {
        const ir::NodeId transposed = builder.call("t" + std::to_string(i), {weights[std::size_t(i)]});
        at = builder.call("mm" + std::to_string(i), {at, transposed});
        uses.emplace_back(transposed, at);
    }
    builder.output({at});
    const ir::GraphPtr graph = builder.freeze();
    const LayoutPtr layout = laidOut(*graph, {});
    REQUIRE(layout->engine == "dot");
    checkSound(*graph, *layout);
    for (const auto& [weight, user] : uses) {
        CHECK(std::abs(middleY(boxOf(*layout, weight)) - middleY(boxOf(*layout, user))) < 200);
    }
}
