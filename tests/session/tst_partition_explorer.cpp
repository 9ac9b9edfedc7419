#include "partition_bench.h"
#include "support/corpus_case.h"
#include "support/fake_backend.h"
#include "support/log_payloads.h"
#include "support/temp_folder.h"

#include "aot/versions/versions.h"
#include "files/logged_partitions.h"
#include "judge/partition_metadata.h"
#include "session/session.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>

using namespace aotscope;
using test::Bench;
using test::forcing;

namespace {

bool saves(const session::PartitionSnapshot& split, const std::string& name) {
    return std::ranges::any_of(split.saved, [&](const auto& row) { return row.name == name; });
}

bool recomputes(const session::PartitionSnapshot& split, const std::string& name) {
    return std::ranges::any_of(split.recomputed, [&](const auto& row) { return row.name == name; });
}

} // namespace

TEST_CASE("every joint graph of the logs that eager made is split as PyTorch split it" *
          test::needsCorpus()) {
    std::size_t count = 0;
    for (const std::filesystem::path& path : test::corpusLogs()) {
        // What inductor's passes change before and after the partition is not the partitioner's.
        if (path.string().find("__inductor") != std::string::npos ||
            path.string().find("/traces/") == std::string::npos) {
            continue;
        }
        CAPTURE(path.filename().string());
        Bench bench(path);
        for (std::uint32_t index = 0; index < bench.log->traceLog()->compiles().size(); ++index) {
            const load::CompileId id = bench.log->traceLog()->compiles()[index].id;
            for (const session::LoggedPartition& logged :
                 session::loggedPartitions(*bench.log, load::CompileIndex(index), id)) {
                CAPTURE(id.text());
                const auto split =
                    bench.ask(session::PartitionJoint{logged.joint, {}}).get<session::PartitionSnapshotPtr>();
                REQUIRE(split);
                if (!logged.forward || !logged.backward) {
                    CHECK_FALSE(split->differences.has_value());
                    continue;
                }
                REQUIRE(split->differences.has_value());
                if (path.filename().string().find("fail_backend_error") != std::string::npos) {
                    // Its backend uses the default partitioner, which no record names.
                    CHECK(split->graphsVerdict->word == base::VerdictWord::EqualUnderDefault);
                    continue;
                }
                CHECK(split->differences->empty());
                CHECK(session::jointGraphOf(*bench.log, *logged.forward) == logged.joint);
                CHECK(session::jointGraphOf(*bench.log, *logged.backward) == logged.joint);
                // Equal halves need equal memory.
                CHECK(split->profile->bytes == split->loggedProfile->bytes);
                ++count;
            }
        }
    }
    CHECK(count > 50);
}

TEST_CASE("a budget goes by the times of a run where a person asks for them" * test::needsCorpus()) {
    const auto control = std::make_shared<test::FakeBackendControl>();
    std::string slow;
    control->onRun = [&](const ir::Graph& graph, const session::RunOptions&, base::Progress&) {
        session::RunSnapshot run;
        for (const ir::NodeId id : graph.order()) {
            run.nodes.emplace_back().node = id;
            run.nodes.back().nanoseconds = graph.node(id).name == slow ? 1'000'000'000 : 1'000;
        }
        return base::Result<session::RunSnapshot>(std::move(run));
    };
    Bench bench(test::corpusTrace("transformer_encoder_layer"), test::fakeBackendFactory(control));
    session::PartitionChoices choices;
    choices.memoryBudget = 0.5;
    choices.runtime = session::RuntimeSource::Testing;
    const auto evenly = bench.split(choices);
    REQUIRE(evenly);
    CHECK(control->started == 0);
    choices.runtime = session::RuntimeSource::Profile;
    const auto timed = bench.split(choices);
    REQUIRE(timed);
    CHECK(control->started > 0);
    const auto names = [](const session::PartitionSnapshot& split) {
        std::vector<std::string> found;
        for (const session::SavedTensor& row : split.saved) {
            found.push_back(row.name);
        }
        return found;
    };
    // All nodes take equally long.
    CHECK(names(*timed) == names(*evenly));
    REQUIRE(!timed->partition->report.budget->items.empty());
    const auto again = std::ranges::find_if(timed->partition->report.budget->items,
                                            [](const auto& item) { return !item.saved; });
    REQUIRE(again != timed->partition->report.budget->items.end());
    slow = timed->partition->joint->node(again->node).name;

    // The times are those of one run, until the log is read anew.
    Bench other(test::corpusTrace("transformer_encoder_layer"), test::fakeBackendFactory(control));
    const auto kept = other.split(choices);
    REQUIRE(kept);
    const auto item = std::ranges::find_if(kept->partition->report.budget->items, [&](const auto& each) {
        return kept->partition->joint->node(each.node).name == slow;
    });
    REQUIRE(item != kept->partition->report.budget->items.end());
    CHECK(item->saved);
    CHECK(item->runtime == 1000);
    const int runs = control->started;
    choices.memoryBudget = 0.6;
    REQUIRE(other.split(choices));
    CHECK(control->started == runs);

    control->onRun = [](const ir::Graph&, const session::RunOptions&, base::Progress&) {
        return base::Result<session::RunSnapshot>(
            base::Error{.code = "run.too_large", .message = "too large"});
    };
    Bench failing(test::corpusTrace("transformer_encoder_layer"), test::fakeBackendFactory(control));
    CHECK(failing.ask(session::PartitionJoint{failing.reference("joint"), choices}).error() ==
          "run.too_large");
}

