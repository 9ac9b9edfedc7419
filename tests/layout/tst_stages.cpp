// Stages of a program laid out together: unchanged nodes keep their places.
#include "layout/stages.h"

#include "graphs.h"

#include "ir/compare/graph_diff.h"
#include "ir/graph_builder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace aotscope;
using namespace aotscope::layout;

namespace {

bool reallyOverlap(const Rect& a, const Rect& b) {
    constexpr double touching = 0.01;
    return a.x + a.width > b.x + touching && b.x + b.width > a.x + touching &&
           a.y + a.height > b.y + touching && b.y + b.height > a.y + touching;
}

bool same(const Rect& a, const Rect& b) {
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

bool isOnBorder(const Rect& r, const Point& p) {
    constexpr double near = 1.5;
    return p.x >= r.x - near && p.x <= r.x + r.width + near && p.y >= r.y - near &&
           p.y <= r.y + r.height + near;
}

/// Appends a stage, matched with the previous one as the window does it.
void append(std::vector<Stage>& stages, ir::GraphPtr graph, ir::ModulePaths modules) {
    Stage stage{std::move(graph), std::move(modules), {}};
    if (!stages.empty()) {
        stage.partner = ir::diffGraphs(*stages.back().graph, *stage.graph).partnerOfRight;
    }
    stages.push_back(std::move(stage));
}

/// Appends `length` blocks of three calls. `decomposed` replaces every third call by two; `joint` adds a
/// backward.
void appendChain(std::vector<Stage>& stages, std::size_t length, bool decomposed, bool joint) {
    test::GraphBuilder builder;
    std::vector<ir::NodeId> forward;
    ir::NodeId at = builder.input("primals_1");
    ir::NodeId gradient;
    if (joint) {
        gradient = builder.input("tangents_1");
    }
    const auto call = [&](const std::string& name, const std::string& target, std::vector<ir::NodeId> inputs,
                          std::size_t block) {
        const ir::NodeId made = builder.call(name, inputs, "blocks." + std::to_string(block));
        ir::Node node = builder.graph().node(made);
        node.target = "aten." + target + ".default";
        builder.graph().replace(made, std::move(node));
        return made;
    };
    for (std::size_t i = 0; i < length; ++i) {
        const std::string number = std::to_string(i);
        at = call("relu_" + number, "relu", {at}, i);
        at = call("exp_" + number, "exp", {at}, i);
        if (decomposed) {
            at = call("neg_" + number, "neg", {at}, i);
            at = call("mul_" + number, "mul", {at, forward.empty() ? at : forward.back()}, i);
        } else {
            at = call("silu_" + number, "silu", {at}, i);
        }
        forward.push_back(at);
    }
    std::vector<ir::NodeId> results{at};
    for (std::size_t i = length; joint && i-- > 0;) {
        gradient = call("grad_" + std::to_string(i), "threshold_backward", {gradient, forward[i]}, i);
    }
    if (joint) {
        results.push_back(gradient);
    }
    builder.output(results);
    ir::ModulePaths modules = builder.modules();
    append(stages, builder.freeze(), std::move(modules));
}

std::vector<Stage> threeStages(std::size_t length) {
    std::vector<Stage> stages;
    appendChain(stages, length, false, false);
    appendChain(stages, length, true, false);
    appendChain(stages, length, true, true);
    return stages;
}

void checkMatchedStay(const std::vector<Stage>& stages, const std::vector<LayoutPtr>& layouts) {
    REQUIRE(layouts.size() == stages.size());
    for (std::size_t stage = 1; stage < stages.size(); ++stage) {
        std::size_t matched = 0;
        std::size_t moved = 0;
        for (const ir::NodeId id : stages[stage].graph->order()) {
            const ir::NodeId partner = stages[stage].partner[id.index()];
            if (!partner.valid()) {
                continue;
            }
            const BoxId box = layouts[stage]->boxOfNode[id.index()];
            const BoxId before = layouts[stage - 1]->boxOfNode[partner.index()];
            REQUIRE(box.valid());
            REQUIRE(before.valid());
            ++matched;
            moved +=
                same(layouts[stage]->boxes[box.index()].rect, layouts[stage - 1]->boxes[before.index()].rect)
                    ? 0
                    : 1;
        }
        CHECK(matched > stages[stage - 1].graph->size() / 2);
        CHECK(moved == 0);
    }
}

/// For one stage: no boxes overlap, and every edge ends at its boxes.
void checkPicture(const Stage& stage, const Layout& layout) {
    std::size_t overlaps = 0;
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
        for (std::size_t j = i + 1; j < layout.boxes.size(); ++j) {
            overlaps += reallyOverlap(layout.boxes[i].rect, layout.boxes[j].rect) ? 1 : 0;
        }
    }
    CHECK(overlaps == 0);
    std::size_t edgesOfGraph = 0;
    for (const ir::NodeId id : stage.graph->order()) {
        REQUIRE(layout.boxOfNode[id.index()].valid());
        for (const ir::NodeId user : stage.graph->users(id)) {
            edgesOfGraph += layout.boxOfNode[id.index()] != layout.boxOfNode[user.index()] ? 1 : 0;
        }
    }
    std::size_t drawn = 0;
    for (const Edge& edge : layout.edges) {
        drawn += edge.count;
        REQUIRE(edge.path.size() >= 4);
        CHECK(isOnBorder(layout.boxes[edge.from.index()].rect, edge.path.front()));
        CHECK(isOnBorder(layout.boxes[edge.to.index()].rect, edge.path.back()));
    }
    CHECK(drawn == edgesOfGraph);
    for (const Box& box : layout.boxes) {
        CHECK(box.rect.x >= layout.bounds.x);
        CHECK(box.rect.x + box.rect.width <= layout.bounds.x + layout.bounds.width);
    }
}

std::size_t nodesShown(const Layout& layout) {
    std::size_t count = 0;
    for (const Box& box : layout.boxes) {
        count += box.nodeCount;
    }
    return count;
}

} // namespace

