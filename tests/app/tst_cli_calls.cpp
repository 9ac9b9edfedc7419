// What a verdict on a call says: the five words, tolerance per value, random numbers, --explain.
#include "app/cli_support.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

std::filesystem::path callsFolder() {
    return std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "calls";
}

std::string log(const std::string& program) {
    return (callsFolder() / (program + ".log.xz")).string();
}

/// By how much of its largest magnitude PyTorch's own compiled gradient is off from eager mode's.
std::map<std::string, double> gradientsInTorch(const std::string& program) {
    std::map<std::string, double> apart;
    std::ifstream file(callsFolder() / "gradients.tsv");
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        std::string name;
        std::string gradient;
        std::string number;
        std::getline(cells, name, '\t');
        std::getline(cells, gradient, '\t');
        std::getline(cells, number, '\t');
        if (name == program) {
            apart[gradient] = std::stod(number);
        }
    }
    return apart;
}

nlohmann::json valuesOf(const test::Ran& ran) {
    return test::json(ran).at("functions").at(0).at("record").at("eager").at("values");
}

nlohmann::json valueNamed(const nlohmann::json& values, const std::string& name) {
    for (const auto& value : values) {
        if (value.at("name") == name) {
            return value;
        }
    }
    FAIL("no value " << name);
    return {};
}

} // namespace

TEST_CASE("a gradient in float32 that the compile computes in bfloat16 differs, and the node is named") {
    const auto truth = gradientsInTorch("autocast_off_inside");
    REQUIRE(truth.at("gradient 1") > 1e-3);
    const auto ran = cli({"run", log("autocast_off_inside"), "--reference", "eager", "--json"});
    CHECK(ran.code == 1);
    const auto values = valuesOf(ran);
    const auto wide = valueNamed(values, "gradient of l_wide_");
    CHECK(wide.at("agrees") == false);
    CHECK(wide.at("not_comparable") == "");
    CHECK(wide.at("relative_error").get<double>() == doctest::Approx(truth.at("gradient 1")).epsilon(1));
    CHECK(wide.at("allowed").get<double>() < 1e-4);
    CHECK(contains(wide.at("causes").dump(), "computed in bf16 by "));
    // Eager computes this one in bfloat16 too.
    const auto half = valueNamed(values, "gradient of l_half_");
    CHECK(half.at("agrees") == true);
    CHECK(half.at("not_comparable") == "");
    CHECK(test::json(ran).at("functions").at(0).at("verdict").at("word") == "differs");
}

TEST_CASE("random numbers that Inductor's decompositions draw are drawn in eager mode too") {
    const auto ran = cli({"run", log("dropouts_of_inductor"), "--reference", "eager"});
    CHECK_MESSAGE(ran.code == 0, ran.out);
    CHECK(contains(ran.out, "equal to Dynamo's graph in eager mode"));
}

TEST_CASE("a mask that the backward draws again makes the gradient differ") {
    const auto ran = cli({"run", log("mask_drawn_again"), "--reference", "eager"});
    CHECK(ran.code == 1);
    CHECK(contains(ran.out, "differs from Dynamo's graph in eager mode: gradient of "));
    CHECK(contains(ran.out, "is recomputed in the backward and draws other numbers"));
}

TEST_CASE("a call whose compile PyTorch refused is warned of") {
    const auto ran =
        cli({"run", std::string(AOTSCOPE_TEST_DIR) + "/golden/packs-2.15/saved_tensors_hooks.log.xz", "--id",
             "101/0", "--reference", "eager"});
    CHECK(contains(ran.out, "warning compile.failed: PyTorch's own compile of this function failed: "));
    CHECK(contains(ran.out, "Saved tensors hooks with inputs mutations are not allowed"));
}

TEST_CASE("a right call is equal, and says what was compared and under what") {
    const auto ran = cli({"run", log("exponential_of_a_product"), "--reference", "eager", "--explain"});
    CHECK_MESSAGE(ran.code == 0, ran.out);
    CHECK(contains(ran.out, "equal to Dynamo's graph in eager mode"));
    CHECK(contains(ran.out, "  compared:\n"));
    CHECK(contains(ran.out, "  configuration:\n"));
    CHECK(contains(ran.out, "not the person's Python program"));
    CHECK(contains(ran.out, "  tolerances:\n"));
    CHECK(contains(ran.out, "roundings of float32"));
    CHECK(cli({"run", log("exponential_of_a_product"), "--explain"}).code == 2);
}
