// Saved-tensors hooks, inlined from Dynamo's records alone.
#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/statements.h"
#include "support/stripped_log.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;
using test::cli;
using test::statements;

namespace {

/// The statements of the only record with this key.
std::string recorded(const std::vector<test::LoggedRecord>& records, const std::string& key) {
    const auto isIt = [&](const test::LoggedRecord& record) { return record.key == key; };
    REQUIRE_MESSAGE(std::ranges::count_if(records, isIt) == 1, key);
    return statements(std::ranges::find_if(records, isIt)->payload);
}

/// The graph after "NAME:" in the record of inlined hooks.
std::string sectionOf(const std::string& record, const std::string& name) {
    const std::size_t begin = record.find(name + ":class");
    REQUIRE_MESSAGE(begin != std::string::npos, name);
    std::size_t end = record.find('\n', begin);
    while (end + 1 < record.size() && record[end + 1] == ' ') {
        end = record.find('\n', end + 1);
    }
    return record.substr(begin + name.size() + 1, end - begin - name.size());
}

} // namespace

TEST_CASE("of logs without AOTAutograd's records the halves are made with the hooks that PyTorch inlined" *
          test::needsCorpus()) {
    const test::TempFolder folder;
    for (const char* traces : {"traces", "traces-2.15"}) {
        for (const std::string name : {"hooks_fp8_mlp", "hooks_fp8_scale_all", "hooks_sym_dynamic"}) {
            CAPTURE(std::string(traces) + "/" + name);
            const std::string file = "dedicated_log_torch_trace_" + name + ".log";
            const std::string log = test::readFile(test::corpusDir() / traces / name / file);
            const auto question = folder.write(name + ".log", test::withoutAnswers(log));
            const auto answer = folder.path() / "answer.log";
            const auto out = folder.path() / traces / name;
            REQUIRE(
                cli({"retrace", question.string(), "--log", answer.string(), "--out", out.string()}).code ==
                0);
            const auto logged = test::recordsOf(log);
            const auto made = test::recordsOf(test::readFile(answer));
            for (const char* graph : {"aot_joint_graph", "aot_forward_graph", "aot_backward_graph"}) {
                CHECK(recorded(made, graph) == recorded(logged, graph));
            }
            const std::string hooks = "artifact aot_saved_tensors_hooks_graphs";
            for (const std::string half : {"forward", "backward"}) {
                const std::string section = "aot_" + half + "_graph_pre_saved_tensors_hooks";
                const std::string before = sectionOf(recorded(logged, hooks), section);
                CHECK(sectionOf(recorded(made, hooks), section) == before);
                CHECK(statements(test::readFile(out / "0_0" / (half + "_before_hooks.txt"))) == before);
                CHECK(statements(test::readFile(out / "0_0" / (half + ".txt"))) ==
                      recorded(logged, "aot_" + half + "_graph"));
            }
            for (const char* hook : {"aot_saved_tensors_hooks_pack ", "aot_saved_tensors_hooks_unpack "}) {
                CHECK(test::countOf(recorded(made, hooks), hook) ==
                      test::countOf(recorded(logged, hooks), hook));
            }
        }
    }
}

TEST_CASE("a re-trace's halves equal PyTorch's before hooks and with them, by both partitioners, and their "
          "metadata too" *
          test::needsCorpus()) {
    std::vector<std::string> arguments = {"partition", "--compare", "--input", "traced", "--json"};
    for (const std::string name : {"hooks_fp8_mlp", "hooks_fp8_scale_all", "hooks_sym_dynamic"}) {
        arguments.push_back((test::corpusDir() / "golden" / (name + ".json")).string());
        for (const char* traces : {"traces", "traces-2.15"}) {
            const std::string file = "dedicated_log_torch_trace_" + name + ".log";
            arguments.push_back((test::corpusDir() / traces / name / file).string());
        }
    }
    const auto told = test::json(cli(std::move(arguments)))["partitions"];
    CHECK(told.size() == 12);
    for (const auto& partition : told) {
        CAPTURE(partition["graph"].get<std::string>());
        CHECK(partition["equal"] == true);
        CHECK(partition["metadata_equal"] == true);
    }
}