TEST_CASE("the halves are graphs like logged ones, until the log is closed" * test::needsCorpus()) {
    Bench bench(test::corpusTrace("transformer_encoder_layer"));
    const auto split = bench.split();
    REQUIRE(split);
    CHECK(split->forward.artifact == "forward of joint");
    const auto loaded = bench.ask(session::LoadGraph{split->backward}).get<session::GraphSnapshotPtr>();
    REQUIRE(loaded);
    CHECK(loaded->graph == split->partition->backward);
    CHECK_FALSE(loaded->printed.text.empty());
    CHECK(loaded->problems.empty());
    const auto logged =
        bench.ask(session::LoadGraph{bench.reference("forward")}).get<session::GraphSnapshotPtr>();
    const auto made = bench.ask(session::LoadGraph{split->forward}).get<session::GraphSnapshotPtr>();
    CHECK(made->inputSources == logged->inputSources);
    CHECK(made->modules.ofNode.size() == made->graph->idBound());
    const auto compared = bench.ask(session::CompareGraphs{split->forward, bench.reference("forward")});
    REQUIRE(compared.get<session::DiffSnapshotPtr>());
    CHECK(compared.get<session::DiffSnapshotPtr>()->diff.equal());
    CHECK(session::jointGraphOf(*bench.log, split->forward) == bench.reference("joint"));

    (void)bench.ask(session::CloseLog{bench.log->log});
    CHECK(bench.ask(session::LoadGraph{split->forward}).error() == "session.no_such_log");
    CHECK(bench.ask(session::PartitionJoint{bench.reference("joint"), {}}).error() == "session.no_such_log");
}

TEST_CASE("a choice changes the cut, its halves and its memory, and undoing it brings the first back" *
          test::needsCorpus()) {
    Bench bench(test::corpusTrace("mlp_sgd"));
    const auto plain = bench.split();
    REQUIRE(plain);
    CHECK(saves(*plain, "relu"));
    CHECK_FALSE(recomputes(*plain, "relu"));

    const auto again = bench.split(forcing("relu", passes::Forced::Recompute));
    REQUIRE(again);
    CHECK_FALSE(saves(*again, "relu"));
    CHECK(recomputes(*again, "relu"));
    CHECK(again->options.choices.size() == 1);
    CHECK(again->differences.has_value());
    CHECK_FALSE(again->differences->empty());
    CHECK(again->partition->backward->tryFind("relu").has_value());
    CHECK(again->partition->backward->order()[again->recomputed.front().position] ==
          again->partition->backward->tryFind(again->recomputed.front().name));
    CHECK(again->profile->bytes != plain->profile->bytes);
    // What the logged halves and eager need does not follow from choices.
    CHECK(again->loggedProfile == plain->loggedProfile);
    CHECK(again->eagerProfile == plain->eagerProfile);
    const auto half = bench.ask(session::LoadGraph{again->backward}).get<session::GraphSnapshotPtr>();
    CHECK(half->graph == again->partition->backward);

    REQUIRE(recomputes(*plain, "t_1"));
    const auto kept = bench.split(forcing("t_1", passes::Forced::Save));
    REQUIRE(kept);
    CHECK(saves(*kept, "t_1"));
    CHECK_FALSE(recomputes(*kept, "t_1"));

    const auto undone = bench.split();
    CHECK(undone->partition->savedTensors == plain->partition->savedTensors);
    CHECK(undone->profile->bytes == plain->profile->bytes);
}

