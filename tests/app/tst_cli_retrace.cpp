#include "app/cli_support.h"
#include "app/expected_table.h"
#include "support/corpus_case.h"
#include "support/stripped_log.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>

using namespace aotscope;
using test::cli;
using test::contains;
using test::countOf;
using Json = nlohmann::json;

namespace {

const std::filesystem::path corpusTable =
    std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "corpus.expected.tsv";

std::vector<std::string> traceLogs() {
    std::vector<std::string> logs;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpusDir() / "traces")) {
        const std::string name = entry.path().filename().string();
        if (entry.is_regular_file() && (name.ends_with(".log") || name.ends_with(".log.xz"))) {
            logs.push_back(entry.path().string());
        }
    }
    std::sort(logs.begin(), logs.end());
    return logs;
}

/// Every trace of the corpus, traced once with --out.
struct Traced {
    test::TempFolder out;
    Json told;

    Traced() {
        std::vector<std::string> arguments = {"retrace", "--exact", "--json", "--out", out.path().string()};
        for (std::string& log : traceLogs()) {
            arguments.push_back(std::move(log));
        }
        told = test::json(cli(std::move(arguments)));
    }
};

const Traced& traced() {
    static const Traced all;
    REQUIRE(all.told.is_object());
    return all;
}

/// A log with one compile that is equal and quick to trace.
std::string smallLog() {
    return test::corpusLog("set_storage_resize");
}

} // namespace

TEST_CASE("every trace of the corpus is traced as the table says" * test::needsCorpus()) {
    constexpr std::string_view start = "dedicated_log_torch_trace_";
    std::vector<std::string> rows = {"program\tcompile\tgraph\tmetadata\treason"};
    for (const Json& compile : traced().told["compiles"]) {
        const std::string log = compile["graph"];
        rows.push_back(log.substr(start.size(), log.find(".log") - start.size()) + '\t' +
                       test::verdictRow(compile));
    }
    test::checkTable(corpusTable, rows);
}

TEST_CASE("the answer is not looked at: the same graphs come of a log that is stripped of it" *
          test::needsCorpus()) {
    test::TempFolder folder;
    std::filesystem::create_directory(folder.path() / "out");
    std::vector<std::string> arguments = {"retrace", "--json", "--out", (folder.path() / "out").string()};
    for (const std::string& log : traceLogs()) {
        if (!log.ends_with(".xz")) {
            const std::string name = std::filesystem::path(log).filename().string();
            arguments.push_back(folder.write(name, test::withoutAnswers(test::readFile(log))).string());
        }
    }
    CHECK(cli(std::move(arguments)).code <= 1);
    const auto stripped = test::filesBelow(folder.path() / "out");
    CHECK_FALSE(stripped.empty());
    for (const auto& [file, content] : test::filesBelow(traced().out.path())) {
        if (!contains(file, ".xz")) {
            CHECK_MESSAGE(stripped.contains(file), file);
            CHECK_MESSAGE((!stripped.contains(file) || stripped.at(file) == content), file);
        }
    }
}

TEST_CASE("the exit code says whether all is equal" * test::needsCorpus()) {
    test::TempFolder folder;
    CHECK(cli({"retrace", smallLog(), "--id", "0/0_1"}).code == 0);
    std::string text = test::readFile(smallLog());
    const std::string record = "\"aot_inference_graph\": {}";
    const std::size_t answer = text.find(record);
    REQUIRE(answer != std::string::npos);
    const std::size_t shape = text.find("f32[", answer);
    REQUIRE(shape != std::string::npos);
    text.replace(shape, 3, "f64");
    const auto differs = cli({"retrace", folder.write("other.log", text).string(), "--id", "0/0_1"});
    CHECK(differs.code == 1);
    CHECK(contains(differs.out, "differs in metadata"));
    CHECK(contains(differs.out, "made   "));
    CHECK(contains(differs.out, "logged "));
    CHECK(contains(differs.out, "0 of 1 graphs equal"));

    CHECK(cli({"retrace", (folder.path() / "none.log").string()}).code == 3);
    CHECK(cli({"retrace", smallLog(), "--id", "7/7"}).code == 2);
    CHECK(cli({"retrace", smallLog(), "--decompositions", "some"}).code == 2);
    CHECK(cli({"retrace", test::corpusLog("fail_unsupported_fullgraph")}).code == 2);
    CHECK(cli({"retrace", smallLog(), test::corpusLog("mlp_sgd"), "--log",
               (folder.path() / "two.log").string()})
              .code == 2);
    CHECK(cli({"retrace", smallLog(), "--log", "/no/such/folder/x.log"}).code == 3);
}

