// Which graph of a compile an artifact is, by its name.
#include "load/graph_kind.h"

#include "load/record_kind.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope::load;

TEST_CASE("a graph's kind is told by its name") {
    CHECK(tryGraphKind("joint") == GraphKind::Joint);
    CHECK(tryGraphKind("joint#2") == GraphKind::Joint);
    CHECK(tryGraphKind("forward of joint#2") == GraphKind::Forward);
    CHECK(tryGraphKind("backward of units/0/joint") == GraphKind::Backward);
    CHECK(tryGraphKind("0/0/inference") == GraphKind::Inference);
    CHECK(tryGraphKind("aot_inference_graph_after_hop_passes") == GraphKind::InferenceAfterPasses);
    CHECK(holdsGraph(RecordKind::Artifact, "aot_inference_graph_after_hop_passes"));
    CHECK(tryGraphKind("units/0/partitions/min_cut/fw") == GraphKind::Forward);
    CHECK(tryGraphKind("units/0/partitions/min_cut/bw") == GraphKind::Backward);
    for (const char* other : {"", "joint_forward", "before_post_grad_graph", "joints", "output_code"}) {
        CAPTURE(other);
        CHECK(!tryGraphKind(other));
    }
}

TEST_CASE("every kind is found under its own name, and stands once in either order") {
    for (const GraphKind kind : graphKinds) {
        CHECK(tryGraphKind(aotscope::base::wordOf(kind)) == kind);
        CHECK(std::ranges::count(tellingGraphKinds, kind) == 1);
    }
    CHECK(tellingGraphKinds.size() == graphKinds.size());
}

TEST_CASE("the main records of a log name kinds") {
    CHECK(tryGraphKind(mainGraphName(RecordKind::DynamoOutputGraph)) == GraphKind::Dynamo);
    CHECK(tryGraphKind(mainGraphName(RecordKind::AotJointGraph)) == GraphKind::Joint);
    CHECK(tryGraphKind(mainGraphName(RecordKind::AotBackwardGraph)) == GraphKind::Backward);
    CHECK(mainGraphName(RecordKind::DynamoGuards).empty());
}

TEST_CASE("the first graph of the first kind there is") {
    std::vector<Artifact> artifacts;
    for (const char* name : {"dynamo", "backward", "forward", "forward"}) {
        Artifact artifact;
        artifact.name = name;
        artifact.isGraph = true;
        artifacts.push_back(std::move(artifact));
    }
    const ArtifactList list(std::move(artifacts));
    CHECK(tryFirstGraph(list, tellingGraphKinds) == 2);
    CHECK(tryFirstGraph(list, graphKinds) == 0);
    constexpr std::array absent = {GraphKind::Joint, GraphKind::File};
    CHECK(!tryFirstGraph(list, absent));
}
