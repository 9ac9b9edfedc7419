// Re-traces that ask the cache of compiled functions.
#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "explore/split_retraced.h"
#include "recompile/cached_retrace.h"
#include "session/session.h"

#include "cache/function_cache.h"
#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "passes/partition.h"

#include <doctest/doctest.h>

#include <memory>

using namespace aotscope;
using aot::CacheState;

namespace {

/// A session with one small log whose backend counts its traces.
struct CacheBench {
    test::TempFolder folder;
    std::shared_ptr<test::FakeBackendControl> control = std::make_shared<test::FakeBackendControl>();
    int traces = 0;
    bool fails = false;
    /// What the calls' functions must hold.
    ir::GraphPtr made;

    CacheBench() {
        control->onRetrace = [this](const aot::RetraceRequest& request, const session::TracePauses&,
                                    base::Progress&) -> base::Result<aot::RetraceResult> {
            ++traces;
            if (fails) {
                return base::Error{.code = "trace.unsupported", .message = "not today"};
            }
            aot::RetraceResult result;
            result.function.program = request.program;
            result.function.graph = *ir::parseGraphText(test::smallGraphText());
            result.function.reason = "no input requires grad";
            return result;
        };
    }

    [[nodiscard]] session::RetraceSnapshotPtr retrace(session::Session& session,
                                                      session::Retrace command) const {
        if (session.logs().empty()) {
            const auto log = folder.write(
                "l.log",
                test::graphRecord("dynamo_output_graph", test::firstCompile, test::smallGraphText()) +
                    test::graphRecord("aot_inference_graph", test::firstCompile, test::smallGraphText()));
            session.execute(session::OpenLogs{{log}, false}, [](const session::EventBody&) {});
        }
        command.log = session.logs().back()->log;
        session::RetraceSnapshotPtr found;
        session.execute(command, [&](session::EventBody body) {
            if (auto* snapshot = std::get_if<session::RetraceSnapshotPtr>(&body)) {
                found = *snapshot;
            }
        });
        REQUIRE(found);
        return found;
    }
    [[nodiscard]] session::SessionOptions options() const {
        return {.reproducerFolder = {}, .compileCacheFolder = folder.path() / "cache"};
    }
};

session::Retrace cached() {
    session::Retrace command;
    command.options.cache = true;
    return command;
}

} // namespace

TEST_CASE("a re-trace asks the cache only if it is told to, and says what it did") {
    CacheBench bench;
    session::Session session(test::fakeBackendFactory(bench.control), bench.options());
    CHECK_FALSE(bench.retrace(session, {})->cache);
    CHECK_FALSE(std::filesystem::exists(bench.folder.path() / "cache"));
    const auto missed = bench.retrace(session, cached());
    REQUIRE(missed->cache);
    CHECK(missed->cache->state == CacheState::Miss);
    CHECK(missed->cache->reason == "not compiled before");
    CHECK(missed->cache->notStored.empty());
    CHECK(bench.traces == 2);
    const auto hit = bench.retrace(session, cached());
    CHECK(hit->cache->state == CacheState::Hit);
    CHECK(hit->cache->key == missed->cache->key);
    CHECK(hit->verdict == missed->verdict);
    CHECK(ir::equalGraphs(*hit->made->graph, *missed->made->graph));
    CHECK(bench.traces == 2);
    // Another session, as after a restart.
    session::Session later(test::fakeBackendFactory(bench.control), bench.options());
    const auto fromDisk = bench.retrace(later, cached());
    CHECK(fromDisk->cache->reason == "from disk");
    CHECK(fromDisk->verdict == missed->verdict);
    CHECK(bench.traces == 2);
}