TEST_CASE("of several files those that can be read are traced, and the others named with code 3" *
          test::needsCorpus()) {
    test::TempFolder folder;
    const std::string bad = folder.write("bad.json", "no graph").string();
    const std::string absent = (folder.path() / "absent.log").string();
    const auto told = cli({"retrace", bad, smallLog(), absent});
    CHECK(told.code == 3);
    CHECK(contains(told.out, "0/0_1 inference: equal"));
    CHECK(contains(told.out, "graphs equal"));
    CHECK(contains(told.err, "bad.json"));
    CHECK(contains(told.err, "absent.log"));
    const auto json = test::json(cli({"retrace", smallLog(), absent, "--json"}));
    REQUIRE(json.is_object());
    CHECK_FALSE(json.at("compiles").empty());
    CHECK(contains(json.at("error").dump(), "absent.log"));
    CHECK(cli({"retrace", bad, absent}).code == 3);
}

TEST_CASE("what cannot be traced is named" * test::needsCorpus()) {
    const auto custom = cli({"retrace", test::corpusLog("custom_op")});
    CHECK(custom.code == 1);
    CHECK(contains(custom.out, "not supported: the custom operator corpus.scaled_add"));
    CHECK(contains(cli({"retrace", test::corpusLog("effects_print")}).out, "effect tokens"));
    CHECK(contains(cli({"retrace", test::corpusLog("subclass_two_tensor")}).out, "TwoTensor"));
    const auto direct = cli({"retrace", test::corpusLog("dup_args_dedupe")});
    CHECK(contains(direct.out, "no Dynamo graph"));
    CHECK(contains(direct.out, "--program"));
    // Nor is the one graph of such a golden file a program: it is PyTorch's answer.
    const auto answer =
        cli({"retrace", (test::corpusDir() / "golden" / "dup_args_dedupe_inference.json").string()});
    CHECK(answer.code == 1);
    CHECK(contains(answer.out, "no Dynamo graph"));
}

TEST_CASE("JSON has the documented keys" * test::needsCorpus()) {
    const Json told = test::json(cli({"retrace", "--json", smallLog(), "--id", "0/0_1"}));
    CHECK(told["schema"] == "aotscope.retrace/4");
    for (const char* key : {"graphs", "equal", "equal_up_to_names", "different", "not_traced", "metadata",
                            "metadata_equal", "nodes", "equal_nodes"}) {
        CHECK_MESSAGE(told[key].is_number(), key);
    }
    REQUIRE(told["compiles"].size() == 1);
    const Json& compile = told["compiles"][0];
    CHECK(compile["name"] == "0/0_1");
    CHECK(compile["kind"] == "inference");
    CHECK(compile["verdict"]["word"] == "equal");
    CHECK(compile["metadata_equal"] == true);
    CHECK(compile["decompositions"] == "none");
    for (const char* key :
         {"graph", "program", "reason", "nodes", "logged_nodes", "agreeing_nodes", "difference",
          "metadata_differences", "nanoseconds", "notes", "error", "wrappers"}) {
        CHECK_MESSAGE(compile.contains(key), key);
    }
}

/// The golden file of a program: what PyTorch recorded of its first compile.
Json goldenUnit(const std::string& program) {
    return Json::parse(test::readFile(test::corpusDir() / "golden" / (program + ".json")))["units"][0];
}

/// The wrapper with that name of a program's compile.
Json wrapperOf(const std::string& program, const std::string& name) {
    for (const Json& compile : traced().told["compiles"]) {
        if (contains(compile["graph"].get<std::string>(), "trace_" + program + ".log")) {
            for (const Json& wrapper : compile["wrappers"]) {
                if (wrapper["wrapper"] == name) {
                    return wrapper;
                }
            }
        }
    }
    return nullptr;
}

