#include "session/rerun_file.h"

#include "session/rerun_settings_json.h"
#include "session/tensor_json.h"

#include <optional>
#include <utility>

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view savedRerunSchema = "aotscope.rerun/1";

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

OrderedJson summaryToJson(const RerunValue& value) {
    const TensorSummary& summary = value.summary;
    return {{"node", value.node},
            {"output", value.output},
            {"dtype", summary.dtype},
            {"shape", summary.shape},
            {"stride", summary.stride},
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

OrderedJson valuesToJson(const RerunResult& result) {
    OrderedJson values = OrderedJson::array();
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        OrderedJson value = summaryToJson(result.outputs[i]);
        value["from_run"] = differenceToJson(result.outputs[i].fromRun);
        value["from_baseline"] = differenceToJson(result.outputs[i].fromBaseline);
        if (i < result.outputData.size()) {
            value["data"] = tensorToJson(result.outputData[i]);
        }
        values.push_back(std::move(value));
    }
    return values;
}

base::Error notARerun(std::string note) {
    return {.code = "rerun.file_schema",
            .message = "The file is not a rerun that this program knows.",
            .notes = {std::move(note)},
            .hint = "Such a file is written by aotscope-cli rerun --save; it is JSON with \"schema\": \"" +
                    std::string(savedRerunSchema) + "\"."};
}

SavedRerun savedFrom(const OrderedJson& json) {
    SavedRerun saved;
    saved.graph = json.value("graph", "");
    saved.settings = settingsFromJson(json.value("settings", OrderedJson::object()));
    saved.result.nodes = json.value("nodes", std::vector<std::string>());
    saved.result.samples = json.at("samples").get<std::vector<std::int64_t>>();
    saved.result.overheadNanoseconds = json.value("overhead", 0.0);
    saved.result.clock =
        json.value("clock", "") == "cuda_events" ? RerunClock::CudaEvents : RerunClock::Steady;
    saved.result.device = json.value("device", "");
    saved.result.backend = json.value("backend", "");
    saved.result.seed = json.value("seed", std::uint64_t(0));
    const OrderedJson outputs = json.value("outputs", OrderedJson::array());
    for (const OrderedJson& output : outputs) {
        RerunValue value;
        value.node = output.at("node").get<std::string>();
        value.output = output.value("output", std::size_t(0));
        value.summary.dtype = output.value("dtype", "");
        value.summary.shape = output.value("shape", std::vector<std::int64_t>());
        saved.result.outputs.push_back(std::move(value));
        const auto data = output.find("data");
        saved.result.outputData.push_back(
            data != output.end() ? tensorFromJson(*data).value_or(aot::TensorData()) : aot::TensorData());
    }
    return saved;
}

} // namespace

std::string rerunToJson(const SavedRerun& saved) {
    const RerunResult& result = saved.result;
    OrderedJson inputs = OrderedJson::array();
    for (const RerunValue& input : result.inputs) {
        inputs.push_back(summaryToJson(input));
    }
    OrderedJson json{{"schema", savedRerunSchema},
                     {"graph", saved.graph},
                     {"nodes", result.nodes},
                     {"settings", settingsToJson(saved.settings)},
                     {"backend", result.backend},
                     {"device", result.device},
                     {"seed", result.seed},
                     {"clock", result.clock == RerunClock::CudaEvents ? "cuda_events" : "steady"},
                     {"unit", "ns"},
                     {"times", timesToJson(result)},
                     {"overhead", result.overheadNanoseconds},
                     {"cost", costToJson(result)},
                     {"build", buildToJson(result.build)},
                     {"restored", result.restored},
                     {"inputs", std::move(inputs)},
                     {"outputs", valuesToJson(result)},
                     {"notes", result.notes},
                     {"samples", result.samples}};
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

base::Result<SavedRerun> rerunFromJson(std::string_view text) {
    const OrderedJson json = OrderedJson::parse(text, nullptr, false);
    if (json.is_discarded()) {
        return base::Error{.code = "rerun.file_syntax",
                           .message = "The file is not a rerun: it is not JSON.",
                           .hint = "Such a file is written by aotscope-cli rerun --save."};
    }
    try {
        const std::string schema = json.is_object() ? json.value("schema", "") : "";
        if (schema != savedRerunSchema) {
            return notARerun(schema.empty() ? "It names no schema." : "Its schema is \"" + schema + "\".");
        }
        return savedFrom(json);
    } catch (const OrderedJson::exception& error) {
        return notARerun(error.what());
    }
}

} // namespace aotscope::session
