#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/endless_folder.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <set>
#include <sstream>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

/// What a log contains, found by scanning its header lines without the program's reader.
struct Facts {
    std::set<std::string> ids;
    std::map<std::string, int> kinds;
    int records = 0;
};

/// The envelope of a record's header line; nothing for other lines.
std::optional<nlohmann::json> envelopeOf(const std::string& line) {
    if (line.empty() || line.front() != 'V') {
        return std::nullopt;
    }
    const std::size_t start = line.find("] {");
    if (start == std::string::npos) {
        return std::nullopt;
    }
    auto envelope = nlohmann::json::parse(line.substr(start + 2), nullptr, false);
    return envelope.is_object() ? std::optional(std::move(envelope)) : std::nullopt;
}

/// A CompileId as torch._guards prints it, with the attempt unless it is the first.
std::string idOf(const nlohmann::json& envelope) {
    const auto number = [&](const char* key) -> std::optional<int> {
        const auto found = envelope.find(key);
        return found != envelope.end() && found->is_number_integer() ? std::optional(found->get<int>())
                                                                     : std::nullopt;
    };
    const auto autograd = number("compiled_autograd_id");
    const auto frame = number("frame_id");
    const auto attempt = number("attempt");
    std::string id = autograd ? "!" + std::to_string(*autograd) : "";
    if (frame) {
        id += (id.empty() ? "" : "/") + std::to_string(*frame) + "/" +
              std::to_string(number("frame_compile_id").value_or(0));
    }
    if (id.empty()) {
        return "-";
    }
    return attempt.value_or(0) > 0 ? id + "_" + std::to_string(*attempt) : id;
}

Facts scan(const std::filesystem::path& path) {
    Facts facts;
    std::istringstream in(test::readFile(path));
    for (std::string line; std::getline(in, line);) {
        const auto envelope = envelopeOf(line);
        if (!envelope) {
            continue;
        }
        ++facts.records;
        const std::string id = idOf(*envelope);
        if (id != "-") {
            facts.ids.insert(id);
        }
        for (const char* kind : {"dynamo_output_graph", "aot_joint_graph", "aot_forward_graph",
                                 "aot_backward_graph", "aot_inference_graph"}) {
            facts.kinds[kind] += envelope->contains(kind) ? 1 : 0;
        }
    }
    return facts;
}

} // namespace

TEST_CASE("open --json of every corpus log agrees with a plain scan of the file" * test::needsCorpus()) {
    const std::map<std::string, std::string> names{{"dynamo_output_graph", "dynamo"},
                                                   {"aot_joint_graph", "joint"},
                                                   {"aot_forward_graph", "forward"},
                                                   {"aot_backward_graph", "backward"},
                                                   {"aot_inference_graph", "inference"}};
    int logs = 0;
    for (const auto& path : test::corpusLogs()) {
        INFO(path.string());
        const auto ran = cli({"open", path.string(), "--json", "--no-nodes"});
        CHECK(ran.code == 0);
        const auto json = test::json(ran);
        REQUIRE(json.is_object());
        CHECK(json.at("schema") == "aotscope.open/2");
        const auto& log = json.at("logs").at(0);
        const Facts facts = scan(path);
        std::set<std::string> ids;
        std::map<std::string, int> kinds;
        for (const auto& compile : log.at("compiles")) {
            if (compile.at("id") != "-") {
                // Without the place in the log that tells compiles of one id apart: " (2nd)".
                const auto id = compile.at("id").get<std::string>();
                ids.insert(id.substr(0, id.find(" (")));
            }
            for (const auto& artifact : compile.at("artifacts")) {
                const auto name = artifact.at("name").get<std::string>();
                ++kinds[name.substr(0, name.find('#'))];
            }
        }
        CHECK(ids == facts.ids);
        if (log.at("totals").at("problems") == 0) {
            CHECK(log.at("totals").at("records") == facts.records);
            for (const auto& [kind, name] : names) {
                const auto counted = facts.kinds.find(kind);
                CHECK(kinds[name] == (counted == facts.kinds.end() ? 0 : counted->second));
            }
        }
        ++logs;
    }
    CHECK(logs == 132);
}

TEST_CASE("open shows the compile tree with PyTorch's node counts" * test::needsCorpus()) {
    const auto ran = cli({"open", test::corpusLog("mlp_sgd")});
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(contains(ran.out, "0/0"));
    CHECK(contains(ran.out, "joint 29"));
    CHECK(contains(ran.out, "1 compile (1 ok)"));
    CHECK(contains(ran.out, "0 problems"));
}

