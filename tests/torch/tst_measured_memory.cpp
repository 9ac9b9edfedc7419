#include "run_support.h"

#include "files/logged_partitions.h"
#include "ir/json/graph_json.h"
#include "memory/measured_profile.h"
#include "memory/memory_profile.h"
#include "support/corpus_case.h"

#include "../ir/golden.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

struct MemoryTotals {
    int compared = 0;
    int exact = 0;
    std::int64_t mostScratch = 0;
    std::string mostScratchAt;
    std::vector<std::string> notRun;
    std::vector<std::string> apart;
    int steps = 0;
    std::vector<std::string> stepsApart;
};

/// A graph and its run.
struct Ran {
    ir::GraphPtr graph;
    session::RunSnapshot run;
};

std::vector<memory::MeasuredNode> nodesOf(const session::RunSnapshot& run) {
    std::vector<memory::MeasuredNode> nodes;
    for (const session::NodeRun& node : run.nodes) {
        nodes.push_back({node.aliveBytes, node.scratchBytes, node.nanoseconds});
    }
    return nodes;
}

/// The first node after which the number of bytes alive differs from the prediction.
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

/// Runs the halves of a training step and compares with its prediction.
void compareStep(const std::string& where, const Ran& forward, const Ran& backward, MemoryTotals& totals) {
    ir::SymbolBindings symbols = forward.run.symbols;
    symbols.insert(backward.run.symbols.begin(), backward.run.symbols.end());
    const auto predicted = memory::profileTrainingStep(
        {*forward.graph, *backward.graph, session::forwardOutputsOf(*forward.graph, *backward.graph)},
        {memory::Rounding::Exact, symbols});
    const auto measured = memory::layAlong(predicted, nodesOf(forward.run), nodesOf(backward.run));
    ++totals.steps;
    if (!measured.differing.empty()) {
        const std::uint32_t at = measured.differing.front();
        const ir::Graph& graph = at < predicted.forwardEnd ? *forward.graph : *backward.graph;
        totals.stepsApart.push_back(where + ": " + std::to_string(measured.differing.size()) +
                                    " nodes, first " + graph.node(predicted.nodes[at]).name + ": predicted " +
                                    std::to_string(predicted.bytes[at]) + ", measured " +
                                    std::to_string(measured.bytes[at]));
    }
}

/// Nothing if the graph does not run.
std::optional<Ran> compareGraph(const std::string& where, const Json& json, MemoryTotals& totals) {
    const auto graph = ir::graphFromJson(json.dump());
    REQUIRE_MESSAGE(graph.ok(), where << ": " << graph.error().text());
    session::RunOptions options = test::seeded(1);
    options.statistics = false;
    const auto run = test::backend().answer(session::RunCall{*graph, options});
    if (!run.ok() || run->error) {
        totals.notRun.push_back(where + ": " + (run.ok() ? run->error->text() : run.error().text()));
        return std::nullopt;
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
    return Ran{*graph, *run};
}

void compareUnit(const std::string& where, const Json& unit, MemoryTotals& totals) {
    if (unit.contains("inference")) {
        (void)compareGraph(where + " inference", unit["inference"], totals);
    }
    const Json partitions = unit.value("partitions", Json::object());
    for (const auto& [kind, golden] : partitions.items()) {
        std::vector<Ran> ran;
        for (const char* half : {"fw", "bw"}) {
            if (!golden.contains(half)) {
                continue;
            }
            if (auto one = compareGraph(where + ' ' + kind + ' ' + half, golden[half], totals)) {
                ran.push_back(*std::move(one));
            }
        }
        if (ran.size() == 2) {
            compareStep(where + ' ' + kind, ran[0], ran[1], totals);
        }
    }
}

} // namespace

TEST_CASE("the predicted peak of every golden graph is the one LibTorch's allocator reports" *
          test::needsCorpus()) {
    MemoryTotals totals;
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
    std::cout << totals.steps << " steps, " << totals.steps - int(totals.stepsApart.size())
              << " with what was predicted at every node\n";
    for (const std::string& step : totals.stepsApart) {
        std::cout << "differs: " << step << '\n';
    }
    CHECK(totals.steps > 50);
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
