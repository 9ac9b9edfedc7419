#include "remote/values.h"

#include "ir/json/graph_json.h"

#include "base/bounded_json.h"

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
        AOTSCOPE_TRY(graph, ir::graphFromJson(text.get_ref<const std::string&>()));
        graphs.add(std::move(graph));
    }
    return {};
}

base::Result<void> decodeChecked(std::string_view body, const KnownGraphs& known, KnownGraphs* sent,
                                 const detail::ReadValue& readValue) {
    Json json;
    // MessagePack has the length of everything before it, and so no recursion but that of the nesting.
    if (!base::parseBounded<mostNesting>(body, json, Json::input_format_t::msgpack)) {
        return malformed("it is nested too deeply");
    }
    if (!json.is_object() || !json.contains("graphs") || !json.contains("value")) {
        return malformed("it is no object with graphs and a value");
    }
    GraphTable graphs(known);
    AOTSCOPE_CHECK(readGraphs(json["graphs"], graphs));
    JsonContext context = contextOf(known, graphs);
    readValue(json["value"], context);
    if (context.error) {
        return *std::move(context.error);
    }
    if (!context.wrong.empty()) {
        return malformed(context.wrong);
    }
    if (sent != nullptr) {
        sent->assign(graphs.added().begin(), graphs.added().end());
    }
    return {};
}

} // namespace

base::Result<void> detail::decodeWith(std::string_view body, const KnownGraphs& known, KnownGraphs* sent,
                                      const ReadValue& readValue) {
    try {
        return decodeChecked(body, known, sent, readValue);
    } catch (const std::exception& exception) {
        // The JSON library throws, of texts that are no UTF-8 for one.
        return malformed(exception.what());
    }
}

std::string detail::encodeWith(const KnownGraphs& known, KnownGraphs* sent, const WriteValue& writeValue) {
    GraphTable graphs(known);
    JsonContext context = contextOf(known, graphs);
    Json json = Json::object();
    json["value"] = writeValue(context);
    Json& texts = json["graphs"] = Json::array();
    for (const ir::GraphPtr& graph : graphs.added()) {
        texts.push_back(ir::graphToJson(*graph));
    }
    if (sent != nullptr) {
        sent->assign(graphs.added().begin(), graphs.added().end());
    }
    std::string body;
    Json::to_msgpack(json, body);
    return body;
}

} // namespace aotscope::remote
