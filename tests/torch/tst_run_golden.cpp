#include "run_support.h"

#include "ir/json.h"
#include "load/safetensors.h"
#include "support/corpus.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

struct Totals {
    int compared = 0;
    int agreeing = 0;
    std::size_t tensors = 0;
    double worst = 0;
    std::vector<std::string> skipped;
    std::vector<std::string> disagreements;
};

std::vector<double> asDoubles(const session::TensorData& data) {
    const auto widen = [](const auto& values) { return std::vector<double>(values.begin(), values.end()); };
    if (data.dtype == "float32" || data.dtype == "complex64") {
        return widen(test::numbers<float>(data));
    }
    if (data.dtype == "float64" || data.dtype == "complex128") {
        return widen(test::numbers<double>(data));
    }
    if (data.dtype == "int64") {
        return widen(test::numbers<std::int64_t>(data));
    }
    if (data.dtype == "int32") {
        return widen(test::numbers<std::int32_t>(data));
    }
    if (data.dtype == "bfloat16") {
        std::vector<double> values;
        for (const std::uint16_t half : test::numbers<std::uint16_t>(data)) {
            const std::uint32_t wide = static_cast<std::uint32_t>(half) << 16;
            float value = 0;
            std::memcpy(&value, &wide, sizeof value);
            values.push_back(value);
        }
        return values;
    }
    return widen(test::numbers<std::uint8_t>(data));
}

/// The largest difference in units of the largest magnitude; infinite where NaNs or sizes differ.
double difference(const session::TensorData& actual, const load::StoredTensor& expected) {
    if (actual.dtype != expected.dtype || actual.shape != expected.shape) {
        return INFINITY;
    }
    if (actual.bytes == expected.bytes) {
        return 0;
    }
    const std::vector<double> ours = asDoubles(actual);
    const std::vector<double> theirs = asDoubles({expected.dtype, expected.shape, expected.bytes});
    double largest = 0;
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (std::isnan(ours[i]) != std::isnan(theirs[i])) {
            return INFINITY;
        }
        if (std::isnan(ours[i]) || ours[i] == theirs[i]) {
            continue;
        }
        worst = std::max(worst, std::abs(ours[i] - theirs[i]));
    }
    for (const double value : theirs) {
        largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    }
    return worst == 0 ? 0 : worst / std::max(largest, 1e-30);
}

/// The narrowest float a graph computes in; what was rounded to it stays apart by its last place.
double precisionOf(const ir::Graph& graph) {
    double precision = 1e-5;
    for (const ir::NodeId id : graph.order()) {
        if (const ir::TensorMeta* meta = ir::asTensor(graph.node(id).value)) {
            precision = std::max(precision, meta->dtype == ir::DType::BFloat16  ? 1e-2
                                            : meta->dtype == ir::DType::Float16 ? 1e-3
                                                                                : 0.0);
        }
    }
    return precision;
}

/// A recorded value as input data; nothing where it was not stored.
std::optional<session::TensorData> recorded(const Json& value, const std::string& partition,
                                            const load::StoredTensors& tensors) {
    if (value.is_number_integer()) {
        return test::integers({}, {value.get<std::int64_t>()});
    }
    if (!value.is_object() || !value.contains("key")) {
        return std::nullopt;
    }
    const auto found = tensors.find(partition + "." + value["key"].get<std::string>());
    if (found == tensors.end()) {
        return std::nullopt;
    }
    return session::TensorData{found->second.dtype, found->second.shape, found->second.bytes};
}

void compareCall(const std::string& name, const Json& graphJson, const Json& call,
                 const std::string& partition, const load::StoredTensors& tensors, Totals& totals) {
    auto graph = ir::graphFromJson(graphJson.dump());
    REQUIRE_MESSAGE(graph.ok(), name << ": " << graph.error().text());
    session::RunOptions options;
    // The seed that preceded the recorded call: random operators give the same numbers.
    options.seed = 100;
    options.keepOutputs = true;
    const std::vector<ir::NodeId> placeholders = (*graph)->placeholders();
    const Json& inputs = call["in"];
    if (placeholders.size() != inputs.size()) {
        totals.skipped.push_back(name + ": recorded with another number of inputs");
        return;
    }
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        auto data = recorded(inputs[i], partition, tensors);
        if (!data) {
            totals.skipped.push_back(name + ": input " + std::to_string(i) + " was not recorded");
            return;
        }
        options.inputs.emplace((*graph)->node(placeholders[i]).name, std::move(*data));
    }
    auto result = test::backend().run(**graph, options, {});
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
    const double precision = precisionOf(**graph);
    bool agrees = result->outputs.size() == call["out"].size();
    for (std::size_t i = 0; agrees && i < result->outputs.size(); ++i) {
        const Json& expected = call["out"][i];
        if (!expected.is_object() || !expected.contains("key")) {
            continue;
        }
        const auto stored = tensors.find(partition + "." + expected["key"].get<std::string>());
        if (stored == tensors.end()) {
            continue;
        }
        ++totals.tensors;
        const double apart = difference(result->outputs[i], stored->second);
        if (precision <= 1e-5 && std::isfinite(apart)) {
            totals.worst = std::max(totals.worst, apart);
        }
        if (!(apart <= precision)) {
            totals.disagreements.push_back(name + ": output " + std::to_string(i) + " differs by " +
                                           std::to_string(apart) + " of its largest magnitude");
            return;
        }
    }
    if (!agrees) {
        totals.disagreements.push_back(name + ": another number of outputs");
        return;
    }
    ++totals.agreeing;
}

void compareProgram(const std::filesystem::path& path, Totals& totals) {
    const Json golden = Json::parse(test::readFile(path));
    const std::filesystem::path file = path.parent_path() / (path.stem().string() + ".tensors.safetensors");
    if (!std::filesystem::exists(file)) {
        totals.skipped.push_back(path.filename().string() + ": no tensors were recorded");
        return;
    }
    auto tensors = load::readSafetensors(file);
    REQUIRE_MESSAGE(tensors.ok(), tensors.error().text());
    for (const Json& unit : golden["units"]) {
        if (!unit.contains("partitions")) {
            continue;
        }
        for (const auto& [partition, parts] : unit["partitions"].items()) {
            if (!parts.contains("real") || !parts["real"].is_object()) {
                continue;
            }
            for (const auto& [half, call] : parts["real"].items()) {
                const Json* graph = half == "inf"
                                        ? (unit.contains("inference") ? &unit["inference"] : nullptr)
                                        : (parts.contains(half) ? &parts[half] : nullptr);
                if (graph != nullptr && call.is_object()) {
                    compareCall(path.stem().string() + " unit " + unit["index"].dump() + " " + partition +
                                    " " + half,
                                *graph, call, partition, *tensors, totals);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("forward, backward and inference graphs give the numbers PyTorch recorded") {
    if (test::corpusMissing()) {
        return;
    }
    Totals totals;
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
              << " tensors, float32 at most " << totals.worst << " of their largest magnitude apart)\n";
    for (const std::string& skipped : totals.skipped) {
        std::cout << "not compared: " << skipped << '\n';
    }
    for (const std::string& disagreement : totals.disagreements) {
        FAIL_CHECK(disagreement);
    }
    CHECK(totals.compared > 150);
}