TEST_CASE("another configuration is traced, with what differs as the reason") {
    CacheBench bench;
    session::Session session(test::fakeBackendFactory(bench.control), bench.options());
    (void)bench.retrace(session, cached());
    session::Retrace core = cached();
    core.options.decompositions = aot::DecompositionTable::Core;
    CHECK(bench.retrace(session, core)->cache->reason ==
          "compiled before in another configuration: decompositions (stored none, requested core)");
    session::Retrace newer = cached();
    newer.options.torch = aot::TorchVersion{2, 15};
    CHECK(bench.retrace(session, newer)->cache->reason.find("torch (stored 2.11, requested 2.15)") !=
          std::string::npos);
    CHECK(bench.traces == 3);
}

TEST_CASE("a trace with pauses, stages or numbers bypasses the cache") {
    CacheBench bench;
    session::Session session(test::fakeBackendFactory(bench.control), bench.options());
    session::Retrace paused = cached();
    paused.breakpoints = {*session::Breakpoint::parse("op:mm")};
    session::Retrace stages = cached();
    stages.options.stages = true;
    session::Retrace numbers = cached();
    numbers.options.numbers = true;
    for (const session::Retrace& command : {paused, stages, numbers}) {
        const auto bypassed = bench.retrace(session, command);
        CHECK(bypassed->cache->state == CacheState::Bypass);
        CHECK_FALSE(bypassed->cache->reason.empty());
        CHECK(bypassed->cache->key.empty());
    }
    CHECK(bench.traces == 3);
    CHECK_FALSE(std::filesystem::exists(bench.folder.path() / "cache"));
}

TEST_CASE("a call takes its compile from the cache without a trace, and says so") {
    CacheBench bench;
    int calls = 0;
    bench.control->onCall = [&](const session::CallRequest& request, const steps::StepPauses&,
                                base::Progress&) {
        ++calls;
        // What the trace gave, and the request that it was asked for.
        CHECK(ir::equalGraphs(*request.function.graph, *bench.made));
        CHECK(request.request.program);
        CHECK(request.function.program == request.request.program);
        return base::Result<steps::CallRecord>(steps::CallRecord());
    };
    session::Session session(test::fakeBackendFactory(bench.control), bench.options());
    const auto traced = bench.retrace(session, cached());
    bench.made = traced->made->graph;
    CHECK(bench.traces == 1);
    const auto call = [&](session::Session& of, bool usesCache) {
        session::CallCompiled command;
        command.log = of.logs().back()->log;
        command.target = traced->target;
        command.options.cache = usesCache;
        session::CallSnapshotPtr found;
        of.execute(command, [&](session::EventBody body) {
            if (auto* snapshot = std::get_if<session::CallSnapshotPtr>(&body)) {
                found = *snapshot;
            }
        });
        REQUIRE(found);
        return found;
    };
    const auto hit = call(session, true);
    REQUIRE(hit->retraced->cache);
    CHECK(hit->retraced->cache->state == CacheState::Hit);
    CHECK(hit->retraced->cache->key == traced->cache->key);
    CHECK_FALSE(hit->partitionCache);
    CHECK(hit->function);
    CHECK(bench.traces == 1);
    CHECK(calls == 1);
    CHECK_FALSE(call(session, false)->retraced->cache);
    CHECK(bench.traces == 2);
    // Another session, as after a restart.
    session::Session later(test::fakeBackendFactory(bench.control), bench.options());
    (void)bench.retrace(later, {});
    CHECK(call(later, true)->retraced->cache->reason == "from disk");
    CHECK(bench.traces == 3);
    CHECK(calls == 3);
}

TEST_CASE("a failed trace is not stored") {
    CacheBench bench;
    bench.fails = true;
    session::Session session(test::fakeBackendFactory(bench.control), bench.options());
    for (int i = 1; i <= 2; ++i) {
        const auto failed = bench.retrace(session, cached());
        CHECK(failed->error);
        CHECK(failed->cache->state == CacheState::Miss);
        CHECK(failed->cache->notStored == "the trace failed");
        CHECK(bench.traces == i);
    }
}

