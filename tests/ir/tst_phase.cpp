#include "ir/json.h"
#include "ir/phase.h"

#include "ir/golden.h"

#include <doctest/doctest.h>

using namespace aotscope::ir;

namespace {

bool isJointOf(const std::string& where) {
    return where.find("joint") != std::string::npos;
}

GraphPtr withoutTags(const Graph& graph) {
    Graph copy = graph.clone();
    for (const NodeId id : graph.order()) {
        copy.edit(id).partitionerTag = PartitionerTag::None;
    }
    return Graph::freeze(std::move(copy));
}

GraphPtr withoutDescriptors(const Graph& graph) {
    Graph copy = graph.clone();
    for (const NodeId id : graph.order()) {
        copy.edit(id).descriptors.clear();
    }
    return Graph::freeze(std::move(copy));
}

/// Compares with PyTorch's tags and names the first node that differs.
std::size_t compareWithTags(const Graph& tagged, const std::vector<Phase>& phases) {
    std::size_t compared = 0;
    for (const NodeId id : tagged.order()) {
        const PartitionerTag tag = tagged.node(id).partitionerTag;
        if (tag == PartitionerTag::None || tag == PartitionerTag::Both) {
            continue;
        }
        const Phase expected = tag == PartitionerTag::Forward ? Phase::Forward : Phase::Backward;
        ++compared;
        if (phases[id.index()] != expected) {
            FAIL_CHECK("node " << tagged.node(id).name << " is "
                               << std::string(expected == Phase::Forward ? "forward" : "backward")
                               << " in PyTorch");
            break;
        }
    }
    return compared;
}

} // namespace

TEST_CASE("phases derived without tags are the phases PyTorch recorded") {
    if (aotscope::test::corpusMissing()) {
        return;
    }
    std::size_t graphs = 0;
    std::size_t nodes = 0;
    aotscope::test::forEachGoldenGraph([&](aotscope::test::GoldenGraph& golden) {
        if (!isJointOf(golden.where)) {
            return;
        }
        CAPTURE(golden.where);
        const auto graph = graphFromJson(golden.json.dump());
        REQUIRE(graph);
        const GraphPtr bare = withoutTags(**graph);
        CHECK(isJointGraph(*bare));
        CHECK_FALSE(isBackwardGraph(*bare));
        nodes += compareWithTags(**graph, nodePhases(*bare));
        compareWithTags(**graph, nodePhases(*withoutDescriptors(*bare)));
        CHECK(compareWithTags(**graph, nodePhases(**graph)) > 0);
        ++graphs;
    });
    CHECK(graphs > 60);
    CHECK(nodes > 25'000);
}

TEST_CASE("graphs that are not joint have one phase") {
    if (aotscope::test::corpusMissing()) {
        return;
    }
    std::size_t backwards = 0;
    aotscope::test::forEachGoldenGraph([&](aotscope::test::GoldenGraph& golden) {
        if (isJointOf(golden.where)) {
            return;
        }
        CAPTURE(golden.where);
        const bool backward =
            golden.where.size() > 3 && golden.where.substr(golden.where.size() - 3) == "/bw";
        const auto read = graphFromJson(golden.json.dump());
        REQUIRE(read);
        for (const GraphPtr& graph : {*read, withoutDescriptors(**read)}) {
            CHECK_FALSE(isJointGraph(*graph));
            const std::vector<Phase> phases = nodePhases(*graph);
            const Phase expected = backward ? Phase::Backward : Phase::Forward;
            CHECK(std::all_of(phases.begin(), phases.end(), [&](Phase phase) { return phase == expected; }));
        }
        backwards += backward ? 1 : 0;
    });
    CHECK(backwards > 100);
}

TEST_CASE("an empty graph has no phase and is not joint") {
    const GraphPtr graph = Graph::freeze(Graph());
    CHECK(nodePhases(*graph).empty());
    CHECK_FALSE(isJointGraph(*graph));
    CHECK_FALSE(isBackwardGraph(*graph));
}
