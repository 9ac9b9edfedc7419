// What a worker does at once, and what waits for what.
#include "worker_fixture.h"

#include <thread>

using namespace aotscope;
using test::endsWith;
using test::Fixture;
using test::hasEvent;
using test::HeldFixture;

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
    using Held = HeldFixture<session::Started>;
    const session::ArtifactReference joint = Held::graph();
    for (const session::Command& command : {session::Command(session::MeasureHooks{joint, {}, {}, true}),
                                            session::Command(session::SuggestHooks{joint, {}, {}, {}, {}})}) {
        Held fixture;
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
