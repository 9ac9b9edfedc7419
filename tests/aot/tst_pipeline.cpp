// The stages of a compile: in order, verified, observed.
#include "aot/pipeline.h"

#include <doctest/doctest.h>

using namespace aotscope;
using aot::StageKind;

namespace {

ir::Node node(std::string name, ir::Opcode op, std::string target, ir::Arguments arguments = {}) {
    ir::Node made;
    made.target = std::move(target);
    made.name = std::move(name);
    made.op = op;
    made.args = std::move(arguments);
    return made;
}

ir::GraphPtr sound() {
    ir::Graph graph;
    const ir::NodeId x = graph.append(node("x", ir::Opcode::Placeholder, "x"));
    const ir::NodeId relu = graph.append(node("relu", ir::Opcode::CallFunction, "aten.relu.default", {x}));
    graph.append(node("output", ir::Opcode::Output, "output", {ir::TupleArgument{{relu}}}));
    return ir::Graph::freeze(std::move(graph));
}

/// A graph that uses a result before it is made.
ir::GraphPtr broken() {
    ir::Graph graph = sound()->clone();
    graph.moveBefore(graph.order()[1], graph.order()[0]);
    return ir::Graph::freeze(std::move(graph));
}

aot::StageFunction passOn() {
    return [](aot::CompiledFunction function) -> base::Result<aot::CompiledFunction> { return function; };
}

aot::StageFunction traceTo(ir::GraphPtr graph) {
    return [graph](aot::CompiledFunction function) -> base::Result<aot::CompiledFunction> {
        function.graph = graph;
        return function;
    };
}

aot::TracingStages stagesTo(aot::TracePath path, ir::GraphPtr graph) {
    return {.metadata = [path](aot::CompiledFunction function) -> base::Result<aot::CompiledFunction> {
                function.path = path;
                return function;
            },
            .preCompileWrappers = passOn(),
            .jointTrace = traceTo(graph),
            .inferenceTrace = traceTo(graph),
            .exportTrace = traceTo(graph)};
}

} // namespace

TEST_CASE("training, inference and export are pipelines of their own") {
    const aot::TracingStages stages = stagesTo(aot::TracePath::Inference, sound());
    CHECK(aot::trainingPipeline(stages).kinds() ==
          std::vector{StageKind::PreCompileWrappers, StageKind::JointTrace, StageKind::PostCompileWrappers});
    CHECK(aot::partitionPipeline({}).kinds() ==
          std::vector{StageKind::Partition, StageKind::PostCompileWrappers});
    CHECK(aot::inferencePipeline(stages).kinds() == std::vector{StageKind::PreCompileWrappers,
                                                                StageKind::InferenceTrace,
                                                                StageKind::PostCompileWrappers});
    CHECK(aot::exportPipeline(stages).kinds() ==
          std::vector{StageKind::PreCompileWrappers, StageKind::ExportTrace, StageKind::PostCompileWrappers});
}

TEST_CASE("a compile goes the way that its metadata gives, and an observer sees each stage") {
    std::vector<std::string> seen;
    const auto look = [&](const aot::Action& action) {
        seen.push_back((action.after == nullptr ? "before " : "after ") +
                       std::string(base::wordOf(action.stage)));
        return aot::Answer::GoOn;
    };
    const auto made = aot::compile({}, stagesTo(aot::TracePath::Inference, sound()), look);
    REQUIRE(made.ok());
    CHECK(seen == std::vector<std::string>{"before metadata", "after metadata", "before pre-compile wrappers",
                                           "after pre-compile wrappers", "before inference trace",
                                           "after inference trace", "before post-compile wrappers",
                                           "after post-compile wrappers"});
    CHECK(made->forward() == made->graph);
    CHECK(aot::findWrapper<aot::RuntimeWrapper>(made->wrappers) != nullptr);
}

TEST_CASE("a graph that a stage breaks is seen behind that stage") {
    const aot::Pipeline pipeline(
        {{StageKind::PreCompileWrappers, traceTo(sound())}, {StageKind::JointTrace, traceTo(broken())}});
    const auto caught = pipeline.run({}, {}, /*verify=*/true);
    REQUIRE_FALSE(caught.ok());
    CHECK(caught.error().code == "aot.broken_graph");
    CHECK(caught.error().message.find("\"joint trace\"") != std::string::npos);
    REQUIRE_FALSE(caught.error().notes.empty());
    CHECK(caught.error().notes.front().find("verify.use_before_definition") != std::string::npos);
    CHECK(pipeline.run({}, {}, /*verify=*/false).ok());
    // Without being told, as the build was configured.
#ifdef AOTSCOPE_VERIFY
    CHECK_FALSE(pipeline.run({}).ok());
#else
    CHECK(pipeline.run({}).ok());
#endif
}

TEST_CASE("an observer leaves a stage out, or ends the compile") {
    const aot::Pipeline pipeline({{StageKind::JointTrace, traceTo(sound())}, aot::postCompileStage()});
    const auto skip = [](StageKind kind) {
        return [kind](const aot::Action& action) {
            return action.stage == kind && action.after == nullptr ? aot::Answer::Skip : aot::Answer::GoOn;
        };
    };
    const auto skipped = pipeline.run({}, skip(StageKind::PostCompileWrappers));
    REQUIRE(skipped.ok());
    CHECK(skipped->wrappers.empty());
    const auto needed = pipeline.run({}, skip(StageKind::JointTrace));
    REQUIRE_FALSE(needed.ok());
    CHECK(needed.error().code == "aot.stage_needed");
    const auto stopped = pipeline.run({}, [](const aot::Action&) { return aot::Answer::Stop; });
    REQUIRE_FALSE(stopped.ok());
    CHECK(base::isCanceled(stopped.error()));
}

TEST_CASE("a stage that fails ends the compile with its error") {
    const aot::Pipeline pipeline({{StageKind::JointTrace,
                                   [](aot::CompiledFunction) -> base::Result<aot::CompiledFunction> {
                                       return base::Error{.code = "trace.unsupported", .message = "no"};
                                   }},
                                  aot::postCompileStage()});
    const auto failed = pipeline.run({});
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code == "trace.unsupported");
}
