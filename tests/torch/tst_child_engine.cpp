// LibTorch in a child process: the same results as here, pauses, cancellation, and the end of the process.
#include "run_support.h"
#include "support/corpus_case.h"
#include "support/fake_backend.h"

#include "aot/compiled_function_json.h"
#include "remote/remote_backend.h"
#include "remote/values.h"
#include "session/session.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

using namespace aotscope;
using Clock = std::chrono::steady_clock;
using session::PauseAnswer;

namespace {

std::string ownModule() {
    const char* given = std::getenv("AOTSCOPE_TORCH_MODULE");
    return given != nullptr ? given : AOTSCOPE_BINARY_DIR "/lib/libaotscope_torch.so";
}

remote::EngineProgram torchEngine() {
    return {AOTSCOPE_BINARY_DIR "/bin/aotscope-engine", {ownModule()}};
}

/// What the session asks a backend for when it compiles a log again.
std::vector<aot::RetraceRequest> requestsOf(const std::string& name) {
    std::vector<aot::RetraceRequest> requests;
    const auto control = std::make_shared<test::FakeBackendControl>();
    control->onRetrace = [&requests](const aot::RetraceRequest& request, const session::TracePauses&,
                                     base::Progress&) {
        requests.push_back(request);
        return base::Result<aot::RetraceResult>(base::Error{"trace.unsupported", "It is only written down."});
    };
    session::Session session(test::fakeBackendFactory(control));
    std::uint32_t log = 0;
    session.execute(session::OpenLogs{{test::corpusTrace(name)}, false},
                    [&](const session::EventBody& event) {
                        if (const auto* opened = std::get_if<session::LogSnapshotPtr>(&event)) {
                            log = (*opened)->log;
                        }
                    });
    session.execute(session::Retrace{log, {}, {}}, [](const session::EventBody&) {});
    return requests;
}

aot::RetraceRequest requestOf(const std::string& name) {
    std::vector<aot::RetraceRequest> requests = requestsOf(name);
    REQUIRE_FALSE(requests.empty());
    return std::move(requests.front());
}

/// Pauses at each matrix product.
session::TracePauses pausesAt(std::function<void()> met) {
    session::TracePauses pauses;
    pauses.breakpoints = {*session::Breakpoint::parse("op:mm")};
    pauses.onPause = [met = std::move(met)](const session::TracePause&) {
        met();
        return PauseAnswer{};
    };
    return pauses;
}

/// Everything of a result but how long it took.
std::string textOf(base::Result<aot::RetraceResult> result, const aot::RetraceRequest& request) {
    if (!result) {
        return result.error().code + ": " + result.error().text();
    }
    result->nanoseconds = 0;
    return remote::encode(*result, {request.program});
}

std::string textOf(session::RunSnapshot run, const ir::GraphPtr& graph) {
    run.nanoseconds = 0;
    for (session::NodeRun& node : run.nodes) {
        node.nanoseconds = 0;
    }
    return remote::encode(run, {graph});
}

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace

TEST_CASE("a trace in a child process gives what it gives here" * test::needsCorpus()) {
    remote::RemoteBackend child(torchEngine());
    int traces = 0;
    int failed = 0;
    std::size_t nodes = 0;
    for (const char* name :
         {"mlp_sgd", "bert_tiny", "dyn_transformer_seq", "hop_cond", "mut_input_mul", "dropout_rng",
          "subclass_two_tensor", "synthetic_base_views", "recompiles_guards", "effects_print", "custom_op",
          "amp_autocast", "set_storage_resize", "dyn_unbacked_nonzero", "complex_fft", "ac_checkpoint"}) {
        for (aot::RetraceRequest& request : requestsOf(name)) {
            INFO(name);
            request.stages = true;
            request.numbers = true;
            const auto here = test::backend().answer(session::RetraceCall{request});
            auto there = child.answer(session::RetraceCall{request});
            ++traces;
            failed += here ? 0 : 1;
            nodes += here ? here->function.graph->size() : 0;
            REQUIRE(here.ok() == there.ok());
            if (here) {
                CHECK(ir::equalGraphs(*there->function.graph, *here->function.graph));
                CHECK(there->notes == here->notes);
                CHECK(there->stages.size() == here->stages.size());
                CHECK((aot::compiledFunctionToJson(there->function) ==
                       aot::compiledFunctionToJson(here->function)));
            }
            CHECK((textOf(std::move(there), request) == textOf(here, request)));
        }
    }
    std::cout << traces << " traces with " << nodes << " nodes, " << failed
              << " of them errors, equal in a child process\n";
    CHECK(traces - failed >= 16);
}

TEST_CASE("a run in a child process computes what it computes here" * test::needsCorpus()) {
    remote::RemoteBackend child(torchEngine());
    for (const char* name : {"mlp_sgd", "bert_tiny"}) {
        const auto traced = test::backend().answer(session::RetraceCall{requestOf(name)});
        REQUIRE(traced.ok());
        session::RunOptions options;
        options.seed = 5;
        options.keepOutputs = true;
        const auto here = test::backend().answer(session::RunCall{traced->function.graph, options});
        const auto there = child.answer(session::RunCall{traced->function.graph, options});
        REQUIRE(here.ok());
        REQUIRE_MESSAGE(there.ok(), (there.ok() ? "" : there.error().text()));
        CHECK_FALSE(there->outputs.empty());
        CHECK((textOf(*there, traced->function.graph) == textOf(*here, traced->function.graph)));
    }
}

TEST_CASE("operators and coverage are those of the module, and its errors arrive") {
    remote::RemoteBackend child(torchEngine());
    CHECK(child.description() == test::backend().description() + ", in a process of its own");
    CHECK((child.answer(session::SchemasCall()).value() ==
           test::backend().answer(session::SchemasCall()).value()));
    CHECK((remote::encode(child.answer(session::CoverageCall()).value()) ==
           remote::encode(test::backend().answer(session::CoverageCall()).value())));
    const ir::GraphPtr graph =
        test::graphOf("x: \"f32[2, 3][3, 1]cpu\"", "        mm: \"f32[2, 2][2, 1]cpu\" = "
                                                   "torch.ops.aten.mm.default(x, x)\n        return (mm,)\n");
    const auto ran = child.answer(session::RunCall{graph, {}});
    REQUIRE(ran.ok());
    REQUIRE(ran->error);
    CHECK(ran->error->text() == test::failed(graph).text());
    remote::RemoteBackend none(
        remote::EngineProgram{AOTSCOPE_BINARY_DIR "/bin/aotscope-engine", {"/nonexistent/module.so"}});
    const auto missing = none.answer(session::RunCall{graph, {}});
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().code == "run.no_torch_module");
}