TEST_CASE("open tells failed and restarted compiles apart" * test::needsCorpus()) {
    const auto json = test::json(cli({"open", test::corpusLog("graph_breaks"), "--json", "--no-nodes"}));
    REQUIRE(json.is_object());
    std::set<std::string> statuses;
    for (const auto& compile : json.at("logs").at(0).at("compiles")) {
        // Not so: records that belong to no compile.
        if (compile.at("is_compile") == true) {
            statuses.insert(compile.at("status").get<std::string>());
        }
    }
    CHECK(statuses.contains("restarted"));
    CHECK(statuses.contains("ok"));
}

TEST_CASE("a graph file is opened as one graph without a compile") {
    test::TempFolder folder;
    const auto file = folder.write("g.txt", test::smallGraphText()).string();
    const auto json = test::json(cli({"open", file, "--json"}));
    REQUIRE(json.is_object());
    const auto& log = json.at("logs").at(0);
    CHECK(log.at("kind") == "graphs");
    CHECK(log.at("graphs").at(0).at("nodes") == 4);
    CHECK(contains(cli({"open", file}).out, "graph"));
}

TEST_CASE("several files and folders are shown one after another; an unreadable one is named with code 3") {
    test::TempFolder folder;
    const auto text = folder.write("g.txt", test::smallGraphText()).string();
    std::filesystem::create_directory(folder.path() / "ranks");
    for (int rank = 0; rank < 2; ++rank) {
        folder.write("ranks/dedicated_log_torch_trace_rank_" + std::to_string(rank) + "_abc.log",
                     test::graphRecord("aot_inference_graph",
                                       "\"rank\": " + std::to_string(rank) +
                                           ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0",
                                       test::smallGraphText()));
    }
    const std::string absent = (folder.path() / "absent.log").string();
    const auto ran = cli({"open", text, (folder.path() / "ranks").string(), absent, "--json"});
    CHECK(ran.code == 3);
    CHECK(contains(ran.err, "absent.log"));
    const auto json = test::json(ran);
    REQUIRE(json.is_object());
    REQUIRE(json.at("logs").size() == 3);
    CHECK(json.at("logs").at(1).at("rank") == 0);
    CHECK(json.at("logs").at(2).at("rank") == 1);
    CHECK(json.at("error").is_object());

    const std::string ranks = (folder.path() / "ranks").string();
    CHECK(cli({"graph", ranks, "--id", "rank1:0/0", "--kind", "inference"}).code == 0);
    const auto ambiguous = cli({"graph", ranks, "--id", "0/0", "--kind", "inference"});
    CHECK(ambiguous.code == 2);
    CHECK(contains(ambiguous.err, "rank0:0/0"));
    CHECK(contains(ambiguous.err, "rank1:0/0"));
    CHECK(cli({"graph", ranks, "--id", "dedicated_log_torch_trace_rank_0_abc.log:0/0"}).code == 0);
    const auto none = cli({"graph", ranks, "--id", "rank7:0/0"});
    CHECK(none.code == 2);
    CHECK(contains(none.err, "rank0:0/0"));
}

TEST_CASE("logs in folders below a folder are found, hidden ones left out") {
    test::TempFolder folder;
    const std::string record =
        test::graphRecord("aot_inference_graph", "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0",
                          test::smallGraphText());
    std::filesystem::create_directories(folder.path() / "top" / "b" / "deeper");
    std::filesystem::create_directories(folder.path() / "top" / "a");
    std::filesystem::create_directories(folder.path() / "top" / ".hidden");
    folder.write("top/b/deeper/dedicated_log_torch_trace_x.log", record);
    folder.write("top/a/mine.log", record);
    folder.write("top/.hidden/mine.log", record);
    const auto json = test::json(cli({"open", (folder.path() / "top").string(), "--json"}));
    REQUIRE(json.is_object());
    REQUIRE(json.at("logs").size() == 2);
    CHECK(contains(json.at("logs").at(0).at("path").get<std::string>(), "a/mine.log"));
    CHECK(contains(json.at("logs").at(1).at("path").get<std::string>(), "deeper"));
}

