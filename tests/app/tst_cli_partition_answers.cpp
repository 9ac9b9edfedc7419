// AOTAutograd's results in a log are compared with, and decide nothing of the engine's own graphs.
#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

/// A log in which the records of the forward and of the backward are each other's.
std::string withHalvesExchanged(const std::string& log) {
    std::string text;
    std::istringstream in(test::readFile(log));
    for (std::string line; std::getline(in, line);) {
        const std::size_t forward = line.find("{\"aot_forward_graph\"");
        const std::size_t backward = line.find("{\"aot_backward_graph\"");
        if (!line.starts_with('\t') && forward != std::string::npos) {
            line.replace(forward, 20, "{\"aot_backward_graph\"");
        } else if (!line.starts_with('\t') && backward != std::string::npos) {
            line.replace(backward, 21, "{\"aot_forward_graph\"");
        }
        text += line + '\n';
    }
    return text;
}

} // namespace

TEST_CASE("halves of a partitioner that the log does not name have a verdict of their own" *
          test::needsCorpus()) {
    // A backend of aot_autograd(), whose partitioner is the default one.
    const std::string log = test::corpusLog("fail_backend_error");
    const auto custom = cli({"partition", log, "--compare"});
    CHECK(custom.code == 0);
    CHECK(contains(custom.out, "equal under the default partitioner: min-cut, which is assumed"));
    CHECK(
        contains(custom.err, "0 equal, 1 equal under the default partitioner, which nobody chose, 0 differ"));
    const auto told = test::json(cli({"partition", log, "--compare", "--json"}));
    CHECK(told["equal"] == 0);
    CHECK(told["equal_under_default"] == 1);
    CHECK(told["different"] == 0);
    CHECK(told["undecided"] == 0);
    const auto& partition = told["partitions"][0];
    CHECK(partition["partitioner"] == "min-cut");
    CHECK(partition["partitioner_source"] == "assumed");
    CHECK(partition["equal"].is_null());
    CHECK(partition["metadata_equal"].is_null());
    CHECK(partition["graphs_verdict"]["word"] == "equal under the default partitioner");
    CHECK(contains(partition["graphs_verdict"]["configuration"].dump(), "partitioner = min-cut (assumed)"));
    CHECK(contains(cli({"partition", log}).out, "(assumed min-cut, from the"));

    const auto chosen = cli({"partition", log, "--compare", "--partitioner", "default"});
    CHECK(chosen.code == 0);
    CHECK(contains(chosen.err, "1 equal, 0 differ"));
    const auto wrong = cli({"partition", log, "--compare", "--partitioner", "min-cut"});
    CHECK(wrong.code == 1);
    CHECK(contains(wrong.err, "0 equal, 1 differ"));
}

TEST_CASE("halves that follow from a checkpoint's policy are not comparable where the graph was traced" *
          test::needsCorpus()) {
    // The policy is a Python function: the traced joint graph has none of its tags, and saves other values.
    const std::string log = (test::corpusDir() / "traces-2.15" / "ac_selective_policy").string();
    const auto traced = cli({"partition", log, "--compare", "--input", "traced"});
    CHECK(traced.code == 0);
    CHECK(contains(traced.out, "not comparable: the traced joint graph may be another than the logged one: a "
                               "checkpoint has a policy (context_fn)"));
    CHECK_FALSE(contains(traced.out, "differs"));
    CHECK(contains(traced.err, "0 equal, 0 differ"));
    const auto logged = cli({"partition", log, "--compare", "--input", "logged"});
    CHECK(logged.code == 0);
    CHECK(contains(logged.err, "1 equal, 0 differ"));
}

TEST_CASE("a changed field of the logged metadata is a difference, by name" * test::needsCorpus()) {
    // A Function that keeps a tensor on its context, which autograd saves without a check of its version.
    const std::string log = test::readFile(test::corpusLog("autograd_function_ctx_attr"));
    const test::TempFolder folder;
    const auto with = [&](const std::string& field, const std::string& value, const std::string& other) {
        std::string text = log;
        const std::size_t at = text.find(value, text.find(field + "="));
        REQUIRE(at < text.size());
        return folder.write(field + ".log", text.replace(at, value.size(), other)).string();
    };
    const auto partitioned = [](const std::string& file) {
        return test::json(cli({"partition", file, "--compare", "--input", "traced",
                               "--json"}))["partitions"][0]["metadata_differences"]
            .dump();
    };
    CHECK(partitioned(with("num_tensors_saved_with_no_vc_check", "1", "0")) ==
          R"(["num_tensors_saved_with_no_vc_check: made 1, logged 0"])");
    CHECK(partitioned(with("num_opaque_objects_saved_for_bw", "0", "1")) ==
          R"(["num_opaque_objects_saved_for_bw: made 0, logged 1"])");
    CHECK(partitioned(with("num_backward_tokens", "0", "3")) ==
          R"(["num_backward_tokens: made 0, logged 3"])");
    CHECK(partitioned(with("graphsafe_rng_state_index", "None", "0")) ==
          R"(["graphsafe_rng_state_index: made None, logged 0"])");
    for (const char* field : {"subclass_inp_meta", "subclass_fw_graph_out_meta"}) {
        const auto traced = cli({"retrace", with(field, "unwrapped_idx=0", "unwrapped_idx=7")});
        CHECK(traced.code == 1);
        CHECK_MESSAGE(contains(traced.out, std::string(field) + "[0].unwrapped_idx: made 0, logged 7"),
                      traced.out);
    }
}