TEST_CASE("marks that are asked for with earlier choices leave the halves of the last choices" *
          test::needsCorpus()) {
    Bench bench(test::corpusTrace("mlp_sgd"));
    const auto plain = bench.split();
    const auto picture =
        bench.ask(session::LayOutGraph{plain->backward, {}, {}}).get<session::LayoutSnapshotPtr>();
    REQUIRE(picture);
    const auto chosen = bench.split(forcing("relu", passes::Forced::Recompute));
    const auto marks =
        bench.ask(session::MarkSplit{plain->backward, picture->number, bench.reference("joint"), {}})
            .get<session::SplitMarksSnapshotPtr>();
    REQUIRE(marks);
    CHECK(marks->split->choices == plain->choices);
    const auto half = bench.ask(session::LoadGraph{plain->backward}).get<session::GraphSnapshotPtr>();
    CHECK(half->graph == chosen->partition->backward);
    CHECK(bench.split(chosen->choices) == chosen);
}

TEST_CASE("a saved value tells its bytes, reason, life and share of the peak" * test::needsCorpus()) {
    Bench bench(test::corpusTrace("transformer_encoder_layer"));
    const auto split = bench.split();
    REQUIRE(split);
    REQUIRE(split->saved.size() ==
            split->partition->savedTensors.size() + split->partition->savedSymbols.size());
    std::int64_t bytes = 0;
    for (const session::SavedTensor& row : split->saved) {
        CAPTURE(row.name);
        const auto logged = split->loggedBackward->graph->tryFind(row.name);
        REQUIRE(logged);
        const ir::TensorMeta* tensor = ir::asTensor(split->loggedBackward->graph->node(*logged).value);
        REQUIRE(tensor);
        CHECK(row.bytes == tensor->bytes({}));
        CHECK_FALSE(row.reason.empty());
        CHECK(row.last >= split->profile->backwardBegin);
        CHECK((row.shareOfPeak >= 0 && row.shareOfPeak <= 1));
        bytes += row.bytes;
    }
    CHECK(bytes == split->savedBytes);
    CHECK(std::ranges::any_of(
        split->saved, [](const auto& row) { return row.module.find("linear") != std::string::npos; }));
}

TEST_CASE("what Inductor wrote over in the backward is donated, and not kept to its end" *
          test::needsCorpus()) {
    std::size_t writtenOver = 0;
    for (const char* name : {"mlp_sgd__inductor", "conv_bn_relu__inductor"}) {
        Bench bench(test::corpusTrace(name));
        session::PartitionChoices choices;
        choices.donated = session::DonatedBuffers::Reused;
        const auto split = bench.split(choices);
        REQUIRE(split);
        const ir::Graph& backward = *split->partition->backward;
        const std::vector<ir::NodeId> inputs = backward.placeholders();
        std::set<std::string> donated;
        for (const std::size_t place : passes::donatedBuffers(*split->partition)) {
            donated.insert(backward.node(inputs.at(place)).name);
        }
        // "buf3 = relu; del relu  # reuse" in the code that Inductor made.
        const std::string text = test::readPlainOrXz(test::corpusTrace(name));
        static const std::regex reuse("del ([a-z_0-9]+)  # reuse");
        for (std::sregex_iterator at(text.begin(), text.end(), reuse), end; at != end; ++at) {
            const std::string reused = (*at)[1];
            if (reused.starts_with("buf")) {
                continue;
            }
            ++writtenOver;
            CHECK(donated.contains(reused));
            const auto& ranges = split->profile->ranges;
            const auto range = std::ranges::find(ranges, reused, &memory::LiveRange::name);
            REQUIRE(range != ranges.end());
            CHECK(range->last < split->profile->bytes.size() - 2);
        }
        choices.donated = session::DonatedBuffers::Freed;
        CHECK(split->profile->peak.bytes <= bench.split(choices)->profile->peak.bytes);
    }
    CHECK(writtenOver > 0);
}

TEST_CASE("512-byte blocks round what is predicted" * test::needsCorpus()) {
    Bench bench(test::corpusTrace("mlp_sgd"));
    session::PartitionChoices choices;
    choices.rounding = memory::Rounding::Blocks512;
    const auto exact = bench.split();
    const auto blocks = bench.split(choices);
    CHECK(blocks->profile->peak.bytes % 512 == 0);
    CHECK(blocks->loggedProfile->peak.bytes % 512 == 0);
    CHECK(blocks->eagerProfile->peak.bytes % 512 == 0);
    CHECK(exact->loggedProfile->peak.bytes < blocks->loggedProfile->peak.bytes);
}

TEST_CASE("a sweep has a point for each budget, and its last one is the step without a budget" *
          test::needsCorpus()) {
    Bench bench(test::corpusTrace("transformer_encoder_layer"));
    const auto sweep = bench.ask(session::SweepBudgets{bench.reference("joint"), {}, 4})
                           .get<session::BudgetSweepSnapshotPtr>();
    REQUIRE(sweep);
    REQUIRE(sweep->points.size() == 5);
    CHECK(sweep->points.front().savedBytes < sweep->points.back().savedBytes);
    CHECK(sweep->points.front().recomputedFlops > sweep->points.back().recomputedFlops);
    const auto split = bench.split();
    CHECK(sweep->points.back().savedBytes == split->savedBytes);
    CHECK(sweep->points.back().peakBytes == split->profile->peak.bytes);
    CHECK(sweep->points.back().recomputedFlops == split->recomputedFlops);
    session::PartitionChoices half;
    half.memoryBudget = sweep->points[2].budget;
    CHECK(bench.split(half)->savedBytes == sweep->points[2].savedBytes);
}