TEST_CASE("a cache that cannot be written to is told, and the result is the same") {
    CacheBench bench;
    const std::filesystem::path file = bench.folder.write("file", "");
    session::Session session(test::fakeBackendFactory(bench.control),
                             {.reproducerFolder = {}, .compileCacheFolder = file / "below"});
    const auto missed = bench.retrace(session, cached());
    CHECK(missed->verdict.word == base::VerdictWord::Equal);
    CHECK(missed->cache->notStored.find("cannot be made") != std::string::npos);
    CHECK(bench.retrace(session, cached())->cache->reason == "from memory");
}

TEST_CASE("a hit has the values of the new call's symbols, and a failed guard is the recompile's reason") {
    const std::string text =
        "class GraphModule(torch.nn.Module):\n"
        "    def forward(self, s77: \"Sym(s77)\", x: \"f32[s77, 4][4, 1]cpu\"):\n"
        "        relu: \"f32[s77, 4][4, 1]cpu\" = torch.ops.aten.relu.default(x);  x = None\n"
        "        return (relu,)\n"
        "        \n";
    cache::FunctionCache functions{cache::CacheOptions{}};
    int traces = 0;
    const auto compiled = [&](std::int64_t value) {
        aot::RetraceRequest request;
        request.program = *ir::parseGraphText(text);
        request.inputs.resize(2);
        request.symbolHints = {{"s77", value}};
        return session::cachedRetrace(functions, request, {.libTorch = "LibTorch", .engine = "1"}, [&] {
            ++traces;
            ir::GraphBuilder graph(*request.program);
            graph.editSymbolHints()["s77"] = value;
            aot::RetraceResult result;
            result.function.graph = graph.finish();
            result.function.guards = {
                {.expression = ir::SymExpr(value <= 25 ? "s77 <= 25" : "s77 > 25"), .node = "relu"}};
            return base::Result<aot::RetraceResult>(std::move(result));
        });
    };
    CHECK(compiled(8).outcome.state == CacheState::Miss);
    const session::CachedResult hit = compiled(16);
    CHECK(hit.outcome.state == CacheState::Hit);
    CHECK(hit.result->function.graph->symbolHints().at("s77") == 16);
    CHECK(hit.result->function.program);
    const session::CachedResult recompiled = compiled(32);
    CHECK(recompiled.outcome.state == CacheState::Miss);
    CHECK(recompiled.outcome.reason == "compiled before for other sizes; guard s77 <= 25 fails: s77 = 32");
    CHECK(compiled(64).outcome.state == CacheState::Hit);
    CHECK(compiled(4).outcome.state == CacheState::Hit);
    CHECK(traces == 2);
}

namespace {

/// y = sin(x) with its backward.
aot::CompiledFunction tracedSine() {
    aot::CompiledFunction traced;
    traced.path = aot::TracePath::Autograd;
    traced.joint = true;
    traced.graph = *ir::parseGraphText(
        "class GraphModule(torch.nn.Module):\n"
        "    def forward(self, primals_1: \"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
        "        sin: \"f32[4][1]cpu\" = torch.ops.aten.sin.default(primals_1)\n"
        "        cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(primals_1);  primals_1 = None\n"
        "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, cos);  tangents_1 = cos = "
        "None\n"
        "        return (sin, mul)\n"
        "        \n");
    traced.metadata.inputInfo.resize(1);
    traced.metadata.outputInfo.resize(1);
    return traced;
}

session::CachedSplit splitBy(cache::FunctionCache& functions, const aot::CompiledFunction& traced,
                             const aot::CompileChoices& choices) {
    return session::cachedSplit(functions, traced, choices, {.libTorch = "LibTorch", .engine = "1"},
                                [&] { return aot::compile(traced, choices); });
}

/// A program with hooks that scale what is saved.
ir::GraphPtr programWithHooks(const std::string& scale) {
    ir::GraphBuilder program(**ir::parseGraphText(test::smallGraphText()));
    for (const char* name : {"saved_tensors_hooks_pack_0", "saved_tensors_hooks_unpack_0"}) {
        program.addSubgraph(name, *ir::parseGraphText(test::smallGraphText(scale)));
    }
    return program.finish();
}

} // namespace