TEST_CASE("wrappers of what was traced hold what PyTorch recorded of its own" * test::needsCorpus()) {
    const Json recorded = goldenUnit("synthetic_base_views");
    const Json bases = wrapperOf("synthetic_base_views", "AOTSyntheticBaseWrapper");
    REQUIRE(bases.is_object());
    CHECK(bases["applies"] == true);
    const Json& info = recorded["synthetic_base_info"];
    REQUIRE(bases["state"]["synthetic_base_info"].size() == info.size());
    for (std::size_t i = 0; i < info.size(); ++i) {
        const Json& made = bases["state"]["synthetic_base_info"][i];
        if (info[i].is_number()) {
            CHECK(made == info[i]);
            continue;
        }
        CHECK(made["base"] == info[i]["synthetic_base_index"]);
        CHECK(made["size"] == info[i]["view"]["shape"]);
        CHECK(made["stride"] == info[i]["view"]["stride"]);
        CHECK(made["storage_offset"] == info[i]["view"]["storage_offset"]);
    }
    const Json& before = recorded["wrappers"]["AOTSyntheticBaseWrapper"]["old_input_info"];
    REQUIRE(bases["state"]["old_input_info"].size() == before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (const auto& [field, value] : bases["state"]["old_input_info"][i].items()) {
            // Null: PyTorch's release has no such field.
            CHECK_MESSAGE(value == before[i].value(field, Json()), field);
        }
    }
    CHECK(wrapperOf("detach_none_grads", "RuntimeWrapper")["state"]["indices_of_inps_to_detach"] ==
          goldenUnit("detach_none_grads")["partitions"]["default"]["indices_of_inps_to_detach"]);
    for (const Json& compile : traced().told["compiles"]) {
        CHECK(compile["wrappers"].is_null() == compile["nodes"].is_null());
        for (const Json& wrapper : compile["wrappers"]) {
            CHECK_FALSE(wrapper["reason"].get<std::string>().empty());
        }
    }
    const auto listed = cli({"retrace", test::corpusLog("synthetic_base_views"), "--wrappers"});
    CHECK(contains(listed.out, "wrapper AOTSyntheticBaseWrapper: applied: PlainAOTInput(idx=0) and "));
    CHECK(contains(listed.out, "wrapper AOTDedupeWrapper: not applied: no tensor is passed twice"));
}

TEST_CASE("a function is exported, and what export bans is an error that says so" * test::needsCorpus()) {
    test::TempFolder out;
    const std::string log = test::corpusLog("mlp_sgd");
    const auto forward = cli({"retrace", log, "--id", "0/0", "--export", "--out", out.path().string()});
    CHECK(forward.code == 0);
    CHECK(contains(forward.out, "export"));
    CHECK(contains(forward.out, "  # inputs\n  arg0_1: USER_INPUT\n"));
    CHECK(contains(forward.out, "  # outputs\n"));
    const Json specs =
        test::json(cli({"retrace", log, "--id", "0/0", "--export", "--json"}))["compiles"][0]["signature"];
    CHECK(specs["input_specs"][0]["kind"] == "USER_INPUT");
    CHECK(specs["output_specs"][0]["kind"] == "USER_OUTPUT");
    const std::string graph = test::readFile(out.path() / "0_0" / "export.txt");
    CHECK(contains(graph, "torch.ops.aten.addmm.default"));
    CHECK_FALSE(contains(graph, "tangents"));
    CHECK_FALSE(std::filesystem::exists(out.path() / "0_0" / "joint.txt"));
    CHECK(cli({"retrace", log, "--id", "0/0", "--export", "--pre-dispatch", "--out", out.path().string()})
              .code == 0);
    CHECK(contains(test::readFile(out.path() / "0_0" / "export.txt"), "torch.ops.aten.linear.default"));
    const Json joint = test::json(cli({"retrace", log, "--id", "0/0", "--export", "--joint", "--json"}));
    CHECK(joint["compiles"][0]["error"]["code"] == "trace.export");
    CHECK(contains(joint["compiles"][0]["error"]["message"].get<std::string>(),
                   "no output is chosen as the loss"));
    const auto both =
        cli({"retrace", log, "--id", "0/0", "--export", "--joint", "--loss", "0", "--pre-dispatch"});
    CHECK(both.code == 1);
    CHECK(contains(both.out, "traced before autograd"));
    // They are options of an export.
    CHECK(cli({"retrace", log, "--joint"}).code == 2);
    CHECK(cli({"retrace", log, "--export", "--loss", "0"}).code == 2);
}

