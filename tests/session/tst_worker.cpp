#include "worker_fixture.h"

#include <map>
#include <thread>

using namespace aotscope;
using test::documentGraph;
using test::endsWith;
using test::Fixture;

namespace {

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
