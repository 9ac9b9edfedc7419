#include "golden_partitions.h"

#include <doctest/doctest.h>

using namespace aotscope;
using namespace aotscope::test;

TEST_CASE("partitions of the golden joint graphs equal PyTorch's") {
    if (corpusMissing()) {
        return;
    }
    std::size_t count = 0;
    forEachGoldenPartition([&](const GoldenPartition& golden) {
        CAPTURE(golden.where);
        if (golden.subgraphsPartitioned) {
            return;
        }
        REQUIRE(golden.joint);
        REQUIRE(golden.forward);
        REQUIRE(golden.backward);
        const auto made = passes::partitionJointGraph(*golden.joint, golden.options);
        CHECK_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
        if (!made) {
            return;
        }
        CHECK(firstDifference(*made->forward, *golden.forward) == "");
        CHECK(firstDifference(*made->backward, *golden.backward) == "");
        if (!golden.hooks) {
            std::vector<std::string> saved = made->savedTensors;
            saved.insert(saved.end(), made->savedSymbols.begin(), made->savedSymbols.end());
            CHECK(saved == golden.saved);
            CHECK(made->savedSymbols == golden.savedSymbols);
            CHECK(passes::donatedBuffers(*golden.joint, *made) == golden.donated);
        }
        ++count;
    });
    CHECK(count > 100);
}
