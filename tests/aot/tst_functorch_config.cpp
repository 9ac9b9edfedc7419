// PyTorch's options: defaults by release, values as people and logs write them, what a verdict says of them.
#include "aot/backward_autocast.h"
#include "aot/config_verdict.h"
#include "aot/functorch_config.h"
#include "aot/partition_config.h"
#include "aot/versions/versions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace aotscope;
using aot::FunctorchConfig;

namespace {

constexpr aot::TorchVersion torch211{2, 11};
constexpr aot::TorchVersion torch215{2, 15};

FunctorchConfig with(aot::TorchVersion made, const std::vector<aot::ConfigSetting>& settings) {
    return aot::withSettings(aot::defaultConfig(made), settings).value();
}

} // namespace

TEST_CASE("each option has a name of its own, and its default is followed") {
    std::set<std::string_view> names;
    for (const aot::ConfigOption& option : aot::configOptions()) {
        CAPTURE(option.name);
        CHECK(names.insert(option.name).second);
        CHECK(aot::tryConfigOption(option.name) == &option);
        for (const aot::TorchVersion release : {torch211, torch215}) {
            const FunctorchConfig defaults = aot::defaultConfig(release);
            CHECK(aot::isDefault(defaults, option, release));
            CHECK(aot::isFollowed(defaults, option, release));
            // What is shown can be given again.
            FunctorchConfig again;
            REQUIRE(aot::setOption(again, option.name, aot::optionText(defaults, option)).ok());
            CHECK(aot::optionText(again, option) == aot::optionText(defaults, option));
        }
    }
    CHECK(names.size() > 60);
    CHECK(!aot::defaultConfig(torch211).guessTangentStridesAsOutputs);
    CHECK(aot::defaultConfig(torch215).guessTangentStridesAsOutputs);
}

TEST_CASE("values are read as Python and JSON write them, and wrong ones are refused by name") {
    FunctorchConfig config;
    for (const char* text : {"False", "false", " False "}) {
        config.cse = true;
        REQUIRE(aot::setOption(config, "torch._functorch.config.cse", text).ok());
        CHECK(!config.cse);
    }
    REQUIRE(aot::setOption(config, "backward_pass_autocast", "'off'").ok());
    CHECK(config.backwardPassAutocast == "off");
    REQUIRE(aot::setOption(config, "activation_memory_budget", "0.25").ok());
    CHECK(config.activationMemoryBudget == 0.25);
    for (const auto& [name, text] :
         {std::pair("cse", "yes"), std::pair("activation_memory_budget", "half"),
          std::pair("max_dist_from_bw", "1.5"), std::pair("saved_tensors_hooks_filtering_mode", "some"),
          std::pair("backward_pass_autocast", "[{\"dtype\": \"float16\"}]")}) {
        CAPTURE(name);
        const auto wrong = aot::setOption(config, name, text);
        REQUIRE(!wrong.ok());
        CHECK(wrong.error().code == "aot.config_option");
        CHECK(wrong.error().message.find(name) != std::string::npos);
    }
    const auto unknown = aot::configSettingFrom("activation_budget=1");
    REQUIRE(!unknown.ok());
    CHECK(unknown.error().hint.find("activation_memory_budget") != std::string::npos);
    CHECK(!aot::configSettingFrom("cse").ok());
}

TEST_CASE("the backward's autocast is read from its list") {
    const auto list =
        aot::backwardAutocastsFrom("[{'device_type': 'cpu', 'dtype': 'torch.float16', 'enabled': False}]");
    REQUIRE(list);
    CHECK(!list->isSameAsForward);
    REQUIRE(list->entered.size() == 1);
    CHECK(list->entered[0] == aot::BackwardAutocast{"cpu", ir::DType::Float16, false, std::nullopt});
    CHECK(aot::backwardAutocastsFrom("same_as_forward")->isSameAsForward);
    CHECK(aot::backwardAutocastsFrom("off")->entered.empty());
    CHECK(!aot::backwardAutocastsFrom("on"));
}

TEST_CASE("a verdict names options that differ from the release's defaults, and those not followed") {
    CHECK(aot::configurationNote(aot::defaultConfig(torch215), torch215, aot::touches::all).empty());
    const FunctorchConfig config = with(torch215, {{"activation_memory_budget", "0.5"},
                                                   {"selective_decompose", "True"},
                                                   {"debug_partitioner", "True"}});
    CHECK(aot::configurationLines(config, torch215, aot::touches::partition) ==
          std::vector<std::string>{"activation_memory_budget = 0.5 (chosen)"});
    CHECK(
        aot::configurationNote(config, torch215, aot::touches::trace) ==
        "Options that differ from the defaults of torch 2.15: selective_decompose = True (chosen), which is "
        "not followed.");
    FunctorchConfig newer = aot::defaultConfig(torch215);
    newer.unknown["brand_new"] = "True";
    CHECK(aot::configurationLines(newer, torch215, aot::touches::trace).size() == 1);
}

