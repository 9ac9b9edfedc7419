// Canceling a trace of the largest program takes effect at once, at any point, and does not disturb the next
// trace.
#include "run_support.h"
#include "support/corpus_case.h"
#include "support/event_log.h"

#include "session/worker.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <stop_token>
#include <thread>

using namespace aotscope;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

/// The largest shared program in a worker, as in the window.
struct Bench {
    test::EventLog events;
    session::Worker worker{app::torchBackendFactory(),
                           [this](session::Event event) { events.add(std::move(event)); }};
    session::LogSnapshotPtr log;

    Bench() {
        const std::filesystem::path file = test::corpusDir() / "traces" / "huge_transformer" /
                                           "dedicated_log_torch_trace_huge_transformer.log.xz";
        for (const session::Event& event : events.awaitEnd(worker.send(session::OpenLogs{{file}, false}))) {
            if (const auto* opened = std::get_if<session::LogSnapshotPtr>(&event.body)) {
                log = *opened;
            }
        }
        REQUIRE(log);
    }

    std::uint64_t retrace() { return worker.send(session::Retrace{log->log, {}, {}}); }

    /// Nodes of the traced graph; 0: nothing was handed out.
    static std::size_t traced(const std::vector<session::Event>& events) {
        for (const session::Event& event : events) {
            if (const auto* snapshot = std::get_if<session::RetraceSnapshotPtr>(&event.body)) {
                return (*snapshot)->made ? (*snapshot)->made->graph->size() : 0;
            }
        }
        return 0;
    }
};

/// A chain of additions and activations, as Dynamo prints it.
aot::RetraceRequest longChain(int links) {
    const std::string type = "\"f32[4, 4][4, 1]cpu\"";
    std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: " + type + "):\n";
    std::string x = "L_x_";
    for (int link = 0; link < links; ++link) {
        const std::string sum = "add_" + std::to_string(link);
        const std::string activated = "tanh_" + std::to_string(link);
        text += "        " + sum + ": " + type + " = " + x + " + 1\n";
        text += "        " + activated + ": " + type + " = torch.tanh(" + sum + ")\n";
        x = activated;
    }
    aot::RetraceRequest request;
    request.program = test::parsed(text + "        return (" + x + ",)\n");
    request.inputs.resize(1);
    request.inputs.front().requiresGrad = true;
    return request;
}

} // namespace

TEST_CASE("the end of a backend waits for the traces that were canceled") {
    auto backend = app::torchBackendFactory()();
    REQUIRE_MESSAGE(backend.ok(), backend.error().text());
    aot::RetraceRequest request = longChain(2000);
    REQUIRE((*backend)->answer(session::RetraceCall{longChain(1)}).ok());
    for (int times = 0; times < 3; ++times) {
        std::stop_source stop;
        stop.request_stop();
        const auto result =
            (*backend)->answer(session::RetraceCall{request}, base::Progress({}, stop.get_token()));
        REQUIRE_FALSE(result.ok());
        CHECK(result.error().code == "session.canceled");
    }
    const std::weak_ptr<const ir::Graph> program = request.program;
    request = {};
    *backend = nullptr;
    CHECK(program.expired());
}

TEST_CASE("canceling the largest trace ends it, hands nothing out, and the next one is whole" *
          test::needsCorpus()) {
    Bench bench;
    // The first opens LibTorch and parses the graph.
    const std::size_t nodes = Bench::traced(bench.events.awaitEnd(bench.retrace()));
    REQUIRE(nodes > 20'000);
    const auto begun = Clock::now();
    REQUIRE(Bench::traced(bench.events.awaitEnd(bench.retrace())) == nodes);
    auto whole = Clock::now() - begun;
    std::cout << nodes << " nodes traced and described in " << milliseconds(whole) << " ms\n";
    int canceled = 0;
    for (int tenth = 0; tenth < 10; ++tenth) {
        const std::uint64_t job = bench.retrace();
        const auto started = Clock::now();
        std::this_thread::sleep_for(whole * tenth / 10);
        const auto asked = Clock::now();
        bench.worker.cancel(job);
        const auto events = bench.events.awaitEnd(job);
        const auto waited = Clock::now() - asked;
        if (std::holds_alternative<session::Canceled>(events.back().body)) {
            ++canceled;
            CHECK(Bench::traced(events) == 0);
            std::cout << "at " << tenth << "/10 canceled after " << milliseconds(waited) << " ms\n";
        } else {
            // It was done before, as the first would have been had the machine had nothing else to do.
            whole = std::min(whole, Clock::now() - started);
            CHECK(Bench::traced(events) == nodes);
        }
    }
    CHECK(canceled >= 5);
    CHECK(Bench::traced(bench.events.awaitEnd(bench.retrace())) == nodes);
}
