#include "layout/graphs.h"
#include "layout/laid_out.h"
#include "layout/layout.h"
#include "support/found_libraries.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;
using namespace aotscope::layout;
using namespace aotscope::layout::test;

namespace {

const Group* find(const Layout& layout, std::string_view path, bool backward) {
    const auto found = std::ranges::find_if(layout.groups, [&](const Group& group) {
        return group.path == path && group.isBackward == backward;
    });
    return found == layout.groups.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("a small graph shows every node inside the frames of its modules") {
    const Chain chain = jointChain(12, 4);
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules);
    CHECK(layout->boxes.size() == chain.graph->size());
    for (const bool backward : {false, true}) {
        const Group* group = find(*layout, "blocks.1", backward);
        REQUIRE(group != nullptr);
        CHECK(group->open);
        CHECK(group->nodes.size() == 4);
        CHECK_FALSE(group->derived);
    }
}

TEST_CASE("a large graph opens the outermost modules only") {
    const Chain chain = jointChain(2000, 40);
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules);
    CHECK(layout->boxes.size() <= LayoutOptions().comfortableBoxes);
    CHECK(layout->boxes.size() >= 100);
    const Group* closed = find(*layout, "blocks.3", false);
    REQUIRE(closed != nullptr);
    CHECK_FALSE(closed->open);
    const BoxId box = layout->boxOfNode[chain.forward[3 * 40].index()];
    CHECK(layout->boxes[box.index()].isGroup);
    CHECK(layout->boxes[box.index()].nodeCount == 40);
}

TEST_CASE("both closed halves of a module lie side by side") {
    const Chain chain = jointChain(2000, 40);
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules);
    for (std::size_t i = 0; i < 2000; i += 40) {
        const Rect& forward = layout->boxes[layout->boxOfNode[chain.forward[i].index()].index()].rect;
        const Rect& backward = layout->boxes[layout->boxOfNode[chain.backward[i].index()].index()].rect;
        CHECK(std::abs(forward.y - backward.y) < 1);
        CHECK(forward.x + forward.width < backward.x);
    }
}

TEST_CASE("a group opens and closes in place, and reopening gives the same picture") {
    const Chain chain = jointChain(2000, 40);
    LayoutOptions opened;
    opened.openGroups = {"blocks.3"};
    const LayoutPtr before = laidOut(*chain.graph, chain.modules);
    const LayoutPtr open = laidOut(*chain.graph, chain.modules, opened);
    CHECK(open->boxes.size() == before->boxes.size() + 2 * 39);
    REQUIRE(find(*open, "blocks.3", true) != nullptr);
    CHECK(find(*open, "blocks.3", true)->open);
    CHECK(find(*open, "blocks.4", true)->open == false);
    const LayoutPtr again = laidOut(*chain.graph, chain.modules, opened);
    CHECK(std::ranges::equal(
        open->boxes, again->boxes, {}, [](const Box& b) { return b.rect.y; },
        [](const Box& b) { return b.rect.y; }));
    opened.closedGroups = {"blocks.3"};
    CHECK(laidOut(*chain.graph, chain.modules, opened)->boxes.size() == before->boxes.size());
}

TEST_CASE("siblings stay in program order") {
    const Chain chain = jointChain(400, 20);
    LayoutOptions options;
    options.comfortableBoxes = 60;
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules, options);
    double last = -1;
    for (std::size_t i = 0; i < 400; i += 20) {
        const double y = layout->boxes[layout->boxOfNode[chain.forward[i].index()].index()].rect.y;
        CHECK(y > last);
        last = y;
    }
}

TEST_CASE("20,000 nodes without modules become numbered runs, few enough to look at") {
    const Chain chain = jointChain(10'000);
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules);
    CHECK(layout->boxes.size() <= LayoutOptions().comfortableBoxes);
    CHECK(layout->boxes.size() >= 20);
    const auto run = std::ranges::find_if(layout->boxes, [](const Box& box) { return box.isGroup; });
    REQUIRE(run != layout->boxes.end());
    CHECK(layout->groups[run->group.index()].title.starts_with("nodes "));
    for (const ir::NodeId id : chain.graph->order()) {
        CHECK(layout->boxOfNode[id.index()].valid());
    }
}

TEST_CASE("a thousand modules side by side are put into runs of modules") {
    const Chain chain = jointChain(10'000, 10);
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules);
    CHECK(layout->boxes.size() <= LayoutOptions().comfortableBoxes);
    CHECK(std::ranges::any_of(
        layout->groups, [](const Group& group) { return group.title.find(" – ") != std::string::npos; }));
}

TEST_CASE("a run opens by its path like any group") {
    const Chain chain = jointChain(10'000);
    const LayoutPtr before = laidOut(*chain.graph, chain.modules);
    const auto run = std::ranges::find_if(before->boxes, [](const Box& box) { return box.isGroup; });
    REQUIRE(run != before->boxes.end());
    LayoutOptions options;
    options.openGroups = {before->groups[run->group.index()].path};
    CHECK(laidOut(*chain.graph, chain.modules, options)->boxes.size() > before->boxes.size());
}

TEST_CASE("without grouping every node is a box and there are no groups") {
    const Chain chain = jointChain(12, 4);
    LayoutOptions options;
    options.grouping = Grouping::None;
    const LayoutPtr layout = laidOut(*chain.graph, chain.modules, options);
    CHECK(layout->groups.empty());
    CHECK(layout->boxes.size() == chain.graph->size());
}

TEST_CASE("a module whose result comes back to it is split into parts, so that no circle appears") {
    GraphBuilder builder;
    ir::NodeId at = builder.input("x");
    for (int i = 0; i < 3; ++i) {
        for (const char* module : {"cell", "other"}) {
            at = builder.call("n", {at}, module);
            at = builder.call("n", {at}, module);
        }
    }
    builder.output({at});
    const bool hasDot = found::hasDot();
    LayoutOptions options;
    options.closedGroups = {"cell", "cell (2)", "cell (3)", "other", "other (2)", "other (3)"};
    const ir::ModulePaths modules = builder.modules();
    const ir::GraphPtr graph = builder.freeze();
    const LayoutPtr layout = laidOut(*graph, modules, options);
    for (const std::string& path : options.closedGroups) {
        CAPTURE(path);
        const Group* group = find(*layout, path, false);
        REQUIRE(group != nullptr);
        CHECK(group->nodes.size() == 2);
    }
    for (const Edge& edge : layout->edges) {
        if (hasDot) {
            CHECK(layout->boxes[edge.from.index()].rect.y < layout->boxes[edge.to.index()].rect.y);
        }
    }
}

TEST_CASE("paths of any depth and content are bounded") {
    GraphBuilder builder;
    const std::string deep(50'000, '.');
    const std::string strange = "a\"b}\n\\..\xff" + std::string(100'000, 'm');
    ir::NodeId at = builder.input("x");
    for (const std::string& path : {deep, deep, strange, strange}) {
        at = builder.call("n", {at}, path);
    }
    builder.output({at});
    const ir::ModulePaths modules = builder.modules();
    const ir::GraphPtr graph = builder.freeze();
    const LayoutPtr layout = laidOut(*graph, modules);
    if (found::hasDot()) {
        CHECK(layout->engine == "dot");
    }
    CHECK(layout->boxes.size() == 6);
}
