#include "changed_members.h"
#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "contract/run_fields_json.h"
#include "files/reproducer.h"
#include "session/session.h"

#include "base/member_count.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// The member of each name, as in a file.
template<typename T>
nlohmann::ordered_json asJson(const T& value) {
    aot::detail::JsonContext context{.forText = true};
    return toJson(value, context);
}

session::Reproducer smallReproducer() {
    session::Reproducer reproducer;
    reproducer.command = "run";
    reproducer.graph = ir::parseGraphText(test::smallGraphText()).value();
    return reproducer;
}

/// The first note of the error that reading this text gives; empty: there is none.
std::string whyUnreadable(const nlohmann::ordered_json& json) {
    const auto read = session::reproducerFromJson(json.dump());
    if (read.ok()) {
        return {};
    }
    CHECK(read.error().code == "session.reproducer_schema");
    return read.error().notes.at(0);
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
    session::Reproducer written = smallReproducer();
    written.origin = "mlp.log:0/0:joint";
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

TEST_CASE("every option of a run survives, whichever are added") {
    session::Reproducer written = smallReproducer();
    test::MemberChange members;
    aot::detail::Fields<session::RunOptions>::visit(members, written.options);
    // The base counts as one of the struct's own.
    CHECK(members.members ==
          base::memberCount<session::RunInputs> + base::memberCount<session::RunOptions> - 1);
    const auto changed = asJson(written.options);
    const auto byDefault = asJson(session::RunOptions());
    for (const auto& [name, value] : byDefault.items()) {
        INFO(name);
        CHECK(changed[name] != value);
    }
    const auto read = session::reproducerFromJson(session::reproducerToJson(written));
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    const auto options = asJson(read->options);
    for (const auto& [name, value] : changed.items()) {
        INFO(name);
        CHECK(options[name] == value);
    }
    // Two that were forgotten once, not by their list.
    CHECK(read->options.fused);
    CHECK(read->options.keepValues == written.options.keepValues);
}

TEST_CASE("every setting of a rerun survives, and its kernel") {
    session::Reproducer written = smallReproducer();
    written.command = "rerun";
    session::RerunChoice& rerun = written.rerun.emplace();
    rerun.nodes = {"add", "relu"};
    rerun.kernel = session::RerunKernel{"__global__ void k() {}"};
    test::change(rerun.settings);
    CHECK(rerun.settings.changes.dtype.has_value());
    const auto read = session::reproducerFromJson(session::reproducerToJson(written));
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    REQUIRE(read->rerun);
    CHECK(read->rerun->nodes == rerun.nodes);
    CHECK(read->rerun->settings == rerun.settings);
    CHECK(read->rerun->kernel == rerun.kernel);
}

TEST_CASE("what is missing, unknown or malformed is an error that says where it is") {
    session::Reproducer written = smallReproducer();
    written.options.inputs["x"] = {"uint8", {3}, "abc"};
    written.rerun.emplace();
    written.error = nodeError();
    const auto json = nlohmann::ordered_json::parse(session::reproducerToJson(written));
    CHECK(whyUnreadable(json).empty());
    const auto with = [&](const char* pointer, const nlohmann::ordered_json& value) {
        auto changed = json;
        changed[nlohmann::ordered_json::json_pointer(pointer)] = value;
        return whyUnreadable(changed);
    };
    CHECK(with("/options/inputs/x/base64", "YWJ*") ==
          "options: inputs: x: base64: expected bytes in base64.");
    CHECK(with("/options/inputs/x/base64", "YWJ") == "options: inputs: x: base64: expected bytes in base64.");
    CHECK(with("/options/inputs/x", 3) == "options: inputs: x: expected an object.");
    CHECK(with("/options/device", "gpu") == "options: device: expected a device to run on.");
    CHECK(with("/options/seed", -1) == "options: seed: expected a non-negative integer.");
    CHECK(with("/options/keep_values", {"a", 3}) == "options: keep_values: 1: expected a string.");
    CHECK(with("/options/keeps_values", true) == "options: keeps_values is not known.");
    CHECK(with("/options/state/threads_", 1) == "options: state: threads_ is not known.");
    CHECK(with("/rerun/settings/changes/dtype", "float99") ==
          "rerun: settings: changes: dtype: expected a dtype.");
    CHECK(with("/error/place/line", "three") == "error: place: line: expected a non-negative integer.");
    CHECK(with("/more", 1) == "more is not known.");
    auto lacking = json;
    lacking["options"].erase("fused");
    CHECK(whyUnreadable(lacking) == "options: fused is missing.");
    lacking = json;
    lacking["options"]["inputs"]["x"].erase("base64");
    CHECK(whyUnreadable(lacking) == "options: inputs: x: bytes is missing.");
}

TEST_CASE("a reproducer of the first version is read; what it did not have is as by default") {
    // As that version wrote it, but for the graph.
    auto old = nlohmann::ordered_json::parse(R"({
        "schema": "aotscope.reproducer/1", "command": "rerun", "origin": "mlp.log:0/0:joint",
        "error": {"code": "run.node", "message": "relu failed", "node": "relu", "notes": ["a"], "hint": "b"},
        "options": {
            "seed": 7, "device": "cuda:1", "statistics": false, "keep_outputs": true, "symbols": {"s0": 8},
            "state": {"default_dtype": "float64", "grad_enabled": false},
            "inputs": {"x": {"dtype": "uint8", "shape": [3], "base64": "YWJj"}},
            "inputs_left_out": ["y", "z"]},
        "rerun": {"repetitions": 5, "warm_up": 1, "cold_cache": true,
                  "twist": {"dtype": "bfloat16", "sizes": {"x": [2, 3]}},
                  "nodes": ["relu"], "kernel": "void k();"}})");
    const session::Reproducer small = smallReproducer();
    old["graph"] = nlohmann::ordered_json::parse(session::reproducerToJson(small))["graph"];
    const auto read = session::reproducerFromJson(old.dump());
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(read->command == "rerun");
    REQUIRE(read->error);
    CHECK(read->error->place.node == "relu");
    CHECK(read->error->notes == std::vector<std::string>{"a"});
    session::RunOptions expected;
    expected.seed = 7;
    expected.device = {session::DeviceChoice::Kind::Cuda, 1};
    expected.statistics = false;
    expected.keepOutputs = true;
    expected.symbols = {{"s0", 8}};
    expected.state.defaultDtype = ir::DType::Float64;
    expected.state.gradEnabled = false;
    expected.inputs["x"] = {"uint8", {3}, "abc"};
    CHECK(asJson(read->options) == asJson(expected));
    CHECK(read->inputsLeftOut == std::vector<std::string>{"y", "z"});
    session::RerunSettings settings{5, 1, true, {}};
    settings.changes.dtype = ir::DType::BFloat16;
    settings.changes.sizes = {{"x", {2, 3}}};
    REQUIRE(read->rerun);
    CHECK(read->rerun->settings == settings);
    CHECK(read->rerun->nodes == std::vector<std::string>{"relu"});
    CHECK(read->rerun->kernel == session::RerunKernel{"void k();"});
    // There too a tensor that cannot be read is an error.
    old["options"]["inputs"]["x"]["base64"] = "?";
    CHECK(whyUnreadable(old) == "options: inputs: x: base64: expected bytes in base64.");
    // And a run's, with nothing in it but its graph.
    const auto bare = session::reproducerFromJson(nlohmann::ordered_json{
        {"schema", "aotscope.reproducer/1"},
        {"command", "run"},
        {"error", nullptr},
        {"graph", old["graph"]}}.dump());
    REQUIRE_MESSAGE(bare.ok(), (bare.ok() ? "" : bare.error().text()));
    CHECK(asJson(bare->options) == asJson(session::RunOptions()));
    CHECK_FALSE(bare->error);
    CHECK_FALSE(bare->rerun);
}

