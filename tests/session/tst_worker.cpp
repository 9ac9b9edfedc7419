#include "support/event_log.h"
#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "session/worker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <map>
#include <optional>
#include <thread>

using namespace aotscope;

namespace {

session::ArtifactReference documentGraph(std::uint32_t log) {
    session::ArtifactReference reference;
    reference.log = log;
    reference.artifact = "graph";
    return reference;
}

/// A worker over a fake backend with one open graph, number 0.
struct Fixture {
    test::TempFolder folder;
    std::shared_ptr<test::FakeBackendControl> control = std::make_shared<test::FakeBackendControl>();
    test::EventLog events;
    std::optional<session::Worker> worker;

    Fixture() {
        worker.emplace(test::fakeBackendFactory(control),
                       [this](session::Event event) { events.add(std::move(event)); });
        const auto opened = events.awaitEnd(open());
        REQUIRE(std::holds_alternative<session::Finished>(opened.back().body));
    }
    std::uint64_t open() {
        const auto file = folder.write("small.txt", test::smallGraphText());
        return worker->send(session::OpenLogs{{file}, false});
    }
    std::uint64_t run(std::string tag = {}) {
        return worker->send(session::RunGraph{documentGraph(0), {}}, std::move(tag));
    }
    std::uint64_t load(std::string tag = {}) {
        return worker->send(session::LoadGraph{documentGraph(0)}, std::move(tag));
    }
};

/// A worker with one open trace log, number 0. A job with the tag "held" stops at its first event of the kind
/// Held and goes on after `release`.
template<typename Held>
struct HeldFixture {
    test::TempFolder folder;
    test::EventLog events;
    std::latch reached{1};
    std::latch released{1};
    std::atomic<bool> wasHeld = false;
    std::atomic<bool> wasReleased = false;
    std::filesystem::path file =
        folder.write("dedicated_log_torch_trace_x.log",
                     test::graphRecord("aot_inference_graph", test::firstCompile, test::smallGraphText()));
    session::Worker worker{{}, [this](session::Event event) {
                               const bool holds =
                                   event.tag == "held" && std::holds_alternative<Held>(event.body);
                               events.add(std::move(event));
                               if (holds && !wasHeld.exchange(true)) {
                                   reached.count_down();
                                   released.wait();
                               }
                           }};

    HeldFixture() {
        const auto opened = events.awaitEnd(worker.send(session::OpenLogs{{file}, false}));
        REQUIRE(std::holds_alternative<session::Finished>(opened.back().body));
    }
    ~HeldFixture() { release(); }
    HeldFixture(const HeldFixture&) = delete;
    HeldFixture& operator=(const HeldFixture&) = delete;

    [[nodiscard]] static session::ArtifactReference graph() {
        return {.log = 0, .compile = load::CompileId::parse("0/0").value(), .artifact = "inference"};
    }
    std::uint64_t hold(session::Command command) {
        const std::uint64_t job = worker.send(std::move(command), "held");
        reached.wait();
        return job;
    }
    void release() {
        if (!wasReleased.exchange(true)) {
            released.count_down();
        }
    }
    void append() {
        std::ofstream(file, std::ios::binary | std::ios::app) << test::graphRecord(
            "aot_inference_graph", "\"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0",
            test::smallGraphText("2"));
    }
    /// Puts another file in the log's place.
    void replace() {
        const auto other = folder.write(
            "other", test::graphRecord("aot_inference_graph", test::firstCompile, test::smallGraphText("4")));
        std::filesystem::rename(other, file);
    }
    [[nodiscard]] bool isRunning(std::uint64_t job) const {
        return std::ranges::any_of(worker.running(), [&](const auto& each) { return each.job == job; });
    }
};

template<typename T>
bool hasEvent(const std::vector<session::Event>& events) {
    return std::ranges::any_of(events,
                               [](const auto& event) { return std::holds_alternative<T>(event.body); });
}

template<typename T>
bool endsWith(const std::vector<session::Event>& events) {
    return !events.empty() && std::holds_alternative<T>(events.back().body);
}

std::map<std::uint64_t, int> endsByJob(const std::vector<session::Event>& events) {
    std::map<std::uint64_t, int> ends;
    for (const session::Event& event : events) {
        ends[event.job] += test::isEnd(event.body) ? 1 : 0;
    }
    return ends;
}

} // namespace