TEST_CASE("a reason of many lines takes one line of the table" * test::needsCorpus()) {
    const auto ran = cli({"open", test::corpusLog("graph_breaks")});
    CHECK(ran.code == 0);
    const auto json = test::json(cli({"open", test::corpusLog("graph_breaks"), "--json"}));
    const auto& compiles = json.at("logs").at(0).at("compiles");
    const bool manyLines = std::any_of(compiles.begin(), compiles.end(), [](const auto& compile) {
        return contains(compile.at("reason").template get<std::string>(), "\n");
    });
    CHECK(manyLines);
    // Titles, rows, totals.
    CHECK(std::count(ran.out.begin(), ran.out.end(), '\n') ==
          static_cast<std::ptrdiff_t>(compiles.size()) + 2);
    CHECK(contains(ran.out, "no id"));
}

TEST_CASE("names in a log cannot drive the terminal") {
    test::TempFolder folder;
    const auto file = folder.write(
        "x.log", test::graphRecord("artifact\\u001b[31m",
                                   "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0", "text"));
    for (const char* command : {"open", "problems"}) {
        const auto ran = cli({command, file.string()});
        CHECK_FALSE(contains(ran.out + ran.err, "\033"));
    }
    CHECK_FALSE(contains(cli({"payload", file.string(), "--id", "0/0", "--list"}).out, "\033"));
}

TEST_CASE("every broken log opens, and its problems have lines" * test::needsCorpus()) {
    int logs = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::corpusDir() / "broken-logs")) {
        if (!entry.is_regular_file() || entry.path().extension() != ".log") {
            continue;
        }
        INFO(entry.path().string());
        const auto ran = cli({"open", entry.path().string(), "--json"});
        // An empty file may be refused as no trace log; nothing may crash.
        CHECK((ran.code == 0 || ran.code == 3));
        CHECK(test::json(ran).is_object());
        if (ran.code == 3) {
            CHECK_FALSE(ran.err.empty());
        }
        const auto problems = cli({"problems", entry.path().string(), "--json"});
        CHECK((problems.code == 0 || problems.code == 1 || problems.code == 3));
        if (problems.code == 1) {
            CHECK_FALSE(test::json(problems).at("logs").at(0).at("problems").empty());
        }
        ++logs;
    }
    CHECK(logs == 16);
}

TEST_CASE("the code of the wrappers is listed and printed by section" * test::needsCorpus()) {
    const std::string log =
        (test::corpusDir() / "traces-2.15/mut_input_mul" / "dedicated_log_torch_trace_mut_input_mul.log")
            .string();
    const std::vector<std::string> payload = {"payload", log,      "--id",
                                              "0/0",     "--name", "aot_autograd_runtime_wrappers"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), payload.begin(), payload.end());
        return cli(std::move(more));
    };
    const auto whole = with({});
    CHECK(whole.code == 0);
    const auto listed = with({"--sections"});
    CHECK(contains(listed.out, "runtime_wrapper_orchestration"));
    const auto json = test::json(with({"--json"}));
    REQUIRE_FALSE(json["sections"].empty());
    for (const nlohmann::json& section : json["sections"]) {
        const std::string name = section["name"];
        const auto one = with({"--section", name});
        CHECK(one.code == 0);
        CHECK(one.out.starts_with("def "));
        CHECK(contains(whole.out, "# " + name + "\n" + one.out.substr(0, one.out.size() - 1)));
    }
    const auto absent = with({"--section", "no_such_wrapper"});
    CHECK(absent.code == 2);
    CHECK(contains(absent.err, "runtime_wrapper_orchestration"));
    CHECK(cli({"payload", log, "--id", "0/0", "--name", "joint", "--sections"}).code == 2);
}

