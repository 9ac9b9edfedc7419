#include "files/rerun_file.h"

#include "contract/run_fields_json.h"

#include "aot/fields_json.h"
#include "aot/tensor_data_json.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace aotscope::session {

namespace {

/// What is read of a result.
struct SavedOutput {
    RerunValue value;
    /// Nothing: the values were not saved.
    std::optional<aot::TensorData> data;
};

} // namespace

} // namespace aotscope::session

namespace aotscope::aot::detail {

template<>
struct Fields<session::SavedOutput> {
    static void visit(auto& field, auto& output) {
        field("node", output.value.node);
        field("output", output.value.output);
        field("dtype", output.value.summary.dtype);
        field("shape", output.value.summary.shape);
        field("data", output.data);
    }
};
/// What is read again, but for the outputs. All else in a file is for other programs.
template<>
struct Fields<session::SavedRerun> {
    static void visit(auto& field, auto& saved) {
        field("graph", saved.graph);
        field("nodes", saved.result.nodes);
        field("settings", saved.settings);
        field("backend", saved.result.backend);
        field("device", saved.result.device);
        field("seed", saved.result.seed);
        field("clock", saved.result.clock);
        field("overhead", saved.result.overheadNanoseconds);
        field("samples", saved.result.samples);
    }
};

} // namespace aotscope::aot::detail

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;
using aot::detail::addMissing;
using aot::detail::JsonContext;

/// Grows when one of the lists of members above does, so that older files may lack it.
constexpr std::string_view savedRerunSchema = "aotscope.rerun/2";
const std::string olderRerunSchema =
    std::string(savedRerunSchema.substr(0, savedRerunSchema.find('/'))) + "/1";

