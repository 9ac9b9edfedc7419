// The stages of a compile: in order, verified, observed.
#include "aot/compile.h"
#include "ir/graph_builder.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

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
    ir::GraphBuilder graph;
    const ir::NodeId x = graph.append(node("x", ir::Opcode::Placeholder, "x"));
    const ir::NodeId relu = graph.append(node("relu", ir::Opcode::CallFunction, "aten.relu.default", {x}));
    graph.append(node("output", ir::Opcode::Output, "output", {ir::TupleArgument{{relu}}}));
    return graph.finish();
}

/// A graph that uses a result before it is made.
ir::GraphPtr broken() {
    ir::GraphBuilder graph(*sound());
    graph.moveBefore(graph.order()[1], graph.order()[0]);
    return graph.finish();
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
            .preCompileWrappers = [](aot::CompiledFunction function) -> base::Result<aot::CompiledFunction> {
                return function;
            },
            .trace = traceTo(std::move(graph))};
}

/// An observer that writes down what it sees.
aot::Observer notedIn(std::vector<std::string>& seen) {
    return [&seen](const aot::Action& action) {
        seen.push_back((action.after == nullptr ? "before " : "after ") +
                       std::string(base::wordOf(action.stage)));
        return aot::Answer::GoOn;
    };
}

} // namespace

TEST_CASE("a compile goes the way that its metadata gives, and an observer sees each stage") {
    for (const auto& [path, trace] : {std::pair(aot::TracePath::Autograd, "joint trace"),
                                      std::pair(aot::TracePath::Inference, "inference trace"),
                                      std::pair(aot::TracePath::Export, "export trace")}) {
        std::vector<std::string> seen;
        const aot::TracingStages tracing = stagesTo(path, sound());
        const auto made = aot::compile({}, {.tracing = &tracing}, {}, notedIn(seen));
        REQUIRE(made.ok());
        CHECK(seen == std::vector<std::string>{"before metadata", "after metadata",
                                               "before pre-compile wrappers", "after pre-compile wrappers",
                                               "before " + std::string(trace), "after " + std::string(trace),
                                               "before post-compile wrappers",
                                               "after post-compile wrappers"});
        CHECK(made->graph != nullptr);
        CHECK((path != aot::TracePath::Inference || made->forward() == made->graph));
        const bool isWrapped = aot::findWrapper<aot::RuntimeWrapper>(made->wrappers) != nullptr;
        CHECK(isWrapped == (path != aot::TracePath::Export));
    }
}

TEST_CASE("a compile ends behind the stage that it runs until") {
    std::vector<std::string> seen;
    const aot::TracingStages tracing = stagesTo(aot::TracePath::Inference, sound());
    const auto made =
        aot::compile({}, {.until = StageKind::PreCompileWrappers, .tracing = &tracing}, {}, notedIn(seen));
    REQUIRE(made.ok());
    CHECK(seen.back() == "after pre-compile wrappers");
    CHECK(made->graph == nullptr);
}

TEST_CASE("a graph that a stage breaks is seen behind that stage") {
    const aot::TracingStages tracing = stagesTo(aot::TracePath::Autograd, broken());
    const auto caught = aot::compile({}, {.tracing = &tracing, .verify = true});
    REQUIRE_FALSE(caught.ok());
    CHECK(caught.error().code == "aot.broken_graph");
    CHECK(caught.error().message.find("\"joint trace\"") != std::string::npos);
    REQUIRE_FALSE(caught.error().notes.empty());
    CHECK(caught.error().notes.front().find("verify.use_before_definition") != std::string::npos);
    CHECK(aot::compile({}, {.tracing = &tracing, .verify = false}).ok());
    // Without a choice, as the build was configured.
#ifdef AOTSCOPE_VERIFY
    CHECK_FALSE(aot::compile({}, {.tracing = &tracing}).ok());
#else
    CHECK(aot::compile({}, {.tracing = &tracing}).ok());
#endif
}

TEST_CASE("an observer leaves a stage out, or ends the compile") {
    const aot::TracingStages tracing = stagesTo(aot::TracePath::Autograd, sound());
    const auto skip = [](StageKind kind) {
        return [kind](const aot::Action& action) {
            return action.stage == kind && action.after == nullptr ? aot::Answer::Skip : aot::Answer::GoOn;
        };
    };
    const auto skipped = aot::compile({}, {.tracing = &tracing}, {}, skip(StageKind::PostCompileWrappers));
    REQUIRE(skipped.ok());
    CHECK(skipped->wrappers.empty());
    const auto needed = aot::compile({}, {.tracing = &tracing}, {}, skip(StageKind::JointTrace));
    REQUIRE_FALSE(needed.ok());
    CHECK(needed.error().code == "aot.stage_needed");
    const auto stopped =
        aot::compile({}, {.tracing = &tracing}, {}, [](const aot::Action&) { return aot::Answer::Stop; });
    REQUIRE_FALSE(stopped.ok());
    CHECK(base::isCanceled(stopped.error()));
}

TEST_CASE("a stage that fails ends the compile with its error") {
    aot::TracingStages tracing = stagesTo(aot::TracePath::Autograd, sound());
    tracing.trace = [](const aot::CompiledFunction&) -> base::Result<aot::CompiledFunction> {
        return base::Error{.code = "trace.unsupported", .message = "no"};
    };
    const auto failed = aot::compile({}, {.tracing = &tracing});
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code == "trace.unsupported");
}
