// Calls through wrappers that in PyTorch make something else than the program says, in torch 2.11 and 2.15:
// tests/golden/wrapper_mistakes has what PyTorch answered. Graphs that end their process, and inputs that
// would.
#include "app/cli_support.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

std::string goldenFile(const std::string& name) {
    return std::string(AOTSCOPE_TEST_DIR) + "/golden/" + name;
}

struct Answer {
    std::string release;
    std::string id;
    std::string program;
    std::string verdict;
};

std::vector<Answer> answers() {
    std::vector<Answer> all;
    std::ifstream in(goldenFile("wrapper_mistakes/answers.tsv"));
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        Answer& answer = all.emplace_back();
        for (std::string* field : {&answer.release, &answer.id, &answer.program, &answer.verdict}) {
            std::getline(fields, *field, '\t');
        }
    }
    return all;
}

} // namespace

TEST_CASE("a wrapper makes of aliased outputs what PyTorch's makes, and says where that is wrong") {
    const std::vector<Answer> recorded = answers();
    REQUIRE(recorded.size() > 30);
    for (const std::string release : {"2.11", "2.15"}) {
        CAPTURE(release);
        const auto ran = cli({"run", goldenFile("wrapper_mistakes/torch-" + release + ".log.xz"),
                              "--reference", "eager", "--json"});
        CHECK(ran.code == 1);
        const auto json = test::json(ran);
        REQUIRE(json.is_object());
        std::map<std::string, nlohmann::json> functions;
        for (const auto& function : json.at("functions")) {
            functions[function.at("name")] = function;
        }
        for (const Answer& answer : recorded) {
            if (answer.release != release) {
                continue;
            }
            CAPTURE(answer.program);
            REQUIRE(functions.contains(answer.id));
            const auto& function = functions[answer.id];
            INFO(function.dump(1));
            CHECK(function.at("agrees") == (answer.verdict == "equal"));
            CHECK(function.at("record").at("departures").empty() == (answer.verdict == "equal"));
            CHECK(function.at("record").at("error").is_null() == !answer.verdict.starts_with("fails: "));
            if (answer.verdict.starts_with("fails: ")) {
                const std::string how = function.at("record").at("departures").at(0).at("how");
                CHECK(contains(how, answer.verdict.substr(7)));
            }
        }
    }
}

TEST_CASE("the verdict names the wrapper and what it did") {
    const std::string log = goldenFile("wrapper_mistakes/torch-2.15.log.xz");
    const auto differs = cli({"wrappers", log, "--run", "--id", "0/0"});
    CHECK(differs.code == 1);
    CHECK(contains(differs.out,
                   "PyTorch's compile differs from eager here: RuntimeWrapper made output 0 again from "
                   "argument 0 by the views that were recorded when it was traced (select)"));
    CHECK_FALSE(contains(differs.out, "equal to eager"));
    const auto fails = cli({"wrappers", log, "--run", "--id", "2/0"});
    CHECK(fails.code == 1);
    CHECK(contains(fails.out, "PyTorch's compile fails here: RuntimeWrapper could not make output 0 again"));
    CHECK(contains(fails.out, "In eager mode the program does not fail."));
    const auto equal = cli({"wrappers", log, "--run", "--id", "4/0"});
    CHECK(equal.code == 0);
}

TEST_CASE("a graph that ends the process in PyTorch ends a process of its own, and the node is named") {
    for (const std::string release : {"2.11", "2.15"}) {
        CAPTURE(release);
        const std::string log = goldenFile("ending_logs/jvp_of_ldexp-" + release + ".log.xz");
        const auto ran = cli({"wrappers", log, "--run"});
        CHECK(ran.code == 1);
        CHECK(contains(ran.out, "ended by signal 11"));
        CHECK(contains(ran.out, "while it ran mul = aten.mul.Scalar on zeros that have no memory"));
        if (release == AOTSCOPE_LIBTORCH_RELEASE) {
            CHECK(cli({"retrace", log}).code == 0);
        }
        // The graph alone runs: what ends PyTorch is the mode of the first call.
        const auto graph = cli({"run", log});
        CHECK(graph.code == 0);
    }
}

TEST_CASE("made-up indexes lie within what a kernel trusts") {
    for (const std::string release : {"2.11", "2.15"}) {
        const std::string log = goldenFile("ending_logs/coo_to_csr-" + release + ".log.xz");
        for (const std::string seed : {"0", "1", "2", "3"}) {
            CAPTURE(seed);
            CHECK(cli({"run", log, "--seed", seed}).code == 0);
        }
        const auto measured = cli({"memory", log, "--measured"});
        CHECK(measured.code == 0);
        CHECK(test::countOf(measured.out, ":inference (one graph)") == 3);
        CHECK(cli({"wrappers", log, "--run"}).code == 0);
    }
}

TEST_CASE("a backward in which no gradient needs a tangent is partitioned and called") {
    for (const std::string release : {"2.11", "2.15"}) {
        const std::string log = goldenFile("ending_logs/no_tangent-" + release + ".log.xz");
        CHECK(cli({"partition", log, "--compare"}).code == 0);
        CHECK(cli({"wrappers", log, "--run"}).code == 0);
    }
}

TEST_CASE("a second backward is refused where buffers are donated, as in PyTorch") {
    const std::string log = goldenFile("packs-2.15/derivatives_of_primitives.log.xz");
    const auto twice = cli({"wrappers", log, "--run", "--backward-twice", "--id", "2/0"});
    CHECK(twice.code == 1);
    CHECK(contains(twice.out, "PyTorch's compile fails here: AOTDispatchAutograd refuses a backward"));
    CHECK(contains(twice.out, "In eager mode the program does not fail."));
    const auto traced = cli({"run", log, "--trace-wrappers", "--backward-twice", "--id", "2/0", "--json"});
    CHECK(traced.code == 1);
    const auto told = test::json(traced);
    const auto& error = told.at("functions").at(0).at("record").at("error");
    CHECK(contains(error.at("message"), "set torch._functorch.config.donated_buffer=False"));
    CHECK(contains(error.dump(), "--config donated_buffer=False"));
    CHECK(
        cli({"wrappers", log, "--run", "--backward-twice", "--id", "2/0", "--config", "donated_buffer=False"})
            .code == 0);
    // All that is saved here are inputs, which are not donated.
    CHECK(cli({"wrappers", log, "--run", "--backward-twice", "--id", "4/0"}).code == 0);
    CHECK(cli({"run", log, "--backward-twice"}).code == 2);
}