TEST_CASE("an export keeps draws that nothing needs, a compile does not") {
    // As torch 2.15 does: aot_export_module gives rand and sin, torch.compile sin alone.
    const test::TempFolder folder;
    const std::string program =
        folder
            .write("draws.txt", "class GraphModule(torch.nn.Module):\n"
                                "    def forward(self, L_x_: \"f32[3][1]cpu\"):\n"
                                "        rand: \"f32[3][1]cpu\" = torch.rand(3);  rand = None\n"
                                "        sin: \"f32[3][1]cpu\" = L_x_.sin();  L_x_ = None\n"
                                "        return (sin,)\n")
            .string();
    const auto nodes = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words = {"retrace", program};
        words.insert(words.end(), options.begin(), options.end());
        return cli(words).out;
    };
    CHECK(contains(nodes({}), "3 nodes traced"));
    CHECK(contains(nodes({"--export"}), "4 nodes traced"));
}

TEST_CASE("the settings in a log tell of a backend that stands in for Inductor" * test::needsCorpus()) {
    const std::string log = (test::corpusDir() / "traces-2.11" / "aot_eager_decomp_partition.log").string();
    CHECK(contains(cli({"retrace", log}).out, "0/0 joint: equal (28 nodes)"));
    CHECK(contains(cli({"retrace", log, "--decompositions", "core"}).out, "0/0 joint: equal (28 nodes)"));
}

TEST_CASE("that backend leaves the writing back of inputs to what runs its graphs") {
    // Two programs that write to what they get, compiled by it.
    const auto log =
        std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "packs" / "aot_eager_decomp_partition.log.xz";
    const auto traced = cli({"retrace", "--exact", log.string()});
    CHECK(traced.code == 0);
    CHECK(contains(traced.out, "3 of 3 graphs equal"));
    CHECK(contains(traced.out, "metadata equal in 3 of 3"));
}

TEST_CASE("a log that does not tell what its backend decomposes says so where graphs differ" *
          test::needsCorpus()) {
    // The same graphs, logged by a backend of one's own.
    std::string text = test::readFile(test::corpusDir() / "traces-2.11" / "aot_eager_decomp_partition.log");
    const std::string_view setting = "\"unlift_effect_tokens\": true";
    text.replace(text.find(setting), setting.size(), "\"unlift_effect_tokens\": false");
    const test::TempFolder folder;
    const std::string log = folder.write("decomposed.log", text).string();
    const std::string told = cli({"retrace", log}).out;
    CHECK(contains(told, "0/0 joint: not comparable"));
    CHECK(contains(told, "does not say which operators its backend decomposes"));
    CHECK(contains(told, "equal with --decompositions core --no-keep-input-mutations"));
    CHECK_FALSE(contains(told, "differs"));
    const auto decomposed = cli({"retrace", log, "--decompositions", "core", "--no-keep-input-mutations"});
    CHECK(contains(decomposed.out, "0/0 joint: equal (28 nodes)"));
    CHECK(contains(decomposed.out, "metadata equal in"));
    CHECK_FALSE(contains(decomposed.out, "does not say"));
}

TEST_CASE("a backend that decomposes single operators is found, and can be chosen") {
    const auto log =
        std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "packs-2.15" / "own_decompositions.log.xz";
    const std::string verdicts = cli({"retrace", log.string()}).out;
    CHECK(countOf(verdicts, "not comparable in target") == 4);
    CHECK(contains(verdicts, "equal with --decompositions aten.gelu.default,aten.gelu_backward.default,"
                             "aten.silu_backward.default --no-keep-input-mutations"));
    // PyTorch's own decomposition of addmm is in neither table: all other calls are the logged ones.
    CHECK(countOf(verdicts, "2/0 joint: not comparable") == 1);
    CHECK(contains(verdicts, "the logged graph has all calls but those of aten.addmm.default"));
    CHECK(countOf(verdicts, "differs") == 0);

    const std::string operators = "aten.gelu,aten.gelu_backward,aten.silu_backward.default";
    const auto chosen = cli({"retrace", "--id", "0/0", "--explain", "--no-keep-input-mutations",
                             "--decompositions", operators, log.string()});
    CHECK(chosen.code == 0);
    CHECK(contains(chosen.out, "0/0 joint: equal"));
    CHECK(contains(chosen.out, "metadata equal in 1 of 1"));
    CHECK(contains(chosen.out, "decompositions = " + operators + " (chosen)"));

    CHECK(cli({"retrace", "--decompositions", "best", log.string()}).code == 2);
    CHECK(cli({"retrace", "--decompositions", "chosen", log.string()}).code == 2);
}

