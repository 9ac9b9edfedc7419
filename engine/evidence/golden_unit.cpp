#include "evidence/golden_unit.h"

#include "base/file_place.h"

#include "evidence/golden_unit_json.h"
#include "load/whole_file.h"

#include <algorithm>

namespace aotscope::evidence {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t mostGoldenBytes = std::uint64_t(1) << 30U;

template<typename T>
T valueOr(const Json& object, const char* key, T otherwise) {
    const auto found = object.find(key);
    if (found == object.end()) {
        return otherwise;
    }
    if constexpr (std::is_same_v<T, bool>) {
        return found->is_boolean() ? found->get<bool>() : otherwise;
    } else {
        return found->is_number_integer() ? found->get<T>() : otherwise;
    }
}

aot::RetraceInput inputFrom(const Json& example) {
    aot::RetraceInput input;
    const bool isTensor = example.value("kind", "tensor") == "tensor";
    input.requiresGrad = valueOr(example, "requires_grad", false);
    input.isParameter = valueOr(example, "parameter", false);
    input.isLeaf = isTensor;
    input.storageOffset = valueOr(example, "storage_offset", std::int64_t(0));
    return input;
}

void readConfig(const Json& document, const Json& unit, GoldenUnit& facts) {
    facts.keepInputMutations = valueOr(document, "keep_inference_input_mutations", true);
    const auto table = document.find("decompositions");
    if (table != document.end() && table->is_string()) {
        facts.decompositions = *table == "core_aten"  ? aot::DecompositionTable::Core
                               : *table == "inductor" ? aot::DecompositionTable::Inductor
                                                      : aot::DecompositionTable::None;
    }
    for (const char* partitioner : {"default", "min_cut"}) {
        const Json::json_pointer mode(std::string("/partitions/") + partitioner +
                                      "/pre_hooks/filtering_mode");
        if (unit.contains(mode) && unit[mode].is_string()) {
            facts.options["saved_tensors_hooks_filtering_mode"] = unit[mode].get<std::string>();
        }
    }
    const auto config = unit.find("aot_config");
    if (config == unit.end() || !config->is_object()) {
        return;
    }
    facts.keepInputMutations = valueOr(*config, "keep_inference_input_mutations", facts.keepInputMutations);
    const auto staticInputs = config->find("static_input_indices");
    if (staticInputs != config->end() && staticInputs->is_array()) {
        facts.staticInputs.emplace();
        for (const Json& index : *staticInputs) {
            if (index.is_number_unsigned()) {
                facts.staticInputs->push_back(index.get<std::size_t>());
            }
        }
    }
}

std::optional<bool> gradEnabledIn(const Json& document, const Json& unit) {
    const auto mode = unit.find("grad_mode");
    if (mode != unit.end() && mode->is_boolean()) {
        return mode->get<bool>() && !valueOr(unit, "inference_mode", false);
    }
    // Version 1 of the format says in a program's features that it is called for inference.
    const Json features = document.value("features", Json::array());
    const bool isInference = std::ranges::find(features, Json("inference")) != features.end();
    return isInference ? std::optional(false) : std::nullopt;
}

} // namespace

base::Result<GoldenUnitJson> readGoldenUnitJson(const std::filesystem::path& path, std::string_view unit) {
    base::Progress progress;
    AOTSCOPE_TRY(text, load::readWhole(path, mostGoldenBytes, progress));
    GoldenUnitJson read{Json::parse(text, nullptr, false), Json::json_pointer("/" + std::string(unit))};
    if (read.document.is_discarded() || !read.document.contains(read.place) || !read.unit().is_object()) {
        return base::Error{.code = "session.no_such_artifact",
                           .message = "The file has no \"" + std::string(unit) + "\".",
                           .place = base::filePlace(path)};
    }
    return read;
}

base::Result<GoldenUnit> readGoldenUnit(const std::filesystem::path& path, std::string_view unit) {
    AOTSCOPE_TRY(read, readGoldenUnitJson(path, unit));
    GoldenUnit facts;
    const Json& document = read.document;
    const Json& json = read.unit();
    if (json.contains("example_inputs") && json["example_inputs"].is_array()) {
        for (const Json& example : json["example_inputs"]) {
            facts.inputs.push_back(example.is_object() ? inputFrom(example) : aot::RetraceInput{});
            if (example.is_object() && example.contains("expr") && example["expr"].is_string()) {
                facts.symbolHints[example["expr"].get<std::string>()] =
                    valueOr(example, "hint", std::int64_t(0));
            }
        }
    }
    facts.gradEnabled = gradEnabledIn(document, json);
    const auto torch = document.find("torch");
    if (torch != document.end() && torch->is_string()) {
        facts.torch = aot::torchVersionFromText(torch->get<std::string>()).value_or(facts.torch);
    }
    readConfig(document, json, facts);
    return facts;
}

} // namespace aotscope::evidence