TEST_CASE("a partition is found for the same function alone, whatever else has its joint graph") {
    cache::FunctionCache functions{cache::CacheOptions{}};
    const auto split = [&](const aot::CompiledFunction& traced) {
        session::CachedSplit done = splitBy(functions, traced, {.partition = passes::PartitionOptions()});
        REQUIRE_MESSAGE(done.result.ok(), (done.result.ok() ? "" : done.result.error().text()));
        return done;
    };
    const aot::CompiledFunction traced = tracedSine();
    CHECK(split(traced).outcome.state == CacheState::Miss);
    CHECK(split(traced).outcome.state == CacheState::Hit);

    // The same program, but for torch.set_grad_enabled(False) at its end.
    aot::CompiledFunction leavesGradOff = traced;
    leavesGradOff.metadata.gradEnabledMutation = false;
    const session::CachedSplit other = split(leavesGradOff);
    CHECK(other.outcome.state == CacheState::Miss);
    CHECK(other.outcome.reason == "compiled before in another configuration: metadata");
    CHECK(other.result->metadata.gradEnabledMutation == false);
    const aot::WrapperStep* runtime = aot::findWrapper<aot::RuntimeWrapper>(other.result->wrappers);
    REQUIRE(runtime != nullptr);
    CHECK(std::get<aot::RuntimeWrapper>(runtime->wrapper).gradEnabledMutation == false);

    aot::CompiledFunction guarded = traced;
    guarded.guards.emplace_back().expression = ir::SymExpr("4 > 3");
    CHECK(split(guarded).result->guards.size() == 1);
    aot::CompiledFunction deduped = traced;
    deduped.wrappers = {{aot::AOTDedupeWrapper{{true, false}, {0, 0}}, true, "passed twice"}};
    (void)split(deduped);
    std::get<aot::AOTDedupeWrapper>(deduped.wrappers.front().wrapper).keepArgMask = {true, true};
    const session::CachedSplit keepsBoth = split(deduped);
    CHECK(keepsBoth.outcome.state == CacheState::Miss);
    const aot::WrapperStep* dedupe = aot::findWrapper<aot::AOTDedupeWrapper>(keepsBoth.result->wrappers);
    REQUIRE(dedupe != nullptr);
    CHECK(dedupe->wrapper == deduped.wrappers.front().wrapper);

    // Members that are no part of the key come from the function that is split.
    aot::CompiledFunction threaded = traced;
    threaded.configuration.state.threads = 3;
    const session::CachedSplit found = split(threaded);
    CHECK(found.outcome.state == CacheState::Hit);
    CHECK(found.result->configuration.state.threads == 3);
}

TEST_CASE("hooks that a person chose are found for the same hooks of the program alone") {
    cache::FunctionCache functions{cache::CacheOptions{}};
    const auto stateFor = [&](const std::string& scale) {
        aot::CompiledFunction traced = tracedSine();
        traced.program = programWithHooks(scale);
        aot::CompileChoices choices{.partition = passes::PartitionOptions()};
        choices.chosenHooksText = "rule logged for all";
        choices.chosenHooks = [](const aot::CompiledFunction& function) {
            return base::Result<passes::Partition>(*function.partition);
        };
        return splitBy(functions, traced, choices).outcome.state;
    };
    CHECK(stateFor("1") == CacheState::Miss);
    CHECK(stateFor("2") == CacheState::Miss);
    CHECK(stateFor("1") == CacheState::Hit);
}

TEST_CASE("a re-trace whose hooks are inlined is not split again") {
    aot::CompiledFunction function = tracedSine();
    function.partition = std::make_shared<const passes::Partition>();
    session::RetraceSnapshot retraced;
    retraced.hooked = std::make_shared<const aot::CompiledFunction>(function);
    const auto split = session::splitRetraced(retraced, session::LogSnapshot(), {});
    REQUIRE(split.ok());
    CHECK(split->partition == function.partition);
}
