#include "golden_partitions.h"
#include "support/corpus_case.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

using namespace aotscope;
using namespace aotscope::test;

TEST_CASE("partitions of the golden joint graphs equal PyTorch's" * needsCorpus()) {
    std::size_t count = 0;
    forEachGoldenPartition([&](const GoldenPartition& golden) {
        CAPTURE(golden.where);
        REQUIRE(golden.joint);
        REQUIRE(golden.forward);
        REQUIRE(golden.backward);
        const auto made = passes::partitionJointGraph(golden.joint, golden.options);
        CHECK_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        if (!made) {
            return;
        }
        CHECK(made->forwardOutputs == golden.options.forwardOutputs);
        passes::PartitionOptions derived = golden.options;
        derived.forwardOutputs.reset();
        const auto again = passes::partitionJointGraph(golden.joint, derived);
        CHECK((again.ok() && again->forwardOutputs == made->forwardOutputs));
        CHECK(firstDifference(*made->forward, *golden.forward) == "");
        CHECK(firstDifference(*made->backward, *golden.backward) == "");
        if (!golden.hooks) {
            std::vector<std::string> saved = made->savedTensors;
            saved.insert(saved.end(), made->savedSymbols.begin(), made->savedSymbols.end());
            CHECK(saved == golden.saved);
            CHECK(made->savedSymbols == golden.savedSymbols);
            CHECK(passes::donatedBuffers(*made) == golden.donated);
        }
        ++count;
    });
    CHECK(count > 100);
}

// A logged text has no partitioner tags, no values for nodes with several results, and no marks for values
// saved without a version check.
TEST_CASE("partitions of the joint graphs' printed text equal PyTorch's" * needsCorpus()) {
    std::size_t count = 0;
    forEachGoldenPartition([&](const GoldenPartition& golden) {
        CAPTURE(golden.where);
        if (golden.uncheckedSaves || golden.jointText.empty()) {
            return;
        }
        const auto parsed = ir::parseGraphText(golden.jointText);
        REQUIRE(parsed.ok());
        ir::GraphBuilder hinted(**parsed);
        hinted.editSymbolHints() = golden.joint->symbolHints();
        const auto made = passes::partitionJointGraph(hinted.finish(), golden.options);
        CHECK_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        if (!made) {
            return;
        }
        CHECK(firstDifference(*made->forward, *golden.forward, WithValues::No) == "");
        CHECK(firstDifference(*made->backward, *golden.backward, WithValues::No) == "");
        ++count;
    });
    CHECK(count > 100);
}