TEST_CASE("a payload is given as it was logged" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd");
    const auto raw = cli({"graph", log, "--id", "0/0", "--kind", "joint", "--format", "raw"});
    const auto payload = cli({"payload", log, "--id", "0/0", "--name", "joint"});
    CHECK(payload.code == 0);
    CHECK(payload.out == raw.out);
    CHECK(contains(payload.out, "class inner_f"));
    const auto json = test::json(cli({"payload", log, "--id", "0/0", "--name", "joint", "--json"}));
    REQUIRE(json.is_object());
    CHECK(json.at("payload") == payload.out);
    CHECK(json.at("md5") == "good");
    const auto envelope =
        nlohmann::json::parse(cli({"payload", log, "--id", "0/0", "--name", "joint", "--envelope"}).out);
    CHECK(envelope.contains("aot_joint_graph"));
    CHECK(contains(cli({"payload", log, "--id", "0/0", "--list"}).out, "joint"));
    const auto listed = nlohmann::json::parse(cli({"payload", log, "--id", "0/0", "--list", "--json"}).out);
    CHECK(listed["schema"] == "aotscope.payloads/1");
    CHECK(listed["payloads"].size() > 3);

    const auto unnamed = cli({"payload", log, "--id", "0/0"});
    CHECK(unnamed.code == 2);
    CHECK(contains(unnamed.err, "joint"));
    const auto wrong = cli({"payload", log, "--id", "0/0", "--name", "nothing_of_this_name"});
    CHECK(wrong.code == 2);
    CHECK(contains(wrong.err, "joint"));
}

/// As when somebody names the root folder by mistake: the search must end at once when it is canceled.
TEST_CASE("looking through folders ends at Ctrl+C") {
    const test::EndlessFolder folder;
    bool sent = false;
    std::chrono::steady_clock::time_point at;
    const auto ran = cli({"--log-level", "info", "open", folder.path().string()},
                         [&](pid_t child, const test::Ran& sofar) {
                             if (!sent && contains(sofar.err, "looking for trace logs in ")) {
                                 sent = true;
                                 at = std::chrono::steady_clock::now();
                                 ::kill(child, SIGINT);
                             }
                         });
    CHECK(sent);
    CHECK(ran.code == 130);
    CHECK(contains(ran.err, "Interrupted"));
    CHECK(std::chrono::steady_clock::now() - at < std::chrono::seconds(5));
}

TEST_CASE("records without a payload are listed and given, with the user's stack" * test::needsCorpus()) {
    const std::string log = test::corpusLog("mlp_sgd__inductor");
    const auto list = test::json(cli({"payload", log, "--id", "0/0", "--records", "--json"}));
    std::map<std::string, bool> names;
    for (const auto& record : list.at("records")) {
        names.emplace(record.at("name"), record.at("has_payload"));
    }
    CHECK(names.at("aot_joint_graph"));
    CHECK_FALSE(names.at("compilation_metrics"));
    CHECK_FALSE(names.at("describe_tensor#2"));
    CHECK(contains(cli({"payload", log, "--id", "0/0", "--records"}).out, "bwd_compilation_metrics"));

    const auto metrics =
        nlohmann::json::parse(cli({"payload", log, "--id", "0/0", "--name", "compilation_metrics"}).out);
    CHECK(metrics.at("compilation_metrics").at("co_name").is_string());
    const auto start = test::json(cli({"payload", log, "--id", "0/0", "--name", "dynamo_start", "--json"}));
    CHECK(start.at("name") == "dynamo_start");
    REQUIRE_FALSE(start.at("stack").empty());
    CHECK(start.at("stack")[0].at("file").get<std::string>().ends_with(".py"));
    const auto absent = cli({"payload", log, "--id", "0/0", "--name", "compilation_metrics#9"});
    CHECK(absent.code == 2);
    CHECK(contains(absent.err, "--records"));
}

TEST_CASE("the events of a log come as one array, each log of a folder as a process of its own") {
    test::TempFolder folder;
    const auto event = [](const std::string& payload) {
        return "V1121 00:13:53.025000 22725 torch/_dynamo/utils.py:1640] {\"chromium_event\": {}, "
               "\"has_payload\": "
               "\"0\"}\n\t" +
               payload + "\n";
    };
    const std::string good = R"({"name": "entire_frame_compile", "ts": 1.5, "ph": "B", "pid": 0})";
    const std::string text = event(good) + event("{\"ts\": NaN}") + event(good);
    folder.write("dedicated_log_torch_trace_rank_0_a.log", text);
    const std::string one = folder.write("dedicated_log_torch_trace_rank_3_b.log", text).string();
    const auto events = cli({"payload", one, "--trace-events"});
    CHECK(events.code == 0);
    CHECK(contains(events.err, "1 events are not JSON"));
    REQUIRE(test::json(events).size() == 2);
    CHECK(test::json(events)[1].at("pid") == 0);
    const auto both = test::json(cli({"payload", folder.path().string(), "--trace-events", "--quiet"}));
    REQUIRE(both.size() == 4);
    CHECK(both[0].at("pid") == 0);
    CHECK(both[3].at("pid") == 3);
}