TEST_CASE("an option that the log does not have is no option that differs") {
    FunctorchConfig config = aot::defaultConfig(torch215);
    config.assumed = {"joint_custom_pass"};
    CHECK(aot::configurationNote(config, torch215, aot::touches::trace).empty());
    CHECK(aot::configurationNote(config, torch215, aot::touches::partition) ==
          "joint_custom_pass is not in the log: None is assumed.");
    config = with(torch215, {{"activation_memory_budget", "0"}});
    config.assumed = {"joint_custom_pass"};
    CHECK(aot::configurationNote(config, torch215, aot::touches::partition) ==
          "Options that differ from the defaults of torch 2.15: activation_memory_budget = 0.0 (chosen). "
          "joint_custom_pass is not in the log: None is assumed.");
}

TEST_CASE("a partition takes its options from the configuration") {
    passes::PartitionOptions options;
    aot::applyConfig(torch215,
                     with(torch215, {{"cse", "False"},
                                     {"ban_recompute_reductions", "False"},
                                     {"activation_memory_budget_solver", "greedy"},
                                     {"donated_buffer", "False"}}),
                     options);
    CHECK(options.rules == aot::torchRules(torch215).partition);
    CHECK(!options.mergeCommonSubexpressions);
    CHECK(!options.bans.reductions);
    CHECK(options.bans.notInAllowlist);
    CHECK(options.solver == passes::BudgetSolver::Greedy);
    CHECK(!options.donatesBuffers);
    CHECK(!options.budgetIsChosen);
    aot::applyConfig(torch215, with(torch215, {{"activation_memory_budget", "1.0"}}), options);
    CHECK(options.budgetIsChosen);
}

TEST_CASE("the joint graph of a trace is partitioned by the trace's own release and static inputs") {
    aot::CompiledFunction traced;
    traced.metadata.staticInputIndices = {0, 2};
    for (const aot::TorchVersion release : {torch211, torch215}) {
        traced.configuration.torch = release;
        traced.configuration.functorch = with(release, {{"recompute_views", "True"}});
        const passes::PartitionOptions options = aot::partitionOptionsOf(traced);
        CHECK(options.rules == aot::torchRules(release).partition);
        CHECK(options.rules.mergesWithinAHalf == (release == torch215));
        CHECK(options.recomputeViews);
        CHECK(options.staticInputs == std::vector<std::size_t>{0, 2});
    }
}

TEST_CASE(
    "a difference is no verdict where an option that is not followed, or not known, can be its reason") {
    const auto doubted = [](FunctorchConfig config, unsigned touched) {
        base::Verdict verdict;
        verdict.word = base::VerdictWord::Differs;
        verdict.reason = "node 3";
        aot::doubtDifference(verdict, config, torch215, touched);
        return verdict;
    };
    const FunctorchConfig decomposed = with(torch215, {{"selective_decompose", "True"}});
    const base::Verdict traced = doubted(decomposed, aot::touches::trace);
    CHECK(traced.word == base::VerdictWord::NotSupported);
    CHECK(traced.reason == "selective_decompose = True, an option that is not followed");
    CHECK(traced.notCompared == std::vector<std::string>{"from the first difference on: node 3"});
    CHECK(doubted(aot::defaultConfig(torch215), aot::touches::all).word == base::VerdictWord::Differs);
    // Without a budget nothing is solved.
    FunctorchConfig assumed = aot::defaultConfig(torch211);
    assumed.assumed = {"activation_memory_budget_solver"};
    CHECK(doubted(assumed, aot::touches::partition).word == base::VerdictWord::Differs);
    assumed.activationMemoryBudget = 0.5;
    const base::Verdict split = doubted(assumed, aot::touches::partition);
    CHECK(split.word == base::VerdictWord::NotComparable);
    CHECK(split.reason.find("activation_memory_budget_solver") != std::string::npos);
    CHECK(doubted(assumed, aot::touches::trace).word == base::VerdictWord::Differs);
    assumed.chosen = {"activation_memory_budget_solver"};
    CHECK(doubted(assumed, aot::touches::partition).word == base::VerdictWord::Differs);
    base::Verdict equal;
    equal.word = base::VerdictWord::Equal;
    aot::doubtDifference(equal, decomposed, torch215, aot::touches::all);
    CHECK(equal.word == base::VerdictWord::Equal);
}
