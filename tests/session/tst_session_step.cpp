// A call of a compiled function that stands still, seen from the session and its threads.
#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "files/retrace_targets.h"
#include "session/session.h"
#include "session/worker.h"

#include <doctest/doctest.h>

#include <condition_variable>
#include <mutex>
#include <optional>

using namespace aotscope;
using steps::StepAnswer;

namespace {

/// A backend whose calls have four events and pause before each as long as the answer is a step; one step
/// back is followed.
session::BackendFactory steppingBackend(const std::shared_ptr<test::FakeBackendControl>& control) {
    control->onRetrace = [](const aot::RetraceRequest& request, const session::TracePauses&,
                            base::Progress&) -> base::Result<aot::RetraceResult> {
        aot::RetraceResult result;
        result.function.graph = request.program;
        result.function.reason = "no input requires grad";
        return result;
    };
    control->onCall = [](const session::CallRequest&, const steps::StepPauses& pauses,
                         base::Progress&) -> base::Result<steps::CallRecord> {
        steps::CallRecord record;
        for (const char* title : {"RuntimeWrapper", "mm", "relu", "RuntimeWrapper"}) {
            record.events.emplace_back();
            record.events.back().title = title;
        }
        for (std::size_t next = 0; pauses.wanted() && next <= record.events.size();) {
            steps::StepPause pause;
            pause.reason = "step";
            pause.record = std::make_shared<const steps::CallRecord>(record);
            pause.next = next;
            pause.checkpointLimit = pauses.checkpointLimit;
            const StepAnswer answer = pauses.onPause(std::move(pause));
            if (answer.kind == StepAnswer::Kind::Abort) {
                return base::canceledError();
            }
            if (answer.kind == StepAnswer::Kind::Resume) {
                break;
            }
            next = answer.kind == StepAnswer::Kind::BackInto ? next - 1 : next + 1;
        }
        return record;
    };
    return test::fakeBackendFactory(control);
}

std::string steppedLog() {
    const std::string compile = "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0";
    return test::graphRecord("dynamo_output_graph", compile, test::smallGraphText()) +
           test::graphRecord("aot_inference_graph", compile, test::smallGraphText());
}

/// A worker with a log of its events.
class StepBench {
public:
    StepBench() {
        m_worker.emplace(steppingBackend(backend), [this](session::Event event) { take(std::move(event)); });
        m_worker->send(session::OpenLogs{{m_folder.write("l.log", steppedLog())}, false});
        await([&] { return m_ended == 1; });
    }

    std::uint64_t callCompiled() {
        session::CallCompiled command;
        command.log = m_log->log;
        command.target = session::retraceTargets(*m_log).front();
        command.pauseAtStart = true;
        command.checkpointLimit = 4096;
        return m_worker->send(std::move(command), "call");
    }
    steps::StepPausePtr awaitPause(std::size_t count) {
        await([&] { return m_pauses.size() >= count; });
        const std::lock_guard lock(m_mutex);
        return m_pauses.at(count - 1);
    }
    std::uint64_t run() {
        return m_worker->send(
            session::RunGraph{{m_log->log, load::CompileId::parse("0/0").value(), "dynamo"}, {}}, "run");
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
    [[nodiscard]] session::CallSnapshotPtr called() {
        const std::lock_guard lock(m_mutex);
        return m_called;
    }
    session::Worker& worker() { return *m_worker; }
    /// Ends its threads, as closing the program does.
    void quit() { m_worker.reset(); }

    std::shared_ptr<test::FakeBackendControl> backend = std::make_shared<test::FakeBackendControl>();

private:
    void take(session::Event event) {
        {
            const std::lock_guard lock(m_mutex);
            if (const auto* pause = std::get_if<steps::StepPausePtr>(&event.body)) {
                m_pauses.push_back(*pause);
            } else if (const auto* progressed = std::get_if<session::Progressed>(&event.body)) {
                m_progress = progressed->state;
            } else if (const auto* log = std::get_if<session::LogSnapshotPtr>(&event.body)) {
                m_log = *log;
            } else if (const auto* call = std::get_if<session::CallSnapshotPtr>(&event.body)) {
                m_called = *call;
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
    std::vector<steps::StepPausePtr> m_pauses;
    session::EventBody m_lastEnd = session::Finished{};
    base::ProgressState m_progress;
    std::size_t m_ended = 0;
    session::LogSnapshotPtr m_log;
    session::CallSnapshotPtr m_called;
    /// Last: its threads end first.
    std::optional<session::Worker> m_worker;
};

} // namespace

TEST_CASE("a call goes forward and back as it is answered, and ends with its record") {
    StepBench bench;
    bench.callCompiled();
    const steps::StepPausePtr first = bench.awaitPause(1);
    CHECK(first->next == 0);
    CHECK(first->checkpointLimit == 4096);
    CHECK(bench.progress().stage == "Paused");
    CHECK(bench.progress().waits);
    CHECK(bench.worker().answerStep(first->number, {StepAnswer::Kind::Into}));
    CHECK_FALSE(bench.worker().answerStep(first->number, {StepAnswer::Kind::Into}));
    const steps::StepPausePtr second = bench.awaitPause(2);
    CHECK(second->next == 1);
    CHECK(second->number != first->number);
    CHECK(bench.progress().detail.find("before mm") != std::string::npos);
    CHECK(bench.worker().answerStep(second->number, {StepAnswer::Kind::BackInto}));
    const steps::StepPausePtr third = bench.awaitPause(3);
    CHECK(third->next == 0);
    CHECK(bench.worker().answerStep(third->number, {StepAnswer::Kind::Resume}));
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
    REQUIRE(bench.called());
    CHECK(bench.called()->record->events.size() == 4);
    CHECK_FALSE(bench.progress().waits);
}

TEST_CASE("runs of other graphs go on while a call stands still") {
    StepBench bench;
    bench.callCompiled();
    const steps::StepPausePtr pause = bench.awaitPause(1);
    bench.run();
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
    CHECK(bench.backend->started == 1);
    CHECK(bench.worker().answerStep(pause->number, {StepAnswer::Kind::Resume}));
    bench.awaitEnd(3);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
}

TEST_CASE("a call that stands still can be ended, canceled and superseded") {
    StepBench bench;
    bench.callCompiled();
    CHECK(bench.worker().answerStep(bench.awaitPause(1)->number, {StepAnswer::Kind::Abort}));
    bench.awaitEnd(2);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));

    const std::uint64_t job = bench.callCompiled();
    const steps::StepPausePtr canceled = bench.awaitPause(2);
    bench.worker().cancel(job);
    bench.awaitEnd(3);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));
    CHECK_FALSE(bench.worker().answerStep(canceled->number, {StepAnswer::Kind::Into}));

    bench.callCompiled();
    bench.awaitPause(3);
    bench.callCompiled();
    bench.awaitEnd(4);
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));
    CHECK(bench.worker().answerStep(bench.awaitPause(4)->number, {StepAnswer::Kind::Resume}));
    bench.awaitEnd(5);
    CHECK(std::holds_alternative<session::Finished>(bench.lastEnd()));
}

TEST_CASE("the program can be quit while a call stands still") {
    StepBench bench;
    bench.callCompiled();
    bench.awaitPause(1);
    bench.quit();
    CHECK(std::holds_alternative<session::Canceled>(bench.lastEnd()));
}
