// A run under LibTorch's profiler that something else has ended before the run does.
#include "backend/make_backend.h"
#include "contract/backend.h"
#include "ir/text/parser.h"
#include "profiler_stop.h"

#include <doctest/doctest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

using namespace aotscope;

namespace {

/// A matrix product with itself, which needs as many rows as columns.
ir::GraphPtr squareOf(const std::string& type) {
    const auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, x: \"" +
                                          type + "\"):\n        mm: \"" + type +
                                          "\" = torch.ops.aten.mm.default(x, x)\n        return (mm,)\n");
    REQUIRE(graph.ok());
    return *graph;
}

session::RunSnapshot profiledRun(session::Backend& backend, const ir::GraphPtr& graph, bool isStopped) {
    session::RunOptions options;
    options.profile = true;
    auto ran = backend.answer(session::RunCall{graph, options},
                              {[&](const base::ProgressState& state) {
                                   if (state.stage == "Running" && std::exchange(isStopped, false)) {
                                       test::stopProfiler();
                                   }
                               },
                               std::stop_token()});
    REQUIRE_MESSAGE(ran.ok(), (ran.ok() ? "" : ran.error().text()));
    return std::move(ran).value();
}

} // namespace

TEST_CASE("a profiler that something else has ended is an error of a run, and hides no other error") {
    const std::unique_ptr<session::Backend> backend(aotscopeMakeTorchBackend());
    const ir::GraphPtr broken = squareOf("f32[4, 3][3, 1]cpu");
    const session::RunSnapshot plain = profiledRun(*backend, broken, false);
    REQUIRE(plain.error);
    CHECK(plain.error->place.node == "mm");
    CHECK(plain.error->notes.empty());
    const session::RunSnapshot failed = profiledRun(*backend, broken, true);
    REQUIRE(failed.error);
    CHECK(failed.error->message == plain.error->message);
    CHECK(failed.error->place.node == "mm");

    const ir::GraphPtr whole = squareOf("f32[4, 4][4, 1]cpu");
    const session::RunSnapshot lost = profiledRun(*backend, whole, true);
    REQUIRE(lost.error);
    // No node has failed.
    CHECK(lost.error->place.node.empty());
    CHECK(lost.error->message.find("mm") == std::string::npos);
    CHECK_FALSE(lost.nodes.empty());
    CHECK(lost.profileTrace.empty());
    CHECK_FALSE(profiledRun(*backend, whole, false).profileTrace.empty());
}
