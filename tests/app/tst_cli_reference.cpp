// run --reference float64: the first wrong op of one graph, and of every graph of a file.
#include "app/cli_support.h"
#include "support/corpus_case.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

/// The norm of numbers near 1e25 is one that float32 has; the squares that its kernel adds up are not, so it
/// returns infinity.
std::string overflowingNorm() {
    return "class GraphModule(torch.nn.Module):\n"
           "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n"
           "        mul: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.mul.Tensor(arg0_1, 1e+25);  arg0_1 = None\n"
           "        linalg_vector_norm: \"f32[8][1]cpu\" = "
           "torch.ops.aten.linalg_vector_norm.default(mul, 2, [1]);  mul = None\n"
           "        neg: \"f32[8][1]cpu\" = torch.ops.aten.neg.default(linalg_vector_norm);  "
           "linalg_vector_norm = None\n"
           "        return (neg,)\n";
}

/// A log of two compiles: "0/0" computes rightly, "1/0" does not.
std::string logOfBoth() {
    const std::string second = "\"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0";
    return test::graphRecord("aot_inference_graph", test::firstCompile, test::smallGraphText()) +
           test::graphRecord("aot_inference_graph", second, overflowingNorm());
}

} // namespace

TEST_CASE("a run beside a float64 reference finds the first wrong op") {
    test::TempFolder folder;
    const std::string right = folder.write("right.txt", test::smallGraphText()).string();
    const std::string wrong = folder.write("wrong.txt", test::smallGraphText("1.001")).string();
    CHECK(cli({"run", right, "--reference", "float64", "--first-difference"}).code == 0);
    const auto same = test::json(cli({"run", right, "--reference", "float64", "--json"}));
    CHECK(same.at("schema") == "aotscope.reference/2");
    CHECK(same.at("ok") == true);
    CHECK(same.at("first_wrong").is_null());
    CHECK(same.at("nodes").size() == 2);
    CHECK(same.at("nodes").at(0).at("own").at("ulps").get<double>() <= 0.5);
    const auto found = cli({"run", wrong, "--first-difference", "--against", right});
    CHECK(found.code == 1);
    CHECK(contains(found.out, "First wrong op: add = aten.add.Tensor"));
    const auto json = test::json(cli({"run", wrong, "--against", right, "--first-difference", "--json"}));
    CHECK(json.at("first_wrong").at("node") == "add");
    CHECK(json.at("first_wrong").at("own").at("absolute").get<double>() ==
          doctest::Approx(0.001).epsilon(0.01));
    CHECK(json.at("nodes").empty());
    CHECK(cli({"run", right, "--reference", "float32"}).code == 2);
}

TEST_CASE("without an id every graph is compared with its reference" * test::needsCorpus()) {
    const auto ran = cli({"run", test::corpusLog("mlp_sgd"), "--reference", "float64", "--json"});
    CHECK(ran.code == 0);
    const auto json = test::json(ran);
    CHECK(json.at("schema") == "aotscope.references/2");
    CHECK(json.at("graphs") == 3);
    CHECK(json.at("right") == 3);
}

TEST_CASE("a log in which one graph computes wrongly ends with 1, and each graph is named with its first "
          "wrong op") {
    const test::TempFolder folder;
    const std::string log = folder.write("both.log", logOfBoth()).string();
    const auto table = cli({"run", log, "--reference", "float64", "--first-difference"});
    CHECK(table.code == 1);
    CHECK(contains(table.out, "linalg_vector_norm = aten.linalg_vector_norm.default"));
    CHECK(contains(table.out, "2 graphs: 1 without a wrong op, 1 with one, 0 that could not be compared"));

    const auto ran = cli({"run", log, "--reference", "float64", "--first-difference", "--json"});
    CHECK(ran.code == 1);
    const auto json = test::json(ran);
    REQUIRE(json.is_object());
    CHECK(json.at("schema") == "aotscope.references/2");
    CHECK(json.at("ok") == false);
    CHECK(json.at("right") == 1);
    CHECK(json.at("wrong") == 1);
    const auto& results = json.at("results");
    REQUIRE(results.size() == 2);
    CHECK(results[0].at("ok") == true);
    CHECK(results[0].at("first_wrong").is_null());
    CHECK(results[1].at("ok") == false);
    // What follows from it is not wrong itself.
    CHECK(results[1].at("first_wrong").at("node") == "linalg_vector_norm");
    CHECK(results[1].at("wrong") == 1);

    CHECK(cli({"run", log, "--id", "0/0", "--reference", "float64", "--first-difference"}).code == 0);
    const auto one = cli({"run", log, "--id", "1/0", "--reference", "float64", "--first-difference"});
    CHECK(one.code == 1);
    CHECK(contains(one.out, "First wrong op: linalg_vector_norm = aten.linalg_vector_norm.default"));
    CHECK(contains(one.out, "1 wrong in all"));
}
