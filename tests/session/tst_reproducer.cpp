#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "session/reproducer.h"
#include "session/session.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <iterator>

using namespace aotscope;

namespace {

std::vector<std::filesystem::path> filesIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::exists(folder)) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            files.push_back(entry.path());
        }
    }
    return files;
}

std::string readAll(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

base::Error nodeError() {
    base::Error error;
    error.code = "run.node";
    error.message = "relu failed";
    error.place.node = "relu";
    return error;
}

/// Runs the small graph on a fake backend and returns the job's last event.
session::EventBody runOnce(const std::filesystem::path& reproducers,
                           decltype(test::FakeBackendControl::onRun) onRun) {
    test::TempFolder folder;
    auto control = std::make_shared<test::FakeBackendControl>();
    control->onRun = std::move(onRun);
    session::SessionOptions options;
    options.reproducerFolder = reproducers;
    session::Session session(test::fakeBackendFactory(control), options);
    const auto ignore = [](const session::EventBody&) {};
    session.execute(session::OpenLogs{{folder.write("g.txt", test::smallGraphText())}, false}, ignore);
    session::RunGraph run;
    run.graph.artifact = "graph";
    run.options.seed = 7;
    run.options.symbols["s0"] = 8;
    session::EventBody last;
    session.execute(run, [&](session::EventBody body) { last = std::move(body); });
    return last;
}

} // namespace

TEST_CASE("a reproducer survives being written and read") {
    session::Reproducer written;
    written.command = "run";
    written.origin = "mlp.log:0/0:joint";
    written.graph = ir::parseGraphText(test::smallGraphText()).value();
    written.options.seed = 18'446'744'073'709'551'615U;
    written.options.symbols["s0"] = -3;
    for (const std::size_t size : {0U, 1U, 2U, 3U, 4U}) {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i) {
            bytes += static_cast<char>(255 - 100 * i);
        }
        written.options.inputs["x" + std::to_string(size)] = {
            "uint8", {static_cast<std::int64_t>(size)}, bytes};
    }
    written.error = nodeError();
    const auto read = session::reproducerFromJson(session::reproducerToJson(written));
    REQUIRE(read);
    CHECK(read->command == "run");
    CHECK(read->origin == written.origin);
    CHECK(ir::equalGraphs(*read->graph, *written.graph));
    CHECK(read->options.seed == written.options.seed);
    CHECK(read->options.symbols == written.options.symbols);
    REQUIRE(read->options.inputs.size() == 5);
    for (const auto& [name, tensor] : written.options.inputs) {
        CHECK(read->options.inputs.at(name).bytes == tensor.bytes);
        CHECK(read->options.inputs.at(name).shape == tensor.shape);
    }
    REQUIRE(read->error);
    CHECK(read->error->place.node == "relu");
}

TEST_CASE("what is no reproducer is refused with words") {
    CHECK(session::reproducerFromJson("{").error().code == "session.reproducer_syntax");
    CHECK(session::reproducerFromJson("[]").error().code == "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": "aotscope.reproducer/99"})").error().code ==
          "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": "aotscope.reproducer/1"})").error().code ==
          "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": 3})").error().code == "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": "aotscope.reproducer/1", "options": 3})").error().code ==
          "session.reproducer_schema");
}

TEST_CASE("the reproducer is there while the run is, and gone when it went well") {
    test::TempFolder folder;
    const auto reproducers = folder.path() / "deep" / "reproducers";
    std::size_t during = 0;
    const auto last =
        runOnce(reproducers, [&](const ir::Graph& graph, const session::RunOptions& options, auto&) {
            during = filesIn(reproducers).size();
            return base::Result(test::FakeBackend::everyNodeRan(graph, options));
        });
    CHECK(std::holds_alternative<session::Finished>(last));
    CHECK(during == 1);
    CHECK(filesIn(reproducers).empty());
}

TEST_CASE("a node that fails leaves a reproducer with the error, which the run's error names") {
    test::TempFolder folder;
    runOnce(folder.path(), [&](const ir::Graph& graph, const session::RunOptions& options, auto&) {
        session::RunSnapshot run = test::FakeBackend::everyNodeRan(graph, options);
        run.error = nodeError();
        return base::Result(std::move(run));
    });
    REQUIRE(filesIn(folder.path()).size() == 1);
    const auto read = session::reproducerFromJson(readAll(filesIn(folder.path()).front()));
    REQUIRE(read);
    CHECK(read->options.seed == 7);
    CHECK(read->options.symbols.at("s0") == 8);
    REQUIRE(read->error);
    CHECK(read->error->message == "relu failed");
}

TEST_CASE("a run that throws leaves a reproducer; a canceled one leaves none") {
    test::TempFolder folder;
    auto last =
        runOnce(folder.path(), [](const auto&, const auto&, auto&) -> base::Result<session::RunSnapshot> {
            throw std::runtime_error("broken");
        });
    REQUIRE(std::holds_alternative<session::Failed>(last));
    REQUIRE(filesIn(folder.path()).size() == 1);
    const std::string name = filesIn(folder.path()).front().string();
    CHECK(std::get<session::Failed>(last).error.text().find(name) != std::string::npos);
    std::filesystem::remove(name);

    last = runOnce(folder.path(), [](const auto&, const auto&, auto&) -> base::Result<session::RunSnapshot> {
        return base::canceledError();
    });
    CHECK(std::holds_alternative<session::Canceled>(last));
    CHECK(filesIn(folder.path()).empty());
}

TEST_CASE("the number of reproducers is bounded") {
    test::TempFolder folder;
    session::Reproducer reproducer;
    reproducer.command = "run";
    reproducer.graph = ir::parseGraphText(test::smallGraphText()).value();
    folder.write("notes.txt", "somebody else's");
    for (int i = 0; i < 6; ++i) {
        const session::ReproducerFile file(folder.path(), reproducer, 3);
        CHECK(std::filesystem::exists(file.path()));
    }
    CHECK(filesIn(folder.path()).size() == 4);
}

TEST_CASE("a folder that cannot be made costs the reproducer, not the run") {
    test::TempFolder folder;
    const auto file = folder.write("file", "");
    const auto last = runOnce(file / "below", nullptr);
    CHECK(std::holds_alternative<session::Finished>(last));
}