TEST_CASE("a reproducer of the second version is read, which had the settings of a rerun beside them") {
    session::Reproducer written = smallReproducer();
    session::RerunChoice& rerun = written.rerun.emplace();
    rerun.nodes = {"relu"};
    test::change(rerun.settings);
    auto old = nlohmann::ordered_json::parse(session::reproducerToJson(written));
    old["schema"] = "aotscope.reproducer/2";
    auto settings = old["rerun"]["settings"];
    settings["twist"] = settings["changes"];
    settings.erase("changes");
    old["rerun"].erase("settings");
    old["rerun"].update(settings);
    const auto read = session::reproducerFromJson(old.dump());
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    REQUIRE(read->rerun);
    CHECK(read->rerun->settings == rerun.settings);
    CHECK(read->rerun->nodes == rerun.nodes);
}

TEST_CASE("inputs that are too large for a reproducer are named in it") {
    test::TempFolder folder;
    session::Reproducer reproducer = smallReproducer();
    const std::size_t tooMany = (std::size_t{64} << 20U) + 1;
    reproducer.options.inputs["large"] = {
        "uint8", {static_cast<std::int64_t>(tooMany)}, std::string(tooMany, 'x')};
    reproducer.options.inputs["small"] = {"uint8", {1}, "x"};
    session::ReproducerFile file(folder.path(), std::move(reproducer));
    file.keep(nodeError());
    const auto read = session::reproducerFromJson(readAll(file.path()));
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(read->options.inputs.size() == 1);
    CHECK(read->options.inputs.contains("small"));
    CHECK(read->inputsLeftOut == std::vector<std::string>{"large"});
    CHECK(read->error->place.node == "relu");
}

TEST_CASE("what is no reproducer is refused with words") {
    CHECK(session::reproducerFromJson("{").error().code == "session.reproducer_syntax");
    CHECK(session::reproducerFromJson("[]").error().code == "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": "aotscope.reproducer/99"})").error().code ==
          "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": "aotscope.reproducer/1"})").error().code ==
          "session.reproducer_schema");
    CHECK(session::reproducerFromJson(R"({"schema": "aotscope.reproducer/3"})").error().code ==
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
    const session::Reproducer reproducer = smallReproducer();
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
