#include "support/corpus_case.h"

#include "recompile/retrace_request.h"
#include "recompile/shared_memory.h"
#include "session/session.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope;

namespace {

/// Three inputs: a whole matrix, its last two rows, a vector.
const std::string threeInputs =
    "class GraphModule(torch.nn.Module):\n"
    "    def forward(self, a: \"f32[4, 8][8, 1]cpu\", b: \"f32[2, 8][8, 1]cpu\", c: \"f32[8][1]cpu\"):\n"
    "        add: \"f32[4, 8][8, 1]cpu\" = torch.ops.aten.add.Tensor(a, c);  a = c = None\n"
    "        return (add, b)\n";

aot::RetraceInput inStorage(std::int64_t storage, std::int64_t offset = 0) {
    aot::RetraceInput input;
    input.storage = storage;
    input.storageOffset = offset;
    return input;
}

} // namespace

TEST_CASE("inputs of one memory are a group, each with the elements it reaches over") {
    const ir::GraphPtr program = *ir::parseGraphText(threeInputs);
    const auto groups =
        session::sharedInputs(*program, {inStorage(7), inStorage(7, 16), inStorage(-1)}, *program);
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].inputs.size() == 2);
    CHECK(groups[0].base.empty());
    CHECK(groups[0].inputs[0].name == "a");
    CHECK(groups[0].inputs[0].elements == std::pair<std::int64_t, std::int64_t>(0, 32));
    CHECK(groups[0].inputs[1].index == 1);
    CHECK(groups[0].inputs[1].elements == std::pair<std::int64_t, std::int64_t>(16, 32));
    CHECK_FALSE(groups[0].inputs[1].sameAs);
    CHECK(session::sharedInputs(*program, {inStorage(1), inStorage(2), inStorage(3)}, *program).empty());
}

TEST_CASE("a symbolic size tells no elements") {
    const ir::GraphPtr program =
        *ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                            "    def forward(self, a: \"f32[s0][1]cpu\", b: \"f32[s0][1]cpu\"):\n"
                            "        return (a, b)\n");
    const auto groups = session::sharedInputs(*program, {inStorage(0), inStorage(0)}, *program);
    REQUIRE(groups.size() == 1);
    CHECK_FALSE(groups[0].inputs[0].elements);
    CHECK(groups[0].inputs[1].sameAs == std::size_t(0));
}

/// PyTorch's own joint graph shows what it made of both.
TEST_CASE("views that are changed have the synthetic base that PyTorch recorded" * test::needsCorpus()) {
    session::Session session;
    session.execute(session::OpenLogs{{test::corpusTrace("synthetic_base_views")}, false},
                    [](const session::EventBody&) {});
    REQUIRE(session.logs().size() == 1);
    const session::LogSnapshotPtr log = session.logs().front();
    session::ArtifactReference reference{.log = log->log, .compile = {}, .artifact = "dynamo"};
    reference.compile = load::CompileId::parse("0/0").value();
    const auto program = session.graph(reference);
    REQUIRE(program.ok());
    evidence::EarlierCheckpoints checkpoints;
    const auto found = session::makeRetraceRequest(*log, reference, (*program)->graph, {}, checkpoints);
    REQUIRE(found.ok());
    const aot::RetraceRequest& request = found->request;
    reference.artifact = "joint";
    const auto joint = session.graph(reference);
    REQUIRE(joint.ok());
    const auto groups = session::sharedInputs(*request.program, request.inputs, *(*joint)->graph);
    REQUIRE(groups.size() == 1);
    REQUIRE(groups[0].inputs.size() == 2);
    CHECK(groups[0].inputs[0].index == 0);
    CHECK(groups[0].inputs[1].index == 1);
    CHECK(groups[0].base == "primals_1");
}
