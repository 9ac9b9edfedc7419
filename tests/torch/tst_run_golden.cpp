#include "run_support.h"

#include "contract/number_comparison.h"
#include "ir/json/graph_json.h"
#include "judge/recorded_calls.h"
#include "runs/recorded_run.h"
#include "support/corpus_case.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <sstream>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

struct GoldenTotals {
    int compared = 0;
    int agreeing = 0;
    std::size_t tensors = 0;
    /// Gradients that cancel, of which another order of summation makes anything.
    std::size_t undecided = 0;
    double worst = 0;
    std::vector<std::string> skipped;
    std::vector<std::string> disagreements;
};

void compareCall(const std::string& name, const Json& graphJson, const judge::RecordedCall& call,
                 GoldenTotals& totals) {
    auto graph = ir::graphFromJson(graphJson.dump());
    REQUIRE_MESSAGE(graph.ok(), name << ": " << graph.error().text());
    const auto options = session::optionsFor(**graph, call);
    if (!options) {
        totals.skipped.push_back(name + ": " + options.error().message);
        return;
    }
    auto result = test::backend().answer(session::RunCall{*graph, *options});
    ++totals.compared;
    if (!result.ok() || result->error) {
        totals.disagreements.push_back(name + ": " +
                                       (result.ok() ? result->error->text() : result.error().text()));
        return;
    }
    for (const session::NodeRun& run : result->nodes) {
        if (!run.note.empty()) {
            --totals.compared;
            totals.skipped.push_back(name + ": " + run.note);
            return;
        }
    }
    session::NumberComparison numbers = session::compareNumbers(**graph, result->outputs, call.outputs);
    session::RunOptions noisy = *options;
    const auto runAgain = [&](std::uint64_t noise) -> std::optional<std::vector<aot::TensorData>> {
        noisy.roundingNoise = noise;
        const auto again = test::backend().answer(session::RunCall{*graph, noisy});
        return again.ok() && !again->error ? std::optional(again->outputs) : std::nullopt;
    };
    session::allowOtherRoundings(numbers, result->outputs, runAgain);
    totals.tensors += numbers.tensors.size();
    for (const session::TensorComparison& tensor : numbers.tensors) {
        if (tensor.agrees() && tensor.allowed > 0) {
            totals.worst = std::max(totals.worst, tensor.distance / tensor.allowed);
        }
    }
    totals.undecided += numbers.undecided().size();
    for (const session::TensorComparison& tensor : numbers.apart()) {
        std::ostringstream line;
        line << name << ": output " << tensor.position << " differs by " << tensor.distance << " of "
             << tensor.largest << ", where " << tensor.allowed << " is allowed";
        totals.disagreements.push_back(line.str());
    }
    totals.agreeing += numbers.agrees() ? 1 : 0;
}

void compareProgram(const std::filesystem::path& path, GoldenTotals& totals) {
    const Json golden = Json::parse(test::readFile(path));
    for (std::size_t i = 0; i < golden["units"].size(); ++i) {
        const Json& unit = golden["units"][i];
        const auto calls = judge::readRecordedCalls(path, "units/" + std::to_string(i));
        REQUIRE_MESSAGE(calls.ok(), calls.error().text());
        for (const judge::RecordedCall& call : *calls) {
            const Json& parts = unit["partitions"][call.partitioner];
            const Json& holder = call.half == "inf" ? unit : parts;
            const std::string key = call.half == "inf" ? "inference" : call.half;
            if (holder.contains(key)) {
                compareCall(path.stem().string() + " unit " + std::to_string(i) + " " + call.partitioner +
                                " " + call.half,
                            holder[key], call, totals);
            }
        }
    }
}

} // namespace

TEST_CASE("forward, backward and inference graphs give the numbers PyTorch recorded" * test::needsCorpus()) {
    GoldenTotals totals;
    std::vector<std::filesystem::path> programs;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        if (entry.path().extension() == ".json") {
            programs.push_back(entry.path());
        }
    }
    std::sort(programs.begin(), programs.end());
    for (const std::filesystem::path& path : programs) {
        compareProgram(path, totals);
    }
    std::cout << totals.agreeing << " of " << totals.compared << " recorded calls agree (" << totals.tensors
              << " tensors, of which roundings decide " << totals.undecided << ", at most " << totals.worst
              << " of the distance that is allowed)\n";
    for (const std::string& skipped : totals.skipped) {
        std::cout << "not compared: " << skipped << '\n';
    }
    for (const std::string& disagreement : totals.disagreements) {
        FAIL_CHECK(disagreement);
    }
    CHECK(totals.compared > 150);
    CHECK(totals.undecided * 20 < totals.tensors);
}