TEST_CASE("a size that no shape function gives says so, with what it is and what to do") {
    const test::TempFolder folder;
    const std::string indices = R"py(class GraphModule(torch.nn.Module):
    def forward(self, s77: "Sym(s77)", L_x_: "f32[s77, 3][3, 1]cpu"):
        l_x_ = L_x_
        tri: "i64[2, s77][s77, 1]cpu" = torch.tril_indices(s77, s77);  s77 = None
        return (tri,)
)py";
    const auto ran = cli({"retrace", folder.write("indices.txt", indices).string()});
    CHECK(ran.code == 1);
    // Half of n * (n + 1), for three sizes.
    CHECK(contains(
        ran.out, "no shape function for aten::tril_indices: the size of dimension 1 is 36, 1596, 3916 where "
                 "s77 = 8, 56, 88"));
    CHECK(contains(ran.out, "mark_static"));

    // Where PyTorch's shape function is arithmetic on the symbols, so is the size here.
    std::string pairs = indices;
    pairs.replace(pairs.find("torch.tril_indices(s77, s77)"), 28, "torch.pdist(l_x_)");
    const auto traced = cli(
        {"retrace", folder.write("pairs.txt", pairs).string(), "--out", (folder.path() / "out").string()});
    CHECK(traced.code == 0);
    CHECK(contains(test::readFile(folder.path() / "out" / "graph" / "inference.txt"),
                   "f32[((s77*(s77 - 1))//2)][1]cpu"));
}

TEST_CASE("golden files are traced unit by unit" * test::needsCorpus()) {
    const std::string golden = (test::corpusDir() / "golden" / "set_storage_resize.json").string();
    const auto ran = cli({"retrace", golden, "--id", "units/0"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "units/0 inference: equal (3 nodes), metadata equal"));
}

TEST_CASE("the graphs traced from golden programs give the numbers PyTorch recorded, and those of eager" *
          test::needsCorpus()) {
    const Json told =
        test::jsonAbout(test::goldenFiles(test::corpusDir() / "golden"), {"retrace", "--numbers", "--json"});
    REQUIRE(told.is_object());
    const std::set<std::string> knownApart{
        // PyTorch's own graph gives other gradients than eager: core ATen's decomposition of attention on the
        // CPU returns the attention weights where its backward takes the logarithm of their sums.
        "transformer_encoder_layer__coredecomp.json:units/0"};
    std::size_t recordedCalls = 0;
    std::set<std::string> besideEager;
    for (const Json& compile : told["compiles"]) {
        const bool equal = compile["verdict"]["word"] == "equal";
        for (const Json& call : compile.value("numbers", Json::array())) {
            // A graph that is not PyTorch's is told by its verdict; its numbers may be others.
            if (!equal || call["skipped"] != "") {
                continue;
            }
            const bool known =
                knownApart.contains(compile["graph"].get<std::string>()) && call["call"] == "eager";
            CHECK_MESSAGE(call["agrees"] == !known, compile["graph"] << ": " << call.dump());
            if (call["call"] == "eager") {
                CHECK_MESSAGE(call["tensors"] > 0, compile["graph"]);
                besideEager.insert(compile["graph"].get<std::string>());
            } else {
                ++recordedCalls;
            }
        }
    }
    CHECK(recordedCalls == 188);
    CHECK(besideEager.size() == 63);
    // No tensors are stored for these.
    for (const char* file :
         {"bert_tiny.json.xz", "bert_tiny__coredecomp.json.xz", "gpt2_2l.json.xz", "gpt2_12l.json.xz",
          "huge_transformer.json.xz", "llama_tiny.json.xz", "resnet18.json.xz", "vit_tiny.json"}) {
        CHECK_MESSAGE(besideEager.contains(file + std::string(":units/0")), std::string(file));
    }
}
