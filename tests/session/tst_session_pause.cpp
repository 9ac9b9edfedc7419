// A paused trace, seen from the session and its threads.
#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "session/session.h"
#include "session/worker.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <optional>

using namespace aotscope;
using session::PauseAnswer;

namespace {

/// A backend that pauses before each node of the program as long as the answer is a step.
session::BackendFactory pausing(const std::shared_ptr<test::FakeBackendControl>& control) {
    control->onRetrace = [](const aot::RetraceRequest& request, const session::TracePauses& pauses,
                            base::Progress&) -> base::Result<aot::RetraceResult> {
        aot::RetraceResult result;
        result.function.graph = request.program;
        result.function.reason = "no input requires grad";
        for (const ir::NodeId id : request.program->order()) {
            if (!pauses.wanted()) {
                break;
            }
            session::TracePause pause;
            pause.reason = "step";
            pause.node = request.program->node(id).name;
            pause.graph = request.program;
            const PauseAnswer answer = pauses.onPause(std::move(pause));
            if (answer.kind == PauseAnswer::Kind::Abort) {
                return base::canceledError();
            }
            if (answer.kind == PauseAnswer::Kind::Resume) {
                break;
            }
        }
        return result;
    };
    return test::fakeBackendFactory(control);
}

std::string sampleLog() {
    const std::string compile = "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0";
    return test::graphRecord("dynamo_output_graph", compile, test::smallGraphText()) +
           test::graphRecord("aot_inference_graph", compile, test::smallGraphText());
}

/// A worker with a log of its events.
class Bench {
public:
    Bench() : m_worker(pausing(backend), [this](session::Event event) { take(std::move(event)); }) {
        m_worker.send(session::OpenLogs{{m_folder.write("l.log", sampleLog())}, false});
        await([&] { return m_ended == 1; });
    }

    std::uint64_t retrace() {
        session::Retrace command;
        command.log = m_log;
        command.pauseAtStart = true;
        return m_worker.send(std::move(command), "retrace");
    }
    session::TracePausePtr awaitPause(std::size_t count) {
        await([&] { return m_pauses.size() >= count; });
        const std::lock_guard lock(m_mutex);
        return m_pauses.at(count - 1);
    }
    std::uint64_t run() {
        return m_worker.send(session::RunGraph{{m_log, load::CompileId::parse("0/0").value(), "dynamo"}, {}},
                             "run");
    }
    [[nodiscard]] std::size_t ended() {
        const std::lock_guard lock(m_mutex);
        return m_ended;
    }
    [[nodiscard]] std::optional<session::Waiting> waiting() {
        const std::lock_guard lock(m_mutex);
        return m_waiting;
    }
    void awaitProgress(const std::string& stage) {
        await([&] { return m_progress.stage == stage; });
    }
    void awaitEnd(std::size_t count) {
        await([&] { return m_ended == count; });
    }
    [[nodiscard]] base::ProgressState progress() {
        const std::lock_guard lock(m_mutex);
        return m_progress;
    }
    [[nodiscard]] session::EventBody lastEnd() {
        const std::lock_guard lock(m_mutex);
        return m_lastEnd;
    }
    session::Worker& worker() { return m_worker; }

    std::shared_ptr<test::FakeBackendControl> backend = std::make_shared<test::FakeBackendControl>();

private:
    void take(session::Event event) {
        {
            const std::lock_guard lock(m_mutex);
            if (const auto* pause = std::get_if<session::TracePausePtr>(&event.body)) {
                m_pauses.push_back(*pause);
            } else if (const auto* progressed = std::get_if<session::Progressed>(&event.body)) {
                m_progress = progressed->state;
            } else if (const auto* waits = std::get_if<session::Waiting>(&event.body)) {
                m_waiting = *waits;
            } else if (const auto* log = std::get_if<session::LogSnapshotPtr>(&event.body)) {
                m_log = (*log)->log;
            } else if (std::holds_alternative<session::Finished>(event.body) ||
                       std::holds_alternative<session::Canceled>(event.body) ||
                       std::holds_alternative<session::Failed>(event.body)) {
                m_lastEnd = event.body;
                ++m_ended;
            }
        }
        m_changed.notify_all();
    }
    template<typename Condition>
    void await(Condition condition) {
        std::unique_lock lock(m_mutex);
        REQUIRE(m_changed.wait_for(lock, std::chrono::seconds(60), condition));
    }