template<typename T>
OrderedJson numberOrNull(const std::optional<T>& value) {
    return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

OrderedJson differenceToJson(const std::optional<ValueDifference>& difference) {
    if (!difference) {
        return nullptr;
    }
    if (!difference->incomparable.empty()) {
        return {{"incomparable", difference->incomparable}};
    }
    return {{"max", difference->max},
            {"mean", difference->mean},
            {"relative", difference->relative},
            {"worst_index", difference->worstIndex},
            {"worst_value", difference->worstValue},
            {"worst_expected", difference->worstExpected}};
}

OrderedJson summaryToJson(const TensorSummary& summary) {
    return {{"stride", summary.stride},
            {"bytes", summary.bytes},
            {"min", numberOrNull(summary.minimum)},
            {"mean", numberOrNull(summary.mean)},
            {"max", numberOrNull(summary.maximum)},
            {"nan", summary.nanCount},
            {"inf", summary.infCount},
            {"zero", summary.zeroCount}};
}

OrderedJson timesToJson(const RerunResult& result) {
    const auto times = rerunTimes(result.samples);
    if (!times) {
        return nullptr;
    }
    return {{"min", times->minimum},
            {"median", times->median},
            {"p95", times->p95},
            {"mean", times->mean},
            {"histogram",
             {{"from", times->histogram.from},
              {"to", times->histogram.to},
              {"counts", times->histogram.counts},
              {"beyond", times->beyond}}}};
}

OrderedJson rateToJson(const std::optional<double>& rate, double limit) {
    if (!rate) {
        return nullptr;
    }
    return {{"per_second", *rate}, {"share_of_limit", limit > 0 ? OrderedJson(*rate / limit) : nullptr}};
}

OrderedJson costToJson(const RerunResult& result) {
    if (!result.cost) {
        return nullptr;
    }
    const DeviceLimits limits = result.limits.value_or(DeviceLimits());
    OrderedJson json{{"bytes", result.cost->bytes},
                     {"flops", result.cost->flops},
                     {"without_formula", result.cost->unknown},
                     {"bandwidth", rateToJson(result.bytesPerSecond(), limits.bytesPerSecond)},
                     {"compute", rateToJson(result.flopsPerSecond(), limits.flopsPerSecond)}};
    if (result.limits) {
        json["limits"] = {{"device", limits.device},
                          {"bytes_per_second", limits.bytesPerSecond},
                          {"flops_per_second", limits.flopsPerSecond},
                          {"origin", limits.origin}};
    }
    return json;
}

OrderedJson buildToJson(const std::optional<RerunBuild>& build) {
    if (!build) {
        return nullptr;
    }
    OrderedJson messages = OrderedJson::array();
    for (const kernels::CompileMessage& message : build->messages) {
        messages.push_back({{"is_error", message.severity == kernels::CompileMessage::Severity::Error},
                            {"line", message.line},
                            {"column", message.column},
                            {"text", message.text}});
    }
    return {{"compiler", build->compiler}, {"seconds", build->seconds}, {"messages", std::move(messages)}};
}

OrderedJson inputToJson(const RerunValue& input) {
    OrderedJson json{{"node", input.node},
                     {"output", input.output},
                     {"dtype", input.summary.dtype},
                     {"shape", input.summary.shape}};
    json.update(summaryToJson(input.summary));
    return json;
}

OrderedJson outputToJson(const RerunResult& result, std::size_t number) {
    SavedOutput output{result.outputs[number], std::nullopt};
    if (number < result.outputData.size()) {
        output.data = result.outputData[number];
    }
    JsonContext context{.bytesAsText = true};
    OrderedJson json = toJson(output, context);
    json.update(summaryToJson(output.value.summary));
    json["from_run"] = differenceToJson(output.value.fromRun);
    json["from_baseline"] = differenceToJson(output.value.fromBaseline);
    return json;
}

base::Error notARerun(std::string note) {
    return {.code = "rerun.file_schema",
            .message = "The file is not a rerun that this program knows.",
            .notes = {std::move(note)},
            .hint = "Such a file is written by aotscope-cli rerun --save; it is JSON with \"schema\": \"" +
                    std::string(savedRerunSchema) + "\"."};
}

/// Makes of a file of version 1 one of today: it left out what is as in the run, and values that were not
/// saved.
void upgradeRerun(OrderedJson& json) {
    JsonContext context;
    if (json.contains("settings")) {
        addMissing(json["settings"], toJson(RerunSettings(), context));
    }
    if (json.contains("outputs")) {
        for (OrderedJson& output : json["outputs"]) {
            addMissing(output, {{"data", nullptr}});
        }
    }
}

base::Result<SavedRerun> savedFrom(const OrderedJson& json) {
    SavedRerun saved;
    std::vector<SavedOutput> outputs;
    JsonContext context;
    fromJson(json, saved, context);
    aot::detail::FieldReader(json, context)("outputs", outputs);
    if (!context.wrong.empty()) {
        return notARerun(context.wrong + ".");
    }
    for (SavedOutput& output : outputs) {
        saved.result.outputs.push_back(std::move(output.value));
        saved.result.outputData.push_back(std::move(output.data).value_or(aot::TensorData()));
    }
    return saved;
}

} // namespace

std::string rerunToJson(const SavedRerun& saved) {
    const RerunResult& result = saved.result;
    JsonContext context;
    OrderedJson json{{"schema", savedRerunSchema}};
    json.update(toJson(saved, context));
    json["unit"] = "ns";
    json["times"] = timesToJson(result);
    json["cost"] = costToJson(result);
    json["build"] = buildToJson(result.build);
    json["restored"] = result.restored;
    json["notes"] = result.notes;
    OrderedJson& inputs = json["inputs"] = OrderedJson::array();
    std::ranges::transform(result.inputs, std::back_inserter(inputs), inputToJson);
    OrderedJson& outputs = json["outputs"] = OrderedJson::array();
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        outputs.push_back(outputToJson(result, i));
    }
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

base::Result<SavedRerun> rerunFromJson(std::string_view text) {
    OrderedJson json = OrderedJson::parse(text, nullptr, false);
    if (json.is_discarded()) {
        return base::Error{.code = "rerun.file_syntax",
                           .message = "The file is not a rerun: it is not JSON.",
                           .hint = "Such a file is written by aotscope-cli rerun --save."};
    }
    const OrderedJson* schema =
        json.is_object() && json.contains("schema") && json["schema"].is_string() ? &json["schema"] : nullptr;
    if (schema == nullptr || (*schema != savedRerunSchema && *schema != olderRerunSchema)) {
        return notARerun(schema == nullptr ? "It names no schema."
                                           : "Its schema is \"" + schema->get<std::string>() + "\".");
    }
    if (*schema == olderRerunSchema) {
        upgradeRerun(json);
    }
    return savedFrom(json);
}

} // namespace aotscope::session
