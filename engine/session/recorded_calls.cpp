#include "session/recorded_calls.h"

#include "session/file_place.h"

#include "load/safetensors.h"
#include "load/whole_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace aotscope::session {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t mostRecordedBytes = std::uint64_t(1) << 30U;

base::Result<Json> readUnit(const std::filesystem::path& golden, std::string_view unit) {
    base::Progress progress;
    auto text = load::readWhole(golden, mostRecordedBytes, progress);
    if (!text) {
        return std::move(text).error();
    }
    Json document = Json::parse(*text, nullptr, false);
    const Json::json_pointer place("/" + std::string(unit));
    if (document.is_discarded() || !document.contains(place) || !document[place].is_object()) {
        return base::Error{.code = "session.no_such_artifact",
                           .message = "The file has no \"" + std::string(unit) + "\".",
                           .place = filePlace(golden)};
    }
    return Json(std::move(document[place]));
}

/// "mlp.tensors.safetensors" beside "mlp.json", packed or not.
std::filesystem::path tensorFile(const std::filesystem::path& golden) {
    const std::string name = golden.filename().string();
    return golden.parent_path() / (name.substr(0, name.find(".json")) + ".tensors.safetensors");
}

TensorData integerData(std::int64_t value) {
    TensorData data{"int64", {}, std::string(sizeof value, '\0')};
    std::memcpy(data.bytes.data(), &value, sizeof value);
    return data;
}

std::vector<std::optional<TensorData>> valuesOf(const Json& call, const char* side,
                                                const std::string& partitioner,
                                                const load::StoredTensors& tensors, bool numbers) {
    std::vector<std::optional<TensorData>> values;
    if (!call.contains(side) || !call[side].is_array()) {
        return values;
    }
    for (const Json& value : call[side]) {
        std::optional<TensorData>& made = values.emplace_back();
        if (numbers && value.is_number_integer()) {
            made = integerData(value.get<std::int64_t>());
        } else if (value.is_object() && value.contains("key") && value["key"].is_string()) {
            const auto found = tensors.find(partitioner + "." + value["key"].get<std::string>());
            if (found != tensors.end()) {
                made = TensorData{found->second.dtype, found->second.shape, found->second.bytes};
            }
        }
    }
    return values;
}

template<typename Number>
std::vector<double> widened(const std::string& bytes) {
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return {numbers.begin(), numbers.end()};
}

/// bfloat16 is the upper half of a float32.
std::vector<double> widenedBfloat16(const std::string& bytes) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + i, sizeof half);
        const std::uint32_t wide = std::uint32_t(half) << 16U;
        float value = 0;
        std::memcpy(&value, &wide, sizeof value);
        numbers.push_back(value);
    }
    return numbers;
}

std::vector<double> asDoubles(const TensorData& data) {
    const std::string& dtype = data.dtype;
    return dtype == "float32" || dtype == "complex64"    ? widened<float>(data.bytes)
           : dtype == "float64" || dtype == "complex128" ? widened<double>(data.bytes)
           : dtype == "int64"                            ? widened<std::int64_t>(data.bytes)
           : dtype == "int32"                            ? widened<std::int32_t>(data.bytes)
           : dtype == "bfloat16"                         ? widenedBfloat16(data.bytes)
                                                         : widened<std::uint8_t>(data.bytes);
}

double distance(const TensorData& made, const TensorData& recorded) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (made.dtype != recorded.dtype || made.shape != recorded.shape) {
        return infinite;
    }
    if (made.bytes == recorded.bytes) {
        return 0;
    }
    const std::vector<double> ours = asDoubles(made);
    const std::vector<double> theirs = asDoubles(recorded);
    double largest = 0;
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        if (std::isnan(ours[i]) != std::isnan(theirs[i])) {
            return infinite;
        }
        if (!std::isnan(ours[i]) && ours[i] != theirs[i]) {
            worst = std::max(worst, std::abs(ours[i] - theirs[i]));
        }
        if (std::isfinite(theirs[i])) {
            largest = std::max(largest, std::abs(theirs[i]));
        }
    }
    return worst == 0 ? 0 : worst / std::max(largest, 1e-30);
}

/// What was rounded to a narrow float stays apart by its last place.
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

} // namespace

base::Result<std::vector<RecordedCall>> readRecordedCalls(const std::filesystem::path& golden,
                                                          std::string_view unit) {
    const std::filesystem::path file = tensorFile(golden);
    std::error_code missing;
    if (!std::filesystem::exists(file, missing)) {
        return std::vector<RecordedCall>();
    }
    const auto json = readUnit(golden, unit);
    if (!json) {
        return json.error();
    }
    const auto tensors = load::readSafetensors(file);
    if (!tensors) {
        return tensors.error();
    }
    std::vector<RecordedCall> calls;
    const Json partitions = json->value("partitions", Json::object());
    for (const auto& [partitioner, parts] : partitions.items()) {
        if (!parts.is_object() || !parts.contains("real") || !parts["real"].is_object()) {
            continue;
        }
        // What was recorded is packed by the hooks where they are put into the halves.
        const bool hooked = parts.contains("pre_hooks") && !parts["pre_hooks"].empty();
        for (const auto& [half, call] : parts["real"].items()) {
            if (call.is_object()) {
                calls.push_back({partitioner, half, hooked, valuesOf(call, "in", partitioner, *tensors, true),
                                 valuesOf(call, "out", partitioner, *tensors, false)});
            }
        }
    }
    return calls;
}

base::Result<RunOptions> optionsFor(const ir::Graph& graph, const RecordedCall& call) {
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    if (placeholders.size() != call.inputs.size()) {
        return base::Error{.code = "session.not_recorded",
                           .message = "The call was recorded with " + std::to_string(call.inputs.size()) +
                                      " inputs, and the graph has " + std::to_string(placeholders.size()) +
                                      "."};
    }
    RunOptions options;
    // The corpus seeds with 100 before the first call: random operators give the same numbers.
    options.seed = 100;
    options.keepOutputs = true;
    options.statistics = false;
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const std::string& name = graph.node(placeholders[i]).name;
        if (!call.inputs[i]) {
            return base::Error{.code = "session.not_recorded",
                               .message = "The input " + name + " was not stored."};
        }
        options.inputs.emplace(name, *call.inputs[i]);
    }
    return options;
}

NumberComparison compareNumbers(const ir::Graph& graph, const std::vector<TensorData>& outputs,
                                const RecordedCall& call) {
    NumberComparison comparison;
    comparison.allowed = precisionOf(graph);
    comparison.sameCount = outputs.size() == call.outputs.size();
    for (std::size_t i = 0; i < std::min(outputs.size(), call.outputs.size()); ++i) {
        if (!call.outputs[i]) {
            continue;
        }
        ++comparison.tensors;
        const double apart = distance(outputs[i], *call.outputs[i]);
        comparison.worst = std::max(comparison.worst, apart);
        if (!(apart <= comparison.allowed)) {
            comparison.apart.push_back(i);
        }
    }
    return comparison;
}

} // namespace aotscope::session