TEST_CASE("a node that stands for one of the stage before lies where that lay") {
    const std::vector<Stage> stages = threeStages(6);
    for (const bool withDot : {true, false}) {
        CAPTURE(withDot);
        LayoutOptions options;
        options.dotProgram = withDot ? "" : "no-such-dot";
        const auto layouts = layOutStages(stages, options);
        REQUIRE(layouts.ok());
        checkMatchedStay(stages, *layouts);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            CAPTURE(i);
            checkPicture(stages[i], *(*layouts)[i]);
            CHECK(nodesShown(*(*layouts)[i]) == stages[i].graph->size());
        }
        CHECK(!layouts->front()->folded);
        CHECK(layouts->back()->folded);
    }
}

TEST_CASE("no node of any stage lies where another node of another stage lies") {
    const std::vector<Stage> stages = threeStages(4);
    const auto layouts = layOutStages(stages, {});
    REQUIRE(layouts.ok());
    std::size_t overlaps = 0;
    for (const Box& one : layouts->front()->boxes) {
        for (const Box& other : layouts->back()->boxes) {
            overlaps += reallyOverlap(one.rect, other.rect) && !same(one.rect, other.rect) ? 1 : 0;
        }
    }
    CHECK(overlaps == 0);
}

TEST_CASE("closed groups stay too, and count their stage's nodes") {
    const std::vector<Stage> stages = threeStages(4);
    LayoutOptions options;
    options.grouping = Grouping::Automatic;
    options.closedGroups = {"blocks.0", "blocks.1"};
    const auto layouts = layOutStages(stages, options);
    REQUIRE(layouts.ok());
    checkMatchedStay(stages, *layouts);
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        checkPicture(stages[i], *(*layouts)[i]);
        CHECK(nodesShown(*(*layouts)[i]) == stages[i].graph->size());
        for (const Box& box : (*layouts)[i]->boxes) {
            const bool wanted =
                box.isGroup && (*layouts)[i]->groups[box.group.index()].path == "blocks.1" && !box.isBackward;
            if (wanted) {
                counts.push_back(box.nodeCount);
            }
        }
    }
    CHECK(counts == std::vector<std::uint32_t>{3, 4, 4});
}

TEST_CASE("only groups with nodes in a stage are framed there") {
    const std::vector<Stage> stages = threeStages(4);
    LayoutOptions options;
    options.grouping = Grouping::ByModule;
    const auto layouts = layOutStages(stages, options);
    REQUIRE(layouts.ok());
    const auto backwardGroups = [](const Layout& layout) {
        return std::ranges::count_if(layout.groups, [](const Group& group) { return group.isBackward; });
    };
    const auto forwardGroups = [](const Layout& layout) {
        return std::ranges::count_if(layout.groups, [](const Group& group) { return !group.isBackward; });
    };
    CHECK(backwardGroups(*(*layouts)[0]) == 0);
    // "blocks" and the four below it.
    CHECK(forwardGroups(*(*layouts)[0]) == 5);
    CHECK(forwardGroups(*(*layouts)[2]) == 5);
    for (const LayoutPtr& layout : *layouts) {
        for (const Group& group : layout->groups) {
            CHECK(!group.nodes.empty());
            CHECK((!group.parent.valid() || group.parent.index() < layout->groups.size()));
        }
    }
}

TEST_CASE("runs of program order are named by their stage's places") {
    std::vector<Stage> stages;
    for (const std::size_t length : {600, 700}) {
        test::GraphBuilder builder;
        ir::NodeId at = builder.input("x");
        for (std::size_t i = 0; i < length; ++i) {
            at = builder.call("f" + std::to_string(i), {at});
        }
        builder.output({at});
        ir::ModulePaths modules = builder.modules();
        append(stages, builder.freeze(), std::move(modules));
    }
    const auto layouts = layOutStages(stages, {});
    REQUIRE(layouts.ok());
    checkMatchedStay(stages, *layouts);
    for (std::size_t i = 0; i < stages.size(); ++i) {
        std::size_t numbered = 0;
        for (const Group& group : (*layouts)[i]->groups) {
            if (group.isNumbered) {
                ++numbered;
                const std::size_t last = stages[i].graph->position(group.nodes.back());
                CHECK(group.title.ends_with("–" + std::to_string(last)));
            }
        }
        CHECK(numbered > 10);
    }
}

TEST_CASE("a stopped layout of stages answers canceled") {
    std::stop_source stop;
    stop.request_stop();
    const auto layouts = layOutStages(threeStages(3), {}, base::Progress({}, stop.get_token()));
    REQUIRE(!layouts.ok());
    CHECK(base::isCanceled(layouts.error()));
}

TEST_CASE("one stage alone is laid out like any graph") {
    std::vector<Stage> stages = threeStages(5);
    stages = {stages[0]};
    const auto together = layOutStages(stages, {});
    const auto alone = computeLayout(*stages[0].graph, stages[0].modules, {});
    REQUIRE(together.ok());
    REQUIRE(alone.ok());
    REQUIRE(together->front()->boxes.size() == (*alone)->boxes.size());
    for (const ir::NodeId id : stages[0].graph->order()) {
        CHECK(same(together->front()->boxes[together->front()->boxOfNode[id.index()].index()].rect,
                   (*alone)->boxes[(*alone)->boxOfNode[id.index()].index()].rect));
    }
}
