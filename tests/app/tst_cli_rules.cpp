// Whose rules apply: what the log's release says, or --torch.
#include "app/cli_support.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::cli;
using test::contains;

namespace {

std::string newLog(const std::string& name) {
    return (test::corpusDir() / "traces-2.15" / name / ("dedicated_log_torch_trace_" + name + ".log"))
        .string();
}

} // namespace

TEST_CASE("the rules that changed are listed with the release that they begin at and where they are from") {
    const auto text = cli({"rules"});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "2.11, 2.15"));
    CHECK(contains(text.out, "linear"));
    const auto all = test::json(cli({"rules", "--json"}));
    CHECK(all["schema"] == "aotscope.rules/1");
    CHECK(all["known"] == nlohmann::json({"2.11", "2.15"}));
    CHECK(all["torch"].is_null());
    REQUIRE_FALSE(all["rules"].empty());
    CHECK(all["rules"][0]["begins"] == "2.15");
    CHECK(contains(all["rules"][0]["source"], ".py"));
    const auto old = test::json(cli({"rules", "--torch", "2.13.1+cpu", "--json"}));
    CHECK(old["torch"] == "2.13");
    CHECK(old["rules_of"] == "2.11");
    CHECK(old["rules"][0]["applies"] == false);
    CHECK(contains(cli({"rules", "--torch", "2.11"}).out, "nothing"));
    CHECK(test::json(cli({"rules", "--torch", "2.16", "--json"}))["rules"][0]["applies"] == true);
}

TEST_CASE("a release that cannot be read names the known ones, for every command that compiles") {
    for (const char* command : {"retrace", "partition", "memory", "graph", "budget", "why", "rules"}) {
        INFO(command);
        const auto ran = cli({command, "--torch", "newest", "absent.log", "--node", "x"});
        CHECK(ran.code == 2);
        CHECK(contains(ran.err, "\"newest\" is no release of torch"));
        CHECK(contains(ran.err, "2.11, 2.15"));
    }
}

TEST_CASE("a partition says by whose rules it was made" * test::needsCorpus()) {
    const std::string log = newLog("mlp_sgd");
    const auto partition = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"partition", log, "--input", "logged", "--compare"});
        return cli(std::move(more));
    };
    const auto own = test::json(partition({"--json"}))["partitions"][0];
    CHECK(own["rules"]["text"] == "rules of torch 2.15");
    CHECK(own["rules"]["chosen"].is_null());
    CHECK(own["equal"] == true);
    CHECK(own["metadata_equal"] == true);
    const auto older = test::json(partition({"--torch", "2.11", "--json"}))["partitions"][0];
    CHECK(older["rules"]["torch"] == "2.11");
    CHECK(older["rules"]["made_by"] == "2.15");
    CHECK(older["rules"]["text"] == "rules of torch 2.11 (chosen; made by torch 2.15)");
    CHECK(contains(partition({"--torch", "2.11"}).err, "rules of torch 2.11 (chosen; made by torch 2.15)"));
    const auto single = cli({"partition", log, "--id", "0/0", "--input", "logged"});
    CHECK(contains(single.out, "rules of torch 2.15"));

    const auto memory = test::json(cli({"memory", log, "--torch", "2.11", "--format", "json"}));
    CHECK(memory["profiles"][0]["rules"]["torch"] == "2.11");
    CHECK(memory["profiles"][0]["order"] == "current choices");
    CHECK(test::json(cli({"memory", log, "--format", "json"}))["profiles"][0]["rules"].is_null());
    const auto budget = test::json(cli({"budget", log, "--id", "0/0", "--steps", "1", "--json"}));
    CHECK(budget["rules"]["text"] == "rules of torch 2.15");
    const auto why = test::json(
        cli({"why", log, "--id", "0/0", "--node", "relu", "--input", "logged", "--torch", "2.11", "--json"}));
    CHECK(why["rules"]["torch"] == "2.11");
}