TEST_CASE("a job starts, gives its snapshot and finishes") {
    Fixture fixture;
    const auto events = fixture.events.awaitEnd(fixture.load("shown"));
    REQUIRE(events.size() >= 3);
    CHECK(std::holds_alternative<session::Started>(events.front().body));
    CHECK(endsWith<session::Finished>(events));
    CHECK(std::ranges::all_of(events, [](const auto& event) { return event.tag == "shown"; }));
    const auto graph = std::ranges::find_if(events, [](const auto& event) {
        return std::holds_alternative<session::GraphSnapshotPtr>(event.body);
    });
    REQUIRE(graph != events.end());
    CHECK(std::get<session::GraphSnapshotPtr>(graph->body)->graph->size() == 4);
}

TEST_CASE("a long run does not keep a graph from being shown") {
    Fixture fixture;
    fixture.control->gated = true;
    const auto running = fixture.run();
    fixture.control->awaitStarted(1);
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(fixture.load())));
    const auto now = fixture.worker->running();
    REQUIRE(now.size() == 1);
    CHECK(now.front().job == running);
    CHECK(now.front().command == "run");
    fixture.control->openGate();
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(running)));
}

TEST_CASE("a long layout does not hold up a log that is followed") {
    HeldFixture<session::Progressed> fixture;
    const auto layout = fixture.hold(session::LayOutGraph{fixture.graph(), {}});
    fixture.append();
    const auto followed = fixture.events.awaitEnd(fixture.worker.send(session::FollowLog{0}));
    CHECK(endsWith<session::Finished>(followed));
    CHECK(hasEvent<session::LogSnapshotPtr>(followed));
    CHECK_FALSE(hasEvent<session::Waiting>(followed));
    CHECK(fixture.isRunning(layout));
    fixture.release();
    const auto laidOut = fixture.events.awaitEnd(layout);
    CHECK(endsWith<session::Finished>(laidOut));
    CHECK(hasEvent<session::LayoutSnapshotPtr>(laidOut));
}

TEST_CASE("a log that is followed does not hold up a graph") {
    HeldFixture<session::Started> fixture;
    fixture.append();
    const auto following = fixture.hold(session::FollowLog{0});
    const auto loaded = fixture.events.awaitEnd(fixture.worker.send(session::LoadGraph{fixture.graph()}));
    CHECK(endsWith<session::Finished>(loaded));
    CHECK(hasEvent<session::GraphSnapshotPtr>(loaded));
    CHECK(fixture.isRunning(following));
    fixture.release();
    CHECK(hasEvent<session::LogSnapshotPtr>(fixture.events.awaitEnd(following)));
}

TEST_CASE("hooks that are measured or looked for do not keep a graph from being shown") {
    using Fixture = HeldFixture<session::Started>;
    const session::ArtifactReference joint = Fixture::graph();
    for (const session::Command& command : {session::Command(session::MeasureHooks{joint, {}, {}, true}),
                                            session::Command(session::SuggestHooks{joint, {}, {}, {}, {}})}) {
        Fixture fixture;
        const std::uint64_t held = fixture.hold(command);
        const auto shown = fixture.events.awaitEnd(fixture.worker.send(session::LoadGraph{joint}));
        CHECK(endsWith<session::Finished>(shown));
        CHECK(fixture.isRunning(held));
        fixture.release();
    }
}

TEST_CASE("opening, following and closing wait for each other") {
    HeldFixture<session::Started> fixture;
    fixture.append();
    const auto following = fixture.hold(session::FollowLog{0});
    const auto closing = fixture.worker.send(session::CloseLog{0});
    const auto opening = fixture.worker.send(session::OpenLogs{{fixture.file}, false});
    fixture.release();
    CHECK(hasEvent<session::LogSnapshotPtr>(fixture.events.awaitEnd(following)));
    for (const auto job : {closing, opening}) {
        const auto events = fixture.events.awaitEnd(job);
        CHECK(std::holds_alternative<session::Waiting>(events.front().body));
        CHECK(endsWith<session::Finished>(events));
    }
}