TEST_CASE("a saved value with another constant is another value, also where Inductor rewrote the graph" *
          test::needsCorpus()) {
    std::string text = test::readFile(test::corpusLog("conv_bn_relu__inductor"));
    const std::string call = "torch.ops.aten.le.Scalar(relu, 0)";
    REQUIRE(contains(text, call));
    const test::TempFolder folder;
    const auto told = [&] {
        const std::string file = folder.write("constant.log", text).string();
        // The log does not tell this option, which would leave a difference undecided.
        return test::json(cli({"partition", file, "--compare", "--json", "--config",
                               "joint_custom_pass=None"}))["partitions"][0]["saved_verdict"];
    };
    CHECK(told()["word"] == "equal");
    text.replace(text.find(call), call.size(), "torch.ops.aten.le.Scalar(relu, 1)");
    const auto verdict = told();
    CHECK(verdict["word"] == "differs");
    CHECK(contains(verdict["reason"].dump(), "saved only in the log: le"));
}

TEST_CASE("only tags that a policy may have set are not comparable") {
    // A call over several lines, whose first line does not show the policy.
    const auto log =
        std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "packs-2.15" / "research_models.log.xz";
    const auto traced = cli({"retrace", "--id", "9/0", log.string()});
    CHECK(contains(traced.out, "9/0 joint: not comparable in recompute tag"));
    CHECK(contains(traced.out, "logged addmm: MUST_SAVE"));
}

TEST_CASE("only the partition of a logged joint graph has AOTAutograd's names of symbols") {
    const std::string log = std::string(AOTSCOPE_TEST_DIR) + "/golden/graph_warnings/random-2.15.log.xz";
    test::TempFolder folder;
    std::string text = test::readPlainOrXz(log);
    const std::string record = "\"create_symbol\": {\"symbol\": \"s21\", \"val\": \"5056\"";
    REQUIRE(contains(text, record));
    text.replace(text.find("s21", text.find(record)), 3, "s42");
    const std::string renamed = folder.write("renamed.log", text).string();
    const auto halvesOf = [&](const std::string& file, const std::string& input, const std::string& out) {
        const std::string place = (folder.path() / out).string();
        CHECK(cli({"partition", file, "--id", "0/0", "--input", input, "--out", place}).code == 0);
        return test::readFile(place + "/0_0/forward.txt") + test::readFile(place + "/0_0/backward.txt");
    };
    CHECK(contains(halvesOf(log, "logged", "own logged"), "getitem_2: \"u8[s21][1]cpu\""));
    CHECK(contains(halvesOf(renamed, "logged", "renamed logged"), "getitem_2: \"u8[s42][1]cpu\""));
    const std::string traced = halvesOf(log, "traced", "own traced");
    CHECK(contains(traced, "getitem_2: \"u8[s"));
    CHECK_FALSE(contains(traced, "s21"));
    CHECK(traced == halvesOf(renamed, "traced", "renamed traced"));

    // The comparison knows that the names need not be the same, and says that they are not.
    const auto told =
        test::json(cli({"partition", log, "--id", "0/0", "--input", "traced", "--compare", "--json"}));
    const auto& partition = told["partitions"][0];
    CHECK(partition["saved_verdict"]["word"] == "equal");
    CHECK(partition["graphs_verdict"]["word"] == "equal up to names");
    CHECK(contains(partition["graphs_verdict"]["reason"], "generator's state is s21 in the log"));
    const auto logged =
        test::json(cli({"partition", log, "--id", "0/0", "--input", "logged", "--compare", "--json"}));
    CHECK(logged["partitions"][0]["graphs_verdict"]["word"] == "equal");
}

TEST_CASE("what is made here is the same whatever the log's halves are" * test::needsCorpus()) {
    for (const char* name : {"fail_backend_error", "transformer_encoder_layer", "mlp_sgd__inductor"}) {
        CAPTURE(name);
        const std::string log = test::corpusLog(name);
        test::TempFolder folder;
        const std::string exchanged = folder.write("exchanged.log", withHalvesExchanged(log)).string();
        CHECK(test::json(
                  cli({"partition", exchanged, "--compare", "--json", "--input", "logged"}))["equal"] == 0);
        for (const char* input : {"traced", "logged"}) {
            const auto halvesOf = [&](const std::string& file, const std::string& out) {
                CHECK(cli({"partition", file, "--input", input, "--out", (folder.path() / out).string()})
                          .code == 0);
                return test::readFile((folder.path() / out / "0_0/forward.txt").string()) +
                       test::readFile((folder.path() / out / "0_0/backward.txt").string());
            };
            CHECK(halvesOf(log, std::string("own ") + input) ==
                  halvesOf(exchanged, std::string("exchanged ") + input));
        }
    }
}