TEST_CASE("the other way for a node is found, or why there is none" * test::needsCorpus()) {
    Bench bench(test::corpusTrace("mlp_sgd"));
    const auto find = [&](const std::string& node) {
        return bench.ask(session::FindAlternative{bench.reference("joint"), {}, node})
            .get<session::NodeAlternativeSnapshotPtr>();
    };
    const auto relu = find("relu");
    REQUIRE(relu);
    REQUIRE(relu->alternative);
    CHECK(relu->alternative->choice == passes::Forced::Recompute);
    // What was told is what happens.
    const auto then = bench.split(forcing("relu", passes::Forced::Recompute));
    CHECK(then->savedBytes - bench.split()->savedBytes == relu->alternative->bytes);
    const auto input = find("primals_3");
    CHECK_FALSE(input->alternative);
    CHECK(input->error);
    CHECK(find("no_such_node")->error->code == "passes.no_such_node");
}

TEST_CASE("a split that was told to stop ends with Canceled" * test::needsCorpus()) {
    Bench bench(test::corpusTrace("transformer_encoder_layer"));
    for (const session::Command& command :
         {session::Command(session::PartitionJoint{bench.reference("joint"), {}}),
          session::Command(session::SweepBudgets{bench.reference("joint"), {}, 20})}) {
        std::stop_source stop;
        bool canceled = false;
        bench.session.execute(
            command,
            [&](const session::EventBody& body) {
                if (std::holds_alternative<session::Progressed>(body)) {
                    stop.request_stop();
                }
                canceled = canceled || std::holds_alternative<session::Canceled>(body);
                CHECK_FALSE(std::holds_alternative<session::PartitionSnapshotPtr>(body));
                CHECK_FALSE(std::holds_alternative<session::BudgetSweepSnapshotPtr>(body));
            },
            stop.get_token());
        CHECK(canceled);
    }
}

TEST_CASE("what is no joint graph is not split" * test::needsCorpus()) {
    Bench bench(test::corpusTrace("mlp_sgd"));
    CHECK(bench.ask(session::PartitionJoint{bench.reference("forward"), {}}).error() == "session.not_joint");
    CHECK(bench.ask(session::PartitionJoint{bench.reference("nothing"), {}}).error() ==
          "session.no_such_artifact");
    CHECK_FALSE(
        bench.ask(session::PartitionJoint{bench.reference("joint"), forcing("x", passes::Forced::Save)})
            .has<session::PartitionSnapshotPtr>());
}

TEST_CASE("a joint graph that was traced here is split like a logged one" * test::needsCorpus()) {
    const auto path = test::corpusTrace("mlp_sgd");
    auto control = std::make_shared<test::FakeBackendControl>();
    Bench reading(path);
    const auto logged =
        reading.ask(session::LoadGraph{reading.reference("joint")}).get<session::GraphSnapshotPtr>();
    const std::vector<std::size_t> staticInputs = reading.split()->options.staticInputs;
    control->onRetrace = [&](const aot::RetraceRequest&, const session::TracePauses&,
                             base::Progress&) -> base::Result<aot::RetraceResult> {
        aot::RetraceResult result;
        result.function.path = aot::TracePath::Autograd;
        result.function.joint = true;
        result.function.graph = logged->graph;
        result.function.metadata.staticInputIndices = staticInputs;
        return result;
    };
    Bench bench(path, test::fakeBackendFactory(control));
    const auto traced =
        bench.ask(session::Retrace{bench.log->log, {}, {}}).get<session::RetraceSnapshotPtr>();
    REQUIRE(traced->made);
    CHECK(session::jointGraphOf(*bench.log, traced->made->reference) == traced->made->reference);
    const auto split =
        bench.ask(session::PartitionJoint{traced->made->reference, {}}).get<session::PartitionSnapshotPtr>();
    REQUIRE(split);
    CHECK(split->joint == traced->made);
    CHECK(split->options.staticInputs == staticInputs);
    CHECK(split->differences == std::vector<std::string>{});
    CHECK(split->forward.artifact == "forward of retraced joint");
    CHECK(bench.ask(session::LoadGraph{split->forward}).get<session::GraphSnapshotPtr>());
}