TEST_CASE("a graph waits for the logs that are being opened") {
    HeldFixture<session::Started> fixture;
    const auto opening = fixture.hold(session::OpenLogs{{fixture.file}, false});
    const auto loading = fixture.worker.send(session::LoadGraph{fixture.graph()});
    fixture.release();
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(loading)));
    std::vector<std::uint64_t> order;
    for (const session::Event& event : fixture.events.all()) {
        if (event.job == opening && std::holds_alternative<session::LogSnapshotPtr>(event.body)) {
            order.push_back(opening);
        } else if (event.job == loading && std::holds_alternative<session::Started>(event.body)) {
            order.push_back(loading);
        }
    }
    CHECK(order == std::vector{opening, loading});
    const auto loaded = fixture.events.awaitEnd(loading);
    REQUIRE(std::holds_alternative<session::Waiting>(loaded.front().body));
    CHECK(std::get<session::Waiting>(loaded.front().body).behind == opening);
}

TEST_CASE("a graph does not wait for an opening that was canceled in its queue") {
    HeldFixture<session::Started> fixture;
    const auto following = fixture.hold(session::FollowLog{0});
    const auto opening = fixture.worker.send(session::OpenLogs{{fixture.file}, false});
    const auto loading = fixture.worker.send(session::LoadGraph{fixture.graph()});
    fixture.worker.cancel(opening);
    CHECK(endsWith<session::Canceled>(fixture.events.awaitEnd(opening)));
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(loading)));
    CHECK(fixture.isRunning(following));
}

TEST_CASE("what was made of a log that was replaced or closed meanwhile is not sent") {
    for (const bool closes : {true, false}) {
        CAPTURE(closes);
        HeldFixture<session::Progressed> fixture;
        const auto layout = fixture.hold(session::LayOutGraph{fixture.graph(), {}});
        session::Command change = session::FollowLog{0};
        if (closes) {
            change = session::CloseLog{0};
        } else {
            fixture.replace();
        }
        CHECK(hasEvent<session::LogClosed>(fixture.events.awaitEnd(fixture.worker.send(change))));
        fixture.release();
        const auto laidOut = fixture.events.awaitEnd(layout);
        CHECK(endsWith<session::Canceled>(laidOut));
        CHECK_FALSE(hasEvent<session::LayoutSnapshotPtr>(laidOut));
    }
}

TEST_CASE("a job whose end is told is not among the running ones") {
    test::EventLog events;
    std::atomic<session::Worker*> reachable = nullptr;
    std::atomic<std::size_t> stillRunning = 0;
    session::Worker worker({}, [&](const session::Event& event) {
        if (session::Worker* own = reachable.load(); own && test::isEnd(event.body)) {
            stillRunning += own->running().size();
        }
        events.add(event);
    });
    reachable = &worker;
    for (std::uint32_t log = 0; log < 10; ++log) {
        CHECK(endsWith<session::Failed>(events.awaitEnd(worker.send(session::CloseLog{log}))));
    }
    CHECK(stillRunning == 0);
}

TEST_CASE("a newer request of the same tag supersedes the running and the queued ones") {
    Fixture fixture;
    fixture.control->gated = true;
    const auto first = fixture.run("slider");
    fixture.control->awaitStarted(1);
    const auto second = fixture.run("slider");
    const auto third = fixture.run("slider");
    CHECK(endsWith<session::Canceled>(fixture.events.awaitEnd(first)));
    CHECK(endsWith<session::Canceled>(fixture.events.awaitEnd(second)));
    fixture.control->openGate();
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(third)));
}

