#pragma once

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
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::test {

inline session::ArtifactReference documentGraph(std::uint32_t log) {
    session::ArtifactReference reference;
    reference.log = log;
    reference.artifact = "graph";
    return reference;
}

/// A worker over a fake backend with one open graph, number 0.
struct Fixture {
    TempFolder folder;
    std::shared_ptr<FakeBackendControl> control = std::make_shared<FakeBackendControl>();
    EventLog events;
    std::optional<session::Worker> worker;

    Fixture() {
        worker.emplace(fakeBackendFactory(control),
                       [this](session::Event event) { events.add(std::move(event)); });
        const auto opened = events.awaitEnd(open());
        REQUIRE(std::holds_alternative<session::Finished>(opened.back().body));
    }
    std::uint64_t open() {
        const auto file = folder.write("small.txt", smallGraphText());
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
    TempFolder folder;
    EventLog events;
    std::latch reached{1};
    std::latch released{1};
    std::atomic<bool> wasHeld = false;
    std::atomic<bool> wasReleased = false;
    std::filesystem::path file =
        folder.write("dedicated_log_torch_trace_x.log",
                     graphRecord("aot_inference_graph", firstCompile, smallGraphText()));
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
        std::ofstream(file, std::ios::binary | std::ios::app)
            << graphRecord("aot_inference_graph", "\"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0",
                           smallGraphText("2"));
    }
    /// Puts another file in the log's place.
    void replace() {
        const auto other =
            folder.write("other", graphRecord("aot_inference_graph", firstCompile, smallGraphText("4")));
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

} // namespace aotscope::test
