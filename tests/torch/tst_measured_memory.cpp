#include "run_support.h"

#include "ir/json.h"
#include "memory/memory_profile.h"
#include "support/corpus.h"

#include "../ir/golden.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

struct Totals {
    int compared = 0;
    int exact = 0;
    std::int64_t mostScratch = 0;
    std::string mostScratchAt;
    std::vector<std::string> notRun;
    std::vector<std::string> apart;
};

/// The first node after which another number of bytes is alive than predicted.
std::string firstDifference(const ir::Graph& graph, const memory::MemoryProfile& predicted,
                            const session::RunSnapshot& run) {
    for (std::size_t i = 0; i < run.nodes.size(); ++i) {
        if (run.nodes[i].aliveBytes != predicted.intermediateBytes[i]) {
            const ir::Node& node = graph.node(run.nodes[i].node);
            return "from " + node.name + " (" + node.target + ") on: predicted " +
                   std::to_string(predicted.intermediateBytes[i]) + ", measured " +
                   std::to_string(run.nodes[i].aliveBytes);
        }
    }
    return "equal at every node";
}

void compareGraph(const std::string& where, const Json& json, Totals& totals) {
    const auto graph = ir::graphFromJson(json.dump());
    REQUIRE_MESSAGE(graph.ok(), where << ": " << graph.error().text());
    session::RunOptions options = test::seeded(1);
    options.statistics = false;
    const auto run = test::backend().run(**graph, options, {});
    if (!run.ok() || run->error) {
        totals.notRun.push_back(where + ": " + (run.ok() ? run->error->text() : run.error().text()));
        return;
    }
    // How many elements nonzero finds is known when it has run.
    const auto predicted = memory::profileGraph(**graph, {memory::Rounding::Exact, run->symbols});
    ++totals.compared;
    for (const session::NodeRun& node : run->nodes) {
        if (node.scratchBytes > totals.mostScratch) {
            totals.mostScratch = node.scratchBytes;
            totals.mostScratchAt = where + " " + (*graph)->node(node.node).name;
        }
    }
    const std::int64_t difference = std::abs(predicted.intermediatePeak.bytes - run->peakBytes);
    totals.exact += difference == 0 ? 1 : 0;
    if (difference * 100 > run->peakBytes) {
        totals.apart.push_back(where + ": predicted " + std::to_string(predicted.intermediatePeak.bytes) +
                               ", measured " + std::to_string(run->peakBytes) + "; " +
                               firstDifference(**graph, predicted, *run));
    }
}

void compareUnit(const std::string& where, const Json& unit, Totals& totals) {
    if (unit.contains("inference")) {
        compareGraph(where + " inference", unit["inference"], totals);
    }
    const Json partitions = unit.value("partitions", Json::object());
    for (const auto& [kind, golden] : partitions.items()) {
        for (const char* half : {"fw", "bw"}) {
            if (golden.contains(half)) {
                compareGraph(where + ' ' + kind + ' ' + half, golden[half], totals);
            }
        }
    }
}

} // namespace

TEST_CASE("the predicted peak of every golden graph is the one LibTorch's allocator reports") {
    if (test::corpusMissing()) {
        return;
    }
    Totals totals;
    for (const std::filesystem::path& file : test::goldenFiles()) {
        const Json golden = Json::parse(test::readPlainOrXz(file));
        const Json units = golden.value("units", Json::array());
        for (const Json& unit : units) {
            compareUnit(file.filename().string() + " unit " + unit["index"].dump(), unit, totals);
        }
    }
    std::cout << totals.compared << " graphs run, " << totals.exact
              << " with the predicted peak to the byte; most that one node took and gave back: "
              << totals.mostScratch << " bytes (" << totals.mostScratchAt << ")\n";
    for (const std::string& graph : totals.notRun) {
        std::cout << "not run: " << graph << '\n';
    }
    for (const std::string& graph : totals.apart) {
        FAIL_CHECK(graph);
    }
    CHECK(totals.compared > 180);
}

TEST_CASE("what a node takes and gives back by itself is told apart from what it leaves") {
    const auto run = test::ran(test::graphOf("x: \"f32[64, 64]\"", R"(
        relu: "f32[64, 64]" = torch.ops.aten.relu.default(x)
        logsumexp: "f32[64]" = torch.ops.aten.logsumexp.default(relu, [1]);  relu = None
        return (logsumexp,)
)"));
    const auto bytesOf = [&](std::size_t i) {
        return std::pair(run.nodes[i].aliveBytes, run.nodes[i].scratchBytes);
    };
    CHECK(bytesOf(0) == std::pair<std::int64_t, std::int64_t>(0, 0));
    CHECK(bytesOf(1) == std::pair<std::int64_t, std::int64_t>(64 * 64 * 4, 0));
    CHECK(run.nodes[2].aliveBytes == 64 * 64 * 4 + 64 * 4);
    // exp(x - max) lives inside the operator.
    CHECK(run.nodes[2].scratchBytes >= 64 * 64 * 4);
    CHECK(run.peakBytes == run.nodes[2].aliveBytes);
}
