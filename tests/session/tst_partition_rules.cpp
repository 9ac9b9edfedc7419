// By whose rules a logged joint graph is split.
#include "partition_bench.h"
#include "support/corpus_case.h"
#include "support/log_payloads.h"
#include "support/temp_folder.h"

#include "aot/versions/versions.h"
#include "files/logged_partitions.h"
#include "judge/partition_metadata.h"

#include <doctest/doctest.h>

#include <regex>

using namespace aotscope;
using test::Bench;
using test::forcing;

TEST_CASE("where a log names the backend, the partitioner is that backend's, whatever the halves are" *
          test::needsCorpus()) {
    Bench inductor(test::corpusTrace("mlp_sgd__inductor"));
    const auto byInductor = inductor.split();
    REQUIRE(byInductor);
    CHECK(byInductor->partitionerSource == session::PartitionerSource::Backend);
    CHECK(byInductor->options.partitioner == passes::Partitioner::MinCut);
    Bench eager(test::corpusTrace("mlp_sgd"));
    CHECK(eager.split()->partitionerSource == session::PartitionerSource::Assumed);
    session::PartitionChoices chosen;
    chosen.partitioner = passes::Partitioner::Default;
    CHECK(eager.split(chosen)->partitionerSource == session::PartitionerSource::Chosen);
}

TEST_CASE("a partition is made by the rules of the log's release, or of the chosen one" *
          test::needsCorpus()) {
    const auto path = test::corpusDir() / "traces-2.15/mlp_sgd/dedicated_log_torch_trace_mlp_sgd.log";
    if (!std::filesystem::exists(path)) {
        return;
    }
    Bench bench(path);
    const auto own = bench.split();
    REQUIRE(own);
    CHECK(own->rules.text() == "rules of torch 2.15");
    CHECK(own->options.rules == aot::torchRules({2, 15}).partition);
    session::PartitionChoices choices;
    choices.torch = aot::TorchVersion{2, 11};
    const auto chosen = bench.split(choices);
    REQUIRE(chosen);
    CHECK(chosen->rules.text() == "rules of torch 2.11 (chosen; made by torch 2.15)");
    CHECK(chosen->options.rules == aot::torchRules({2, 11}).partition);
    const auto sweep = bench.ask(session::SweepBudgets{bench.reference("joint"), choices, 1})
                           .get<session::BudgetSweepSnapshotPtr>();
    REQUIRE(sweep);
    CHECK(sweep->rules == chosen->rules);
    // Choices without a release are again the log's.
    CHECK(bench.split()->rules.text() == "rules of torch 2.15");
    Bench unnamed(test::corpusTrace("mlp_sgd"));
    CHECK(unnamed.split()->rules.text() == "rules of torch 2.11");
}

TEST_CASE("what the partition adds to the metadata of torch 2.15 is read and compared" *
          test::needsCorpus()) {
    const auto none = judge::partitionMetadataFromRepr("ViewAndMutationMeta(num_symints_saved_for_bw=2)");
    REQUIRE(none);
    CHECK(none->savedSymInts == 2);
    CHECK_FALSE(none->savedIsInput);
    const auto all = judge::partitionMetadataFromRepr(
        "ViewAndMutationMeta(a='num_graphsafe_rng_states=9, ', num_symints_saved_for_bw=0, "
        "saved_tensor_is_graph_input=[True,\n  False], num_graphsafe_rng_states=1, "
        "graphsafe_rng_state_index=0, "
        "graphsafe_rng_device=device(type='cuda', index=0), bw_donated_idxs=None)");
    REQUIRE(all);
    CHECK(all->savedIsInput == std::vector<bool>{true, false});
    CHECK(all->generatorStates == 1U);
    CHECK(all->generatorDevice == "cuda:0");
    CHECK(all->generatorIndex == 0U);
    CHECK_FALSE(all->donated);

    const auto path = test::corpusDir() / "traces-2.15/mlp_sgd/dedicated_log_torch_trace_mlp_sgd.log";
    if (!std::filesystem::exists(path)) {
        return;
    }
    Bench bench(path);
    const auto split = bench.split();
    REQUIRE(split);
    CHECK(split->metadataDifferences == std::vector<std::string>{});
    CHECK(judge::partitionMetadataOf(*split->partition, true).savedIsInput ==
          std::vector<bool>{true, true, false});
}

TEST_CASE("a partitioner that no record names is assumed, and a choice for a node needs min-cut" *
          test::needsCorpus()) {
    Bench bench(test::corpusTrace("fail_backend_error"));
    const auto split = bench.split();
    REQUIRE(split);
    CHECK(split->options.partitioner == passes::Partitioner::MinCut);
    CHECK(split->partitionerSource == session::PartitionerSource::Assumed);
    CHECK(session::partitionerText(*split) == "assumed min-cut");
    REQUIRE(split->graphsVerdict);
    CHECK(split->graphsVerdict->word == base::VerdictWord::EqualUnderDefault);
    CHECK_FALSE(split->differences->empty());
    CHECK_FALSE(split->metadataDifferences);
    REQUIRE_FALSE(split->saved.empty());

    session::PartitionChoices chosen;
    chosen.partitioner = passes::Partitioner::Default;
    const auto byDefault = bench.split(chosen);
    REQUIRE(byDefault);
    CHECK(byDefault->graphsVerdict->word == base::VerdictWord::Equal);
    CHECK(byDefault->savedVerdict->word == base::VerdictWord::Equal);
    CHECK(byDefault->metadataDifferences == std::vector<std::string>{});
    // Under a min-cut that a person chooses, other halves are a difference.
    chosen.partitioner = passes::Partitioner::MinCut;
    CHECK(bench.split(chosen)->graphsVerdict->word == base::VerdictWord::Differs);

    const session::PartitionChoices forced = forcing(split->saved.back().name, passes::Forced::Save);
    CHECK(bench.split(forced)->options.partitioner == passes::Partitioner::MinCut);
    session::PartitionChoices impossible = forced;
    impossible.partitioner = passes::Partitioner::Default;
    CHECK(bench.ask(session::PartitionJoint{bench.reference("joint"), impossible}).error() ==
          "session.choices_need_min_cut");
}
