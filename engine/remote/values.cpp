#include "remote/values.h"

#include "remote/answer_fields_json.h"
#include "remote/call_fields_json.h"
#include "remote/cbor.h"
#include "remote/request_fields_json.h"
#include "remote/rerun_fields_json.h"

#include "ir/json/graph_json.h"

#include <exception>
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
    return {.graph = known.empty() ? nullptr : known.front().get(), .graphs = &graphs};
}

/// Graphs stand in a list of their own, as JSON texts, which are written and read ten times as fast as the
/// values of the library are made.
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

template<typename T>
base::Result<T> decodeChecked(std::string_view body, const KnownGraphs& known) {
    const Json json = Json::from_cbor(body, true, false);
    if (!json.is_object() || !json.contains("graphs") || !json.contains("value")) {
        return malformed("it is no object with graphs and a value");
    }
    GraphTable graphs(known);
    if (auto read = readGraphs(json["graphs"], graphs); !read) {
        return std::move(read).error();
    }
    JsonContext context = contextOf(known, graphs);
    T value{};
    fromJson(json["value"], value, context);
    if (context.error) {
        return *std::move(context.error);
    }
    if (!context.wrong.empty()) {
        return malformed(context.wrong);
    }
    return value;
}

} // namespace

template<typename T>
std::string encode(const T& value, const KnownGraphs& known) {
    GraphTable graphs(known);
    JsonContext context = contextOf(known, graphs);
    Json json = Json::object();
    json["value"] = toJson(value, context);
    Json& texts = json["graphs"] = Json::array();
    for (const ir::GraphPtr& graph : graphs.added()) {
        texts.push_back(ir::graphToJson(*graph));
    }
    std::string body;
    Json::to_cbor(json, body);
    return body;
}

template<typename T>
base::Result<T> decode(std::string_view body, const KnownGraphs& known) {
    if (auto checked = checkCbor(body); !checked) {
        return std::move(checked).error();
    }
    try {
        return decodeChecked<T>(body, known);
    } catch (const std::exception& exception) {
        // The JSON library throws, of texts that are no UTF-8 for one.
        return malformed(exception.what());
    }
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
AOTSCOPE_ON_THE_WIRE(std::vector<std::string>);
AOTSCOPE_ON_THE_WIRE(std::string);
AOTSCOPE_ON_THE_WIRE(base::ProgressState);

} // namespace aotscope::remote
