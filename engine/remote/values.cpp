#include "remote/values.h"

#include "remote/cbor.h"
#include "remote/values_json.h"

#include "ir/json/graph_json.h"

#include <exception>
#include <functional>
#include <utility>

namespace aotscope::remote {

namespace {

using aot::detail::GraphTable;
using aot::detail::Json;
using aot::detail::JsonContext;

base::Error malformed(const std::string& why) {
    return {.code = "remote.malformed",
            .message = "A message of the other process cannot be read: " + why + "."};
}

JsonContext contextOf(const KnownGraphs& known, GraphTable& graphs) {
    return {.graph = known.empty() ? nullptr : known.front().get(), .nodesByPlace = true, .graphs = &graphs};
}

/// Graphs are in a separate list, as JSON texts, which are read and written ten times as fast as values of
/// the JSON library are built.
base::Result<void> readGraphs(const Json& texts, GraphTable& graphs) {
    if (!texts.is_array()) {
        return malformed("graphs are missing");
    }
    for (const Json& text : texts) {
        if (!text.is_string()) {
            return malformed("a graph is no text");
        }
        auto graph = ir::graphFromJson(text.get_ref<const std::string&>());
        if (!graph) {
            return std::move(graph).error();
        }
        graphs.add(std::move(graph).value());
    }
    return {};
}

/// What reads or writes the one value of a message: the rest is the same for all types and compiled once.
using ReadValue = std::function<void(const Json&, JsonContext&)>;
using WriteValue = std::function<Json(JsonContext&)>;

base::Result<void> decodeChecked(std::string_view body, const KnownGraphs& known,
                                 const ReadValue& readValue) {
    const Json json = Json::from_cbor(body, true, false);
    if (!json.is_object() || !json.contains("graphs") || !json.contains("value")) {
        return malformed("it is no object with graphs and a value");
    }
    GraphTable graphs(known);
    if (auto read = readGraphs(json["graphs"], graphs); !read) {
        return read;
    }
    JsonContext context = contextOf(known, graphs);
    readValue(json["value"], context);
    if (context.error) {
        return *std::move(context.error);
    }
    if (!context.wrong.empty()) {
        return malformed(context.wrong);
    }
    return {};
}

base::Result<void> decodeWith(std::string_view body, const KnownGraphs& known, const ReadValue& readValue) {
    if (auto checked = checkCbor(body); !checked) {
        return checked;
    }
    try {
        return decodeChecked(body, known, readValue);
    } catch (const std::exception& exception) {
        // The JSON library throws, of texts that are no UTF-8 for one.
        return malformed(exception.what());
    }
}

std::string encodeWith(const KnownGraphs& known, const WriteValue& writeValue) {
    GraphTable graphs(known);
    JsonContext context = contextOf(known, graphs);
    Json json = Json::object();
    json["value"] = writeValue(context);
    Json& texts = json["graphs"] = Json::array();
    for (const ir::GraphPtr& graph : graphs.added()) {
        texts.push_back(ir::graphToJson(*graph));
    }
    std::string body;
    Json::to_cbor(json, body);
    return body;
}

} // namespace

template<typename T>
std::string encode(const T& value, const KnownGraphs& known) {
    return encodeWith(known, [&](JsonContext& context) { return toJson(value, context); });
}

template<typename T>
base::Result<T> decode(std::string_view body, const KnownGraphs& known) {
    T value{};
    const auto read = decodeWith(
        body, known, [&](const Json& json, JsonContext& context) { fromJson(json, value, context); });
    if (!read) {
        return read.error();
    }
    return value;
}

#define AOTSCOPE_ON_THE_WIRE(type)                                                                           \
    template std::string encode(const type&, const KnownGraphs&);                                            \
    template base::Result<type> decode(std::string_view, const KnownGraphs&)

AOTSCOPE_ON_THE_WIRE(Hello);
AOTSCOPE_ON_THE_WIRE(Failure);
AOTSCOPE_ON_THE_WIRE(RunCall);
AOTSCOPE_ON_THE_WIRE(RetraceCall);
AOTSCOPE_ON_THE_WIRE(aot::RetraceResult);
AOTSCOPE_ON_THE_WIRE(session::RunSnapshot);
AOTSCOPE_ON_THE_WIRE(ReferenceCall);
AOTSCOPE_ON_THE_WIRE(session::ReferenceSnapshot);
AOTSCOPE_ON_THE_WIRE(KernelsCall);
AOTSCOPE_ON_THE_WIRE(session::KernelCheck);
AOTSCOPE_ON_THE_WIRE(HooksCall);
AOTSCOPE_ON_THE_WIRE(session::HookErrors);
AOTSCOPE_ON_THE_WIRE(RerunCall);
AOTSCOPE_ON_THE_WIRE(session::RerunResult);
AOTSCOPE_ON_THE_WIRE(FunctionCall);
AOTSCOPE_ON_THE_WIRE(steps::CallRecord);
AOTSCOPE_ON_THE_WIRE(steps::StepPause);
AOTSCOPE_ON_THE_WIRE(steps::StepAnswer);
AOTSCOPE_ON_THE_WIRE(session::TracePause);
AOTSCOPE_ON_THE_WIRE(session::PauseAnswer);
AOTSCOPE_ON_THE_WIRE(std::vector<session::CoverageRow>);
AOTSCOPE_ON_THE_WIRE(session::DeviceList);
AOTSCOPE_ON_THE_WIRE(std::vector<std::string>);
AOTSCOPE_ON_THE_WIRE(std::string);
AOTSCOPE_ON_THE_WIRE(base::ProgressState);

} // namespace aotscope::remote
