#include "aot/fields_json.h"

#include <cmath>
#include <utility>

namespace aotscope::aot::detail {

void JsonContext::note(base::Error failed) {
    if (!error) {
        error = std::move(failed);
    }
}

void JsonContext::complain(std::string_view field) {
    if (wrong.empty()) {
        wrong = field;
    }
}

void JsonContext::namePlace(bool wasFine, std::string_view place) {
    if (wasFine && !wrong.empty()) {
        wrong = std::string(place) + ": " + wrong;
    }
}

Json toJson(const ir::SymExpr& value, JsonContext&) {
    return value.text();
}

Json toJson(const ir::SymInt& value, JsonContext&) {
    return value.isSymbolic() ? Json{{"symint", value.text()}} : Json(value.integer());
}

Json toJson(ir::NodeId value, JsonContext& context) {
    if (!value.valid()) {
        return nullptr;
    }
    return context.nodesByPlace ? Json(context.graph->position(value))
                                : Json(context.graph->node(value).name);
}

Json toJson(const ir::GraphPtr& graph, JsonContext& context) {
    if (!graph) {
        return nullptr;
    }
    return context.graphs != nullptr ? Json(context.graphs->number(graph))
                                     : Json::parse(ir::graphToJson(*graph));
}

void addMissing(Json& json, const Json& defaults) {
    if (!json.is_object() || !defaults.is_object()) {
        return;
    }
    for (const auto& [name, value] : defaults.items()) {
        if (json.contains(name)) {
            addMissing(json[name], value);
        } else {
            json[name] = value;
        }
    }
}

void moveMember(Json& from, const char* name, Json& to, const char* newName) {
    if (from.is_object() && from.contains(name)) {
        Json value = std::move(from[name]);
        from.erase(name);
        to[newName] = std::move(value);
    }
}

void fromJson(const Json& json, bool& value, JsonContext& context) {
    json.is_boolean() ? void(value = json.get<bool>()) : context.complain("expected true or false");
}

void fromJson(const Json& json, std::string& value, JsonContext& context) {
    json.is_string() ? void(value = json.get_ref<const std::string&>())
                     : context.complain("expected a string");
}

void fromJson(const Json& json, ir::SymExpr& value, JsonContext& context) {
    std::string text;
    fromJson(json, text, context);
    value = ir::SymExpr(text);
}

void fromJson(const Json& json, ir::SymInt& value, JsonContext& context) {
    if (json.is_number_integer()) {
        value = json.get<std::int64_t>();
    } else if (json.is_object() && json.contains("symint") && json["symint"].is_string()) {
        value = ir::SymExpr(json["symint"].get<std::string>());
    } else {
        context.complain("expected a size");
    }
}

void fromJson(const Json& json, ir::NodeId& value, JsonContext& context) {
    if (json.is_null()) {
        value = {};
        return;
    }
    if (context.nodesByPlace) {
        const std::uint64_t place = readUnsigned(json, context);
        const bool isThere = context.graph != nullptr && place < context.graph->order().size();
        isThere ? void(value = context.graph->order()[place])
                : context.complain("the graph has no node at place " + std::to_string(place));
        return;
    }
    const auto found = json.is_string() && context.graph != nullptr
                           ? context.graph->tryFind(json.get<std::string>())
                           : std::nullopt;
    found ? void(value = *found) : context.complain("expected a node's name");
}

void fromJson(const Json& json, ir::GraphPtr& graph, JsonContext& context) {
    graph = nullptr;
    if (json.is_null()) {
        return;
    }
    if (context.graphs != nullptr) {
        graph = json.is_number_unsigned() ? context.graphs->tryGet(json.get<std::size_t>()) : nullptr;
        if (!graph) {
            context.complain("there is no such graph");
        }
        return;
    }
    auto read = ir::graphFromJson(json.dump());
    read ? void(graph = std::move(read).value()) : context.note(std::move(read).error());
}

std::optional<std::size_t> readWord(const Json& json, std::span<const std::string_view> words,
                                    JsonContext& context) {
    if (json.is_string()) {
        const auto found = std::ranges::find(words, std::string_view(json.get_ref<const std::string&>()));
        if (found != words.end()) {
            return static_cast<std::size_t>(found - words.begin());
        }
    }
    context.complain("expected a known word");
    return std::nullopt;
}

std::uint64_t readUnsigned(const Json& json, JsonContext& context) {
    if (json.is_number_unsigned()) {
        return json.get<std::uint64_t>();
    }
    context.complain("expected a non-negative integer");
    return 0;
}

std::int64_t readSigned(const Json& json, JsonContext& context) {
    if (json.is_number_integer()) {
        return json.get<std::int64_t>();
    }
    context.complain("expected an integer");
    return 0;
}

double readFloating(const Json& json, JsonContext& context) {
    if (json.is_number()) {
        return json.get<double>();
    }
    for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        if (json == base::numberOrWord(value)) {
            return value;
        }
    }
    context.complain("expected a number");
    return 0;
}

const std::vector<Json>* readList(const Json& json, JsonContext& context) {
    if (json.is_array()) {
        return &json.get_ref<const Json::array_t&>();
    }
    context.complain("expected a list");
    return nullptr;
}

void FieldWriter::put(const char* name, Json value) {
    m_json[name] = std::move(value);
}

const Json* FieldReader::find(const char* name) {
    if (!m_json.is_object()) {
        m_context.complain("expected an object");
        return nullptr;
    }
    if (m_context.refusesUnknown) {
        m_visited.emplace_back(name);
    }
    if (const auto found = m_json.find(name); found != m_json.end()) {
        return &*found;
    }
    m_context.complain(std::string(name) + " is missing");
    return nullptr;
}

void FieldReader::end() {
    if (!m_context.refusesUnknown || !m_json.is_object()) {
        return;
    }
    for (const auto& [name, value] : m_json.items()) {
        if (std::ranges::find(m_visited, name) == m_visited.end()) {
            m_context.complain(name + " is not known");
        }
    }
}

} // namespace aotscope::aot::detail