TEST_CASE("a request of another tag or of none supersedes nothing") {
    Fixture fixture;
    fixture.control->gated = true;
    const auto first = fixture.run("a");
    fixture.control->awaitStarted(1);
    const auto second = fixture.run("b");
    const auto third = fixture.run();
    const auto fourth = fixture.run();
    fixture.control->openGate();
    for (const auto job : {first, second, third, fourth}) {
        CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(job)));
    }
    CHECK(fixture.control->mostRunning == 1);
}

TEST_CASE("a running and a queued job can be canceled") {
    Fixture fixture;
    fixture.control->gated = true;
    const auto running = fixture.run();
    const auto queued = fixture.run();
    fixture.control->awaitStarted(1);
    fixture.worker->cancel(queued);
    fixture.worker->cancel(running);
    CHECK(endsWith<session::Canceled>(fixture.events.awaitEnd(running)));
    const auto events = fixture.events.awaitEnd(queued);
    CHECK(endsWith<session::Canceled>(events));
    CHECK(fixture.control->started == 1);
}

TEST_CASE("a job that waits for another says so, and is canceled at once") {
    Fixture fixture;
    fixture.control->gated = true;
    const auto running = fixture.run("a");
    fixture.control->awaitStarted(1);
    const auto queued = fixture.run("b");
    const auto waiting = fixture.run("c");
    fixture.worker->cancel(queued);
    // The first still runs.
    const auto events = fixture.events.awaitEnd(queued);
    REQUIRE(events.size() == 2);
    const auto* wait = std::get_if<session::Waiting>(&events.front().body);
    REQUIRE(wait != nullptr);
    CHECK(wait->command == "run");
    CHECK(wait->behind == running);
    CHECK(wait->behindCommand == "run");
    CHECK(events.front().tag == "b");
    CHECK(endsWith<session::Canceled>(events));
    CHECK(fixture.worker->running().size() == 1);
    // What supersedes the running one waits for nobody but those that nobody asked to end.
    const auto newer = fixture.run("a");
    CHECK(endsWith<session::Canceled>(fixture.events.awaitEnd(running)));
    fixture.control->openGate();
    const auto after = fixture.events.awaitEnd(newer);
    CHECK(endsWith<session::Finished>(after));
    REQUIRE(std::holds_alternative<session::Waiting>(after.front().body));
    CHECK(std::get<session::Waiting>(after.front().body).behind == waiting);
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(waiting)));
    const auto free = fixture.events.awaitEnd(fixture.run());
    CHECK(std::holds_alternative<session::Started>(free.front().body));
}

TEST_CASE("canceling everything ends the running and the queued jobs of both lanes") {
    Fixture fixture;
    fixture.control->gated = true;
    std::vector<std::uint64_t> jobs = {fixture.run()};
    fixture.control->awaitStarted(1);
    // The lane of runs is taken, so these wait.
    for (const char* tag : {"", "a", "b"}) {
        jobs.push_back(fixture.run(tag));
    }
    fixture.worker->cancelAll();
    for (const auto job : jobs) {
        CHECK(endsWith<session::Canceled>(fixture.events.awaitEnd(job)));
    }
    CHECK(fixture.control->started == 1);
    CHECK(fixture.worker->running().empty());
    for (const auto& [job, count] : endsByJob(fixture.events.all())) {
        CHECK(count == 1);
    }
    fixture.control->openGate();
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(fixture.run())));
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(fixture.load())));
}

TEST_CASE("canceling a job that has ended or never was does nothing") {
    Fixture fixture;
    const auto job = fixture.load();
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(job)));
    fixture.worker->cancel(job);
    fixture.worker->cancel(job + 1000);
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(fixture.load())));
}

TEST_CASE("an exception of the backend fails the job and leaves the thread alive") {
    Fixture fixture;
    fixture.control->onRun = [](const auto&, const auto&, auto&) -> base::Result<session::RunSnapshot> {
        throw std::runtime_error("the library broke");
    };
    const auto events = fixture.events.awaitEnd(fixture.run());
    REQUIRE(endsWith<session::Failed>(events));
    const base::Error& error = std::get<session::Failed>(events.back().body).error;
    CHECK(error.text().find("the library broke") != std::string::npos);
    fixture.control->onRun = nullptr;
    CHECK(endsWith<session::Finished>(fixture.events.awaitEnd(fixture.run())));
}