TEST_CASE("the memory of a logged step is that of the halves that ran, with hooks" * test::needsCorpus()) {
    const std::string log = test::corpusLog("hooks_fp8_scale_all");
    const auto ran = cli({"memory", log, "--format", "csv"});
    CHECK(ran.code == 0);
    CHECK(test::contains(ran.out, "_hook_"));
    // The logged joint graph has no hooks, and no program to trace them from.
    const auto split = cli({"memory", log, "--order", "current", "--format", "csv"});
    CHECK(split.code == 0);
    CHECK_FALSE(test::contains(split.out, "_hook_"));
}

TEST_CASE("a call runs the halves with hooks, and tells what they lose beside the verdict" *
          test::needsCorpus()) {
    const auto told = test::json(cli({"wrappers", "--run", "--json", test::corpusLog("hooks_sym_dynamic")}));
    const std::string call = told["compiles"][0]["call"].dump();
    CHECK(test::contains(call, "mm_hook_1"));
    CHECK(test::contains(call, "the saved-tensors hooks themselves change it by"));
}

TEST_CASE("the stages of a trace go on to the forward, and to the forward with hooks" * test::needsCorpus()) {
    const test::TempFolder out;
    const auto told =
        cli({"retrace", test::corpusLog("hooks_sym_dynamic"), "--stages", "--out", out.path().string()});
    CHECK(told.code == 0);
    CHECK(test::contains(told.out, "stage forward: 11 nodes"));
    CHECK(test::contains(told.out, "stage hooks: "));
    const auto folder = out.path() / "0_0";
    CHECK(test::readFile(folder / "stage_6_forward.txt") ==
          test::readFile(folder / "forward_before_hooks.txt"));
    CHECK(test::readFile(folder / "stage_7_hooks.txt") == test::readFile(folder / "forward.txt"));
}

TEST_CASE("what the pass leaves that inlines hooks are the halves with them" * test::needsCorpus()) {
    const test::TempFolder out;
    const auto told = cli({"partition", test::corpusLog("hooks_sym_dynamic"), "--input", "traced",
                           "--print-after", "hooks", "--out", out.path().string()});
    CHECK(told.code == 0);
    for (const std::string half : {"forward", "backward"}) {
        CHECK(test::contains(told.out, ", after hooks: " + half + "\n" +
                                           test::readFile(out.path() / "0_0" / (half + ".txt"))));
    }
}

// Which hooks they are is in the programs: tests/golden/make_compiled_autograd_log.py, and the corpus's
// program with a hook of a parameter's gradient and one after its accumulation.
TEST_CASE("hooks under compiled autograd are listed, and said to be inlined nowhere") {
    const std::string log = AOTSCOPE_TEST_DIR "/golden/compiled_autograd_saved_hooks.log.xz";
    const auto result = cli({"hooks", log});
    CHECK(result.code == 0);
    CHECK(result.out.find("Not inlined (called at run time by compiled autograd)") != std::string::npos);
    CHECK(
        result.out.find("!0: 4 × unpack_hook: primals_3, primals_4, tanh, mm; 1 × tensor_pre_hook: "
                        "AccumulateGrad (NodeCall 3); 1 × post_acc_grad_hook: AccumulateGrad (NodeCall 5)") !=
        std::string::npos);
    // The same for the compile whose backward it runs, and for compiled autograd's own.
    for (const char* id : {"0/0", "!0"}) {
        const nlohmann::json told = test::json(cli({"hooks", "--json", "--id", id, log}));
        REQUIRE(told["run_time_hooks"].size() == 1);
        CHECK(told["run_time_hooks"][0]["id"] == "!0");
        CHECK(told["run_time_hooks"][0]["hooks"].size() == 6);
    }
    CHECK_FALSE(test::json(cli({"hooks", "--json", "--id", "!0/1/0", log})).contains("run_time_hooks"));
}

TEST_CASE("a log that has nothing but a backward under compiled autograd tells of its hooks" *
          test::needsCorpus()) {
    const nlohmann::json told =
        test::json(cli({"hooks", "--json", test::corpusTrace("compiled_autograd_hooks").string()}));
    CHECK(told["compiles"].empty());
    REQUIRE(told["run_time_hooks"].size() == 2);
    for (const nlohmann::json& graph : told["run_time_hooks"]) {
        REQUIRE(graph["hooks"].size() == 2);
        CHECK(graph["hooks"][0]["type"] == "post_acc_grad_hook");
        CHECK(graph["hooks"][1]["type"] == "tensor_pre_hook");
    }
    const auto without = cli({"hooks", test::corpusTrace("compiled_autograd_mlp").string()});
    CHECK(without.code == 0);
    CHECK(without.out.find("!0: none") != std::string::npos);
}
