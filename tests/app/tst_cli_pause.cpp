// retrace --break: pausing a trace from the command line.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::cli;
using test::cliReading;
using test::contains;

namespace {

std::string mlp() {
    return test::corpusLog("mlp_sgd");
}

} // namespace

TEST_CASE("the trace stops at a breakpoint, shows where it is, and goes on at the end of the input" *
          test::needsCorpus()) {
    const auto ran = cli({"retrace", mlp(), "--break", "op:mm"});
    CHECK(ran.code == 0);
    CHECK(test::countOf(ran.out, "Paused: ") == 1);
    CHECK(contains(ran.out, "breakpoint op:mm (backward of 0/0"));
    CHECK(contains(ran.out, "-> mm = torch.ops.aten.mm.default(tangents_1, t_2)"));
    CHECK(contains(ran.out, "addmm_1: \"f32["));
    CHECK(contains(ran.out, "1 of 1 graphs equal"));
}

TEST_CASE("the trace stops before a stage of the compile" * test::needsCorpus()) {
    const auto ran = cli({"retrace", mlp(), "--break", "stage:joint trace"});
    CHECK(ran.code == 0);
    CHECK(test::countOf(ran.out, "Paused: ") == 1);
    CHECK(contains(ran.out, "breakpoint stage:joint trace"));
    CHECK(contains(ran.out, "1 of 1 graphs equal"));
    // From there the first node is one step away.
    const auto stepped = cliReading("n\nc\n", {"retrace", mlp(), "--break", "stage:joint trace"});
    CHECK(test::countOf(stepped.out, "Paused: ") == 2);
    CHECK(contains(stepped.out, "Paused: step (forward"));
    // A training graph has no inference trace, and no program a stage of another name.
    CHECK(test::countOf(cli({"retrace", mlp(), "--break", "stage:inference trace"}).out, "Paused: ") == 0);
    CHECK(cli({"retrace", mlp(), "--break", "stage:nowhere"}).code == 2);
}

TEST_CASE("commands step, print, list and end" * test::needsCorpus()) {
    const auto stepped = cliReading("n\n\nc\nc\n", {"retrace", mlp(), "--break", "op:mm"});
    CHECK(stepped.code == 0);
    CHECK(test::countOf(stepped.out, "Paused: ") == 4); // mm, t_3, mm_1 by the empty line, mm_2
    CHECK(contains(stepped.out, "Paused: step (backward"));
    CHECK(contains(stepped.out, "-> mm_2 = "));

    const auto looked =
        cliReading("p\nv\ng\nh\nwhat\nb op:\nb op:addmm\nc\nc\n", {"retrace", mlp(), "--break", "op:t"});
    CHECK(looked.code == 0);
    CHECK(contains(looked.out, "def forward(self, primals_1"));
    CHECK(contains(looked.out, "No symbols"));
    CHECK(contains(looked.out, "no guards"));
    CHECK(contains(looked.out, "There is no command \"what\""));
    CHECK(contains(looked.out, "\"op:\" is not a place to pause at"));
    CHECK(contains(looked.out, "Paused: breakpoint op:addmm"));

    const auto quit = cliReading("q\n", {"retrace", mlp(), "--break", "op:mm"});
    CHECK(quit.code == 1);
    CHECK(contains(quit.err, "ended at a pause"));
    CHECK_FALSE(contains(quit.out, "graphs equal"));

    CHECK(cli({"retrace", mlp(), "--break", "nowhere"}).code == 2);
}

TEST_CASE("a fact is taken for granted, or refused with the reason" * test::needsCorpus()) {
    const std::string log = test::corpusLog("dyn_mark_symint_saved");
    const auto ran = cliReading("f Eq(s77, 5)\nf Eq(s77, 4)\nc\n",
                                {"retrace", log, "--break", "op:mm", "--guards", "--json"});
    const nlohmann::json told = test::json(ran);
    REQUIRE(told.is_object());
    CHECK(contains(ran.err, "does not hold for the sizes in the log: s27 = 6, s77 = 4"));
    CHECK(contains(ran.err, "Paused: fact Eq(s77, 4) taken"));
    const nlohmann::json& guard = told["compiles"][0]["guards"][0];
    CHECK(guard["expression"] == "Eq(s77, 4)");
    CHECK(guard["by_user"] == true);
}
