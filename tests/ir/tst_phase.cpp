#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/phase.h"
#include "ir/text/parser.h"
#include "support/corpus_case.h"

#include "ir/golden.h"

#include <doctest/doctest.h>

using namespace aotscope::ir;

namespace {

bool isJointOf(const std::string& where) {
    return where.find("joint") != std::string::npos;
}

GraphPtr withoutTags(const Graph& graph) {
    GraphBuilder copy(graph);
    for (const NodeId id : graph.order()) {
        copy.editMeta(id).partitionerTag = PartitionerTag::None;
    }
    return copy.finish();
}

GraphPtr withoutDescriptors(const Graph& graph) {
    GraphBuilder copy(graph);
    for (const NodeId id : graph.order()) {
        copy.editMeta(id).descriptors.clear();
    }
    return copy.finish();
}

/// Compares with PyTorch's tags and names the first node that differs.
std::size_t compareWithTags(const Graph& tagged, const std::vector<Phase>& phases) {
    std::size_t compared = 0;
    for (const NodeId id : tagged.order()) {
        const PartitionerTag tag = tagged.node(id).partitionerTag;
        if (tag == PartitionerTag::None || tag == PartitionerTag::Both) {
            continue;
        }
        const bool forward = tag == PartitionerTag::Forward || tag == PartitionerTag::MustBeInForward;
        const Phase expected = forward ? Phase::Forward : Phase::Backward;
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

TEST_CASE("phases derived without tags are the phases PyTorch recorded" * aotscope::test::needsCorpus()) {
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

TEST_CASE("graphs that are not joint have one phase" * aotscope::test::needsCorpus()) {
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

TEST_CASE("views of mutated inputs after the backward do not make the backward's beginning forward") {
    const auto graph = parseGraphText(R"(
class inner_f(torch.nn.Module):
    def forward(self, primals_1: "f32[3]", primals_2: "f32[3, 3]", primals_3: "f32[2, 3]", tangents_1: "f32[2, 3]"):
        add: "f32[3]" = torch.ops.aten.add.Tensor(primals_1, 1)
        mm: "f32[2, 3]" = torch.ops.aten.mm.default(primals_3, primals_2)
        t: "f32[3, 2]" = torch.ops.aten.t.default(primals_3)
        mm_1: "f32[3, 3]" = torch.ops.aten.mm.default(t, tangents_1)
        copy_: "f32[3]" = torch.ops.aten.copy_.default(primals_1, add)
        slice_1: "f32[2]" = torch.ops.aten.slice.Tensor(add, 0, 1, 9223372036854775807)
        return (mm, slice_1, None, mm_1, None)
)");
    REQUIRE(graph);
    const std::vector<Phase> phases = nodePhases(**graph);
    const auto phaseOf = [&](const char* name) { return phases[(*graph)->tryFind(name)->index()]; };
    for (const char* name : {"add", "mm", "copy_", "slice_1"}) {
        CHECK_MESSAGE(phaseOf(name) == Phase::Forward, name);
    }
    for (const char* name : {"t", "mm_1"}) {
        CHECK_MESSAGE(phaseOf(name) == Phase::Backward, name);
    }
}

TEST_CASE("an empty graph has no phase and is not joint") {
    const GraphPtr graph = GraphBuilder().finish();
    CHECK(nodePhases(*graph).empty());
    CHECK_FALSE(isJointGraph(*graph));
    CHECK_FALSE(isBackwardGraph(*graph));
}
