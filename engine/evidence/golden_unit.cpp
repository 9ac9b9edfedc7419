#include "evidence/golden_unit.h"

#include "base/file_place.h"
#include "base/foreign_json.h"

#include "evidence/golden_unit_json.h"
#include "load/whole_file.h"

#include <algorithm>

namespace aotscope::evidence {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t mostGoldenBytes = std::uint64_t(1) << 30U;

struct GoldenInput {
    std::string kind = "tensor";
    bool requiresGrad = false;
    bool parameter = false;
    std::int64_t storageOffset = 0;
    /// The expression of a symbolic size or number.
    std::optional<std::string> expr = {};
    std::int64_t hint = 0;
};
AOTSCOPE_MEMBERS(GoldenInput, kind, requiresGrad, parameter, storageOffset, expr, hint)

struct GoldenConfig {
    std::optional<bool> keepInferenceInputMutations;
    std::optional<std::vector<std::optional<std::size_t>>> staticInputIndices;
};
AOTSCOPE_MEMBERS(GoldenConfig, keepInferenceInputMutations, staticInputIndices)

/// Besides graphs and partitions.
struct GoldenParts {
    std::vector<std::optional<GoldenInput>> exampleInputs;
    GoldenConfig aotConfig;
    std::optional<bool> gradMode;
    bool inferenceMode = false;
};
AOTSCOPE_MEMBERS(GoldenParts, exampleInputs, aotConfig, gradMode, inferenceMode)

struct GoldenDocument {
    std::string torch;
    std::string decompositions;
    bool keepInferenceInputMutations = true;
    /// In version 1 of the format, where no unit has a grad mode.
    std::vector<std::string> features;
};
AOTSCOPE_MEMBERS(GoldenDocument, torch, decompositions, keepInferenceInputMutations, features)

aot::RetraceInput inputFrom(const GoldenInput& example) {
    aot::RetraceInput input;
    input.requiresGrad = example.requiresGrad;
    input.isParameter = example.parameter;
    input.isLeaf = example.kind == "tensor";
    input.storageOffset = example.storageOffset;
    return input;
}

std::optional<bool> gradEnabledIn(const GoldenDocument& document, const GoldenParts& unit) {
    if (unit.gradMode) {
        return *unit.gradMode && !unit.inferenceMode;
    }
    const bool isInference = std::ranges::find(document.features, "inference") != document.features.end();
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

base::Result<GoldenUnit> readGoldenUnit(const std::filesystem::path& path, std::string_view name) {
    AOTSCOPE_TRY(read, readGoldenUnitJson(path, name));
    GoldenDocument document;
    GoldenParts unit;
    static_cast<void>(base::readForeign(read.document, document));
    static_cast<void>(base::readForeign(read.unit(), unit));
    GoldenUnit facts;
    for (const std::optional<GoldenInput>& example : unit.exampleInputs) {
        facts.inputs.push_back(example ? inputFrom(*example) : aot::RetraceInput{});
        if (example && example->expr) {
            facts.symbolHints[*example->expr] = example->hint;
        }
    }
    facts.gradEnabled = gradEnabledIn(document, unit);
    facts.torch = aot::torchVersionFromText(document.torch).value_or(facts.torch);
    facts.decompositions = document.decompositions == "core_aten"  ? aot::DecompositionTable::Core
                           : document.decompositions == "inductor" ? aot::DecompositionTable::Inductor
                                                                   : aot::DecompositionTable::None;
    for (const char* partitioner : {"default", "min_cut"}) {
        const Json::json_pointer mode(std::string("/partitions/") + partitioner +
                                      "/pre_hooks/filtering_mode");
        if (read.unit().contains(mode) && read.unit()[mode].is_string()) {
            facts.options["saved_tensors_hooks_filtering_mode"] = read.unit()[mode].get<std::string>();
        }
    }
    facts.keepInputMutations =
        unit.aotConfig.keepInferenceInputMutations.value_or(document.keepInferenceInputMutations);
    if (unit.aotConfig.staticInputIndices) {
        facts.staticInputs.emplace();
        for (const std::optional<std::size_t>& index : *unit.aotConfig.staticInputIndices) {
            if (index) {
                facts.staticInputs->push_back(*index);
            }
        }
    }
    return facts;
}

} // namespace aotscope::evidence
