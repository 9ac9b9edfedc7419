#include "judge/recorded_calls.h"

#include "evidence/golden_unit_json.h"
#include "load/tensor_file.h"

#include "base/numbers.h"

#include <cstring>

namespace aotscope::judge {
namespace {

using Json = nlohmann::json;

/// `call_seed`: a number, or "100+call" for 100 plus the call's index. Only call 0 is recorded.
std::optional<std::uint64_t> callSeedOf(const Json& document) {
    const Json seed = document.value("call_seed", Json());
    if (seed.is_number_unsigned()) {
        return seed.get<std::uint64_t>();
    }
    const std::string text = seed.is_string() ? seed.get<std::string>() : std::string();
    std::string_view rest = text;
    const auto number = base::takeNumber<std::uint64_t>(rest);
    return rest == "+call" ? number : std::nullopt;
}

/// The tensor file of a golden file: "mlp.tensors.safetensors" for "mlp.json", packed or not.
std::filesystem::path tensorFile(const std::filesystem::path& golden) {
    const std::string name = golden.filename().string();
    return golden.parent_path() / (name.substr(0, name.find(".json")) + ".tensors.safetensors");
}

template<typename Number>
aot::TensorData numberData(const char* dtype, Number value) {
    aot::TensorData data{dtype, {}, std::string(sizeof value, '\0')};
    std::memcpy(data.bytes.data(), &value, sizeof value);
    return data;
}

/// A Python int, float or bool as a tensor.
std::optional<aot::TensorData> numberFrom(const Json& value) {
    if (value.is_boolean()) {
        return numberData("bool", value.get<bool>());
    }
    if (value.is_number_integer()) {
        return numberData("int64", value.get<std::int64_t>());
    }
    return value.is_number_float() ? std::optional(numberData("float64", value.get<double>())) : std::nullopt;
}

std::vector<std::optional<aot::TensorData>> valuesOf(const Json& call, const char* side,
                                                     const std::string& partitioner,
                                                     const load::StoredTensors& tensors, bool numbers) {
    std::vector<std::optional<aot::TensorData>> values;
    if (!call.contains(side) || !call[side].is_array()) {
        return values;
    }
    for (const Json& value : call[side]) {
        std::optional<aot::TensorData>& made = values.emplace_back();
        if (numbers && value.is_primitive()) {
            made = numberFrom(value);
        } else if (value.is_object() && value.contains("key") && value["key"].is_string()) {
            const auto found = tensors.find(partitioner + "." + value["key"].get<std::string>());
            if (found != tensors.end()) {
                made = aot::TensorData{found->second.dtype, found->second.shape, found->second.bytes};
            }
        }
    }
    return values;
}

} // namespace

base::Result<std::vector<RecordedCall>> readRecordedCalls(const std::filesystem::path& golden,
                                                          std::string_view unit) {
    const std::filesystem::path file = tensorFile(golden);
    std::error_code missing;
    if (!std::filesystem::exists(file, missing)) {
        return std::vector<RecordedCall>();
    }
    AOTSCOPE_TRY(read, evidence::readGoldenUnitJson(golden, unit));
    AOTSCOPE_TRY(tensors, load::readTensorFile(file));
    std::vector<RecordedCall> calls;
    const std::optional<std::uint64_t> callSeed = callSeedOf(read.document);
    const Json partitions = read.unit().value("partitions", Json::object());
    for (const auto& [partitioner, parts] : partitions.items()) {
        if (!parts.is_object() || !parts.contains("real") || !parts["real"].is_object()) {
            continue;
        }
        // If hooks were inlined into the halves, the recorded saved values are packed by them.
        const bool hooked = parts.contains("pre_hooks") && !parts["pre_hooks"].empty() &&
                            parts["pre_hooks"].value("fw", Json()) != parts.value("fw", Json());
        for (const auto& [half, call] : parts["real"].items()) {
            if (call.is_object()) {
                calls.push_back({partitioner, half, hooked, callSeed,
                                 valuesOf(call, "in", partitioner, tensors, true),
                                 valuesOf(call, "out", partitioner, tensors, false)});
            }
        }
    }
    return calls;
}

std::optional<RecordedArguments> recordedArguments(const std::vector<RecordedCall>& calls,
                                                   const ir::Graph& joint) {
    const std::vector<ir::NodeId> placeholders = joint.placeholders();
    for (const RecordedCall& call : calls) {
        const bool isForward = call.half == "fw" || call.half == "inf";
        if (!isForward || call.inputs.size() > placeholders.size()) {
            continue;
        }
        RecordedArguments arguments;
        arguments.seed = call.seed;
        for (std::size_t i = 0; i < call.inputs.size(); ++i) {
            if (call.inputs[i]) {
                arguments.inputs.emplace(joint.node(placeholders[i]).name, *call.inputs[i]);
            }
        }
        return arguments;
    }
    return std::nullopt;
}

} // namespace aotscope::judge