    test::TempFolder m_folder;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<session::TracePausePtr> m_pauses;
    session::EventBody m_lastEnd = session::Finished{};
    base::ProgressState m_progress;
    std::optional<session::Waiting> m_waiting;
    std::size_t m_ended = 0;
    std::uint32_t m_log = 0;
    /// Last: its threads end first.
    session::Worker m_worker;
};

} // namespace

TEST_CASE("a paused trace goes on as it is answered, and its graphs can be loaded meanwhile") {
    Bench bench;
    bench.retrace();
    const session::TracePausePtr first = bench.awaitPause(1);
    REQUIRE(first->partial != nullptr);
    CHECK(first->name == "0/0");
    CHECK(first->partial->reference.artifact == "paused 1 inference");
    // The other lane answers while this one waits.
    bench.worker().send(session::LoadGraph{first->partial->reference});
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
    CHECK(bench.worker().answerPause(first->number, {PauseAnswer::Kind::NextOperator}));
    CHECK_FALSE(bench.worker().answerPause(first->number, {PauseAnswer::Kind::NextOperator}));
    const session::TracePausePtr second = bench.awaitPause(2);
    CHECK(second->number == first->number + 1);
    CHECK(bench.worker().answerPause(second->number, {PauseAnswer::Kind::Resume}));
    bench.awaitEnd(3);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
}

TEST_CASE("who looks at the progress sees that a trace is paused, and where") {
    Bench bench;
    bench.retrace();
    const session::TracePausePtr pause = bench.awaitPause(1);
    CHECK(bench.progress().stage == "Paused");
    CHECK(bench.progress().detail == "0/0 before arg0_1");
    CHECK(bench.progress().waits);
    CHECK(bench.worker().answerPause(pause->number, {PauseAnswer::Kind::Resume}));
    bench.awaitEnd(2);
    CHECK(bench.progress().stage != "Paused");
    CHECK_FALSE(bench.progress().waits);
}

TEST_CASE("a paused trace can be aborted, canceled and superseded") {
    Bench bench;
    bench.retrace();
    CHECK(bench.worker().answerPause(bench.awaitPause(1)->number, {PauseAnswer::Kind::Abort}));
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));

    const std::uint64_t job = bench.retrace();
    bench.awaitPause(2);
    bench.worker().cancel(job);
    bench.awaitEnd(3);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));

    bench.retrace();
    bench.awaitPause(3);
    bench.retrace();
    bench.awaitEnd(4);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));
    CHECK(bench.worker().answerPause(bench.awaitPause(4)->number, {PauseAnswer::Kind::Resume}));
    bench.awaitEnd(5);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
}

TEST_CASE("graphs are run while a trace is paused") {
    Bench bench;
    bench.retrace();
    const session::TracePausePtr pause = bench.awaitPause(1);
    bench.run();
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
    CHECK_FALSE(bench.waiting());
    CHECK(bench.worker().answerPause(pause->number, {PauseAnswer::Kind::NextOperator}));
    bench.awaitPause(2);
}

TEST_CASE("a trace that is answered goes on when the run that was begun meanwhile has ended") {
    Bench bench;
    bench.backend->gated = true;
    bench.retrace();
    const session::TracePausePtr pause = bench.awaitPause(1);
    bench.run();
    bench.backend->awaitStarted(1);
    CHECK(bench.worker().answerPause(pause->number, {PauseAnswer::Kind::Resume}));
    bench.awaitProgress("Waiting for the run to end");
    CHECK(bench.ended() == 1);
    bench.backend->openGate();
    bench.awaitEnd(3);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
}

TEST_CASE("a trace that waits for a run to end can be canceled") {
    Bench bench;
    bench.backend->gated = true;
    const std::uint64_t job = bench.retrace();
    const session::TracePausePtr pause = bench.awaitPause(1);
    bench.run();
    bench.backend->awaitStarted(1);
    CHECK(bench.worker().answerPause(pause->number, {PauseAnswer::Kind::Resume}));
    bench.awaitProgress("Waiting for the run to end");
    bench.worker().cancel(job);
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));
    bench.backend->openGate();
    bench.awaitEnd(3);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
}

TEST_CASE("a worker that goes away while a trace is paused ends it") {
    Bench bench;
    bench.retrace();
    bench.awaitPause(1);
}