TEST_CASE("running out of memory fails the job with words") {
    Fixture fixture;
    fixture.control->onRun = [](const auto&, const auto&, auto&) -> base::Result<session::RunSnapshot> {
        throw std::bad_alloc();
    };
    const auto events = fixture.events.awaitEnd(fixture.run());
    REQUIRE(endsWith<session::Failed>(events));
    CHECK(std::get<session::Failed>(events.back().body).error.code == "session.out_of_memory");
}

TEST_CASE("a receiver that throws does not end the thread") {
    test::EventLog events;
    std::atomic<bool> throws = true;
    session::Worker worker({}, [&](session::Event event) {
        events.add(event);
        if (throws) {
            throw std::runtime_error("receiver");
        }
    });
    const auto first = worker.send(session::CloseLog{7});
    while (events.all().empty()) {
        std::this_thread::yield();
    }
    throws = false;
    CHECK(endsWith<session::Failed>(events.awaitEnd(worker.send(session::CloseLog{7}))));
    CHECK(events.all().front().job == first);
}

TEST_CASE("destruction while jobs run and wait ends each exactly once and sends nothing later") {
    Fixture fixture;
    fixture.control->gated = true;
    std::vector<std::uint64_t> jobs;
    for (int i = 0; i < 5; ++i) {
        jobs.push_back(fixture.run());
        jobs.push_back(fixture.load());
    }
    fixture.control->awaitStarted(1);
    fixture.worker.reset();
    const auto events = fixture.events.all();
    const auto ends = endsByJob(events);
    for (const auto job : jobs) {
        CHECK(ends.at(job) == 1);
    }
    CHECK(fixture.events.all().size() == events.size());
}

TEST_CASE("the receiver may send and cancel, also while the worker closes") {
    test::TempFolder folder;
    const auto file = folder.write("small.txt", test::smallGraphText());
    std::atomic<int> ended = 0;
    std::atomic<std::uint64_t> refused = 0;
    std::atomic<session::Worker*> reachable = nullptr;
    std::latch enough(50);
    {
        session::Worker worker({}, [&](const session::Event& event) {
            if (!test::isEnd(event.body)) {
                return;
            }
            if (++ended <= 50) {
                enough.count_down();
            }
            if (session::Worker* own = reachable.load()) {
                own->cancel(event.job);
                refused += own->send(session::LoadGraph{documentGraph(0)}) == 0 ? 1U : 0U;
            }
        });
        reachable = &worker;
        worker.send(session::OpenLogs{{file}, false});
        worker.send(session::OpenLogs{{file}, false});
        enough.wait();
    }
    CHECK(ended >= 50);
}

TEST_CASE("many threads may send, cancel and ask at once") {
    Fixture fixture;
    constexpr int threadCount = 4;
    constexpr int jobsEach = 40;
    std::array<std::vector<std::uint64_t>, threadCount> jobs;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < threadCount; ++t) {
            threads.emplace_back([&fixture, &mine = jobs[static_cast<std::size_t>(t)], t] {
                for (int i = 0; i < jobsEach; ++i) {
                    const std::string tag = i % 3 == 0 ? "tag" + std::to_string(t) : std::string();
                    mine.push_back(i % 2 == 0 ? fixture.run(tag) : fixture.load(tag));
                    if (i % 5 == 0) {
                        fixture.worker->cancel(mine.back());
                    }
                    static_cast<void>(fixture.worker->running());
                }
            });
        }
    }
    for (const auto& mine : jobs) {
        for (const auto job : mine) {
            const auto events = fixture.events.awaitEnd(job);
            CHECK(test::isEnd(events.back().body));
            CHECK_FALSE(endsWith<session::Failed>(events));
        }
    }
    fixture.worker.reset();
    for (const auto& [job, count] : endsByJob(fixture.events.all())) {
        CHECK(count == 1);
    }
}