TEST_CASE("a trace is stepped through in a child process as here" * test::needsCorpus()) {
    remote::RemoteBackend child(torchEngine());
    const aot::RetraceRequest request = requestOf("dyn_transformer_seq");
    const auto stepThrough = [&request](session::Backend& backend) {
        std::vector<std::string> met;
        session::TracePauses pauses;
        pauses.atStart = true;
        pauses.breakpoints = {*session::Breakpoint::parse("op:mm")};
        pauses.onPause = [&](const session::TracePause& pause) {
            met.push_back(remote::encode(pause));
            // First steps, then from one breakpoint to the next.
            return PauseAnswer{met.size() < 20 ? PauseAnswer::Kind::NextOperator : PauseAnswer::Kind::Resume};
        };
        met.push_back(textOf(backend.answer(session::RetraceCall{request, pauses}), request));
        return met;
    };
    const auto here = stepThrough(test::backend());
    const auto there = stepThrough(child);
    CHECK(here.size() > 25);
    CHECK((here == there));
}

TEST_CASE("canceling the largest trace in a child process ends it, and the process goes on" *
          test::needsCorpus()) {
    remote::RemoteBackend child(torchEngine());
    const aot::RetraceRequest request = requestOf("huge_transformer");
    const auto whole = child.answer(session::RetraceCall{request});
    REQUIRE_MESSAGE(whole.ok(), (whole.ok() ? "" : whole.error().text()));
    const pid_t process = (*child.process())->id();
    for (const int after : {1, 20, 100}) {
        std::stop_source stop;
        Clock::time_point asked;
        int met = 0;
        const auto pauses = pausesAt([&] {
            if (++met == after) {
                asked = Clock::now();
                stop.request_stop();
            }
        });
        const auto result = child.answer(session::RetraceCall{request, pauses}, {{}, stop.get_token()});
        REQUIRE_FALSE(result.ok());
        CHECK(base::isCanceled(result.error()));
        CHECK(met == after);
        std::cout << "canceled after " << milliseconds(Clock::now() - asked) << " ms\n";
    }
    CHECK((*child.process())->id() == process);
    CHECK((textOf(child.answer(session::RetraceCall{request}), request) == textOf(whole, request)));
}

TEST_CASE("a child process that is killed in the middle of a trace is an error, and the next trace is whole" *
          test::needsCorpus()) {
    remote::RemoteBackend child(torchEngine());
    const aot::RetraceRequest request = requestOf("huge_transformer");
    const pid_t process = (*child.process())->id();
    bool isKilled = false;
    const auto killed = child.answer(session::RetraceCall{
        request, pausesAt([&] { isKilled = isKilled || ::kill(process, SIGKILL) == 0; })});
    CHECK(isKilled);
    REQUIRE_FALSE(killed.ok());
    CHECK(killed.error().code == "remote.ended");
    CHECK(killed.error().message.find("signal 9") != std::string::npos);
    const auto next = child.answer(session::RetraceCall{request});
    REQUIRE_MESSAGE(next.ok(), (next.ok() ? "" : next.error().text()));
    CHECK(next->function.graph->size() > 20'000);
}

TEST_CASE("what a child process costs" * test::needsCorpus()) {
    remote::RemoteBackend child(torchEngine());
    const aot::RetraceRequest request = requestOf("gpt2_12l");
    const auto timeOf = [&request](session::Backend& backend) {
        const auto begun = Clock::now();
        const auto result = backend.answer(session::RetraceCall{request});
        REQUIRE(result.ok());
        return std::pair(milliseconds(Clock::now() - begun), double(result->nanoseconds) / 1e6);
    };
    std::cout << "first trace: " << timeOf(test::backend()).first << " ms here, " << timeOf(child).first
              << " ms in a child process\n";
    for (int times = 0; times < 3; ++times) {
        const auto here = timeOf(test::backend());
        const auto there = timeOf(child);
        std::cout << "here " << here.first << " ms; in a child process " << there.first << " ms, of which "
                  << there.second << " ms are the trace\n";
    }
    CHECK(remote::encode(session::RetraceCall{request}).size() < 20'000'000);
}
