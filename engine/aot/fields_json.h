#pragma once

#include "ir/graph.h"
#include "ir/json/graph_json.h"
#include "ir/symbolic.h"

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Structs as JSON and back. One list of members per struct serves both directions, so that reading and
/// writing cannot disagree. Private to the sources of engine/aot and engine/remote.
namespace aotscope::aot::detail {

using Json = nlohmann::ordered_json;

/// The members of a struct with the names they are written under:
/// `template<> struct Fields<X> { static void visit(auto& field, auto& x) { field("name", x.member); … } };`
template<typename T>
struct Fields;

/// The words of an enumeration, in the order of its values: `static constexpr std::array names = {…};`
template<typename T>
struct EnumWords;

/// Graphs that a value holds, each once; the value refers to them by number. The first ones are known to the
/// reader already.
class GraphTable {
public:
    explicit GraphTable(std::vector<ir::GraphPtr> known = {})
        : m_graphs(std::move(known)), m_known(m_graphs.size()) {}

    /// The graph's number; it is added if it is not there.
    [[nodiscard]] std::size_t number(const ir::GraphPtr& graph) {
        const auto found = std::ranges::find(m_graphs, graph);
        const auto index = static_cast<std::size_t>(found - m_graphs.begin());
        if (found == m_graphs.end()) {
            m_graphs.push_back(graph);
        }
        return index;
    }
    void add(ir::GraphPtr graph) { m_graphs.push_back(std::move(graph)); }
    /// Null if there is none of that number.
    [[nodiscard]] ir::GraphPtr tryGet(std::size_t number) const {
        return number < m_graphs.size() ? m_graphs[number] : nullptr;
    }
    [[nodiscard]] std::span<const ir::GraphPtr> added() const { return std::span(m_graphs).subspan(m_known); }

private:
    std::vector<ir::GraphPtr> m_graphs;
    std::size_t m_known;
};

/// State shared by reading and writing.
struct JsonContext {
    /// The graph whose nodes the NodeIds name (written by node name); null when the value holds no NodeIds.
    const ir::Graph* graph = nullptr;
    /// When reading: the first field that is missing or malformed; empty: none.
    std::string wrong = {};
    /// Where graphs are; null: they are written where they are referred to.
    GraphTable* graphs = nullptr;
    /// When reading: the first error of a part that has a reader of its own, such as a graph.
    std::optional<base::Error> error = {};

    void note(base::Error failed) {
        if (!error) {
            error = std::move(failed);
        }
    }
    void complain(const std::string& field) {
        if (wrong.empty()) {
            wrong = field;
        }
    }
};

template<typename T>
concept HasFields = requires {
    sizeof(Fields<T>);
};
template<typename T>
concept HasWords = requires {
    EnumWords<T>::names;
};

template<HasFields T>
Json toJson(const T& value, JsonContext& context);
template<HasFields T>
void fromJson(const Json& json, T& value, JsonContext& context);

inline Json toJson(bool value, JsonContext&) {
    return value;
}
inline Json toJson(const std::string& value, JsonContext&) {
    return value;
}
template<typename T>
requires std::is_arithmetic_v<T> Json toJson(T value, JsonContext&) {
    return value;
}
template<HasWords T>
Json toJson(T value, JsonContext&) {
    return EnumWords<T>::names.at(static_cast<std::size_t>(value));
}
inline Json toJson(const ir::SymInt& value, JsonContext&) {
    return value.isSymbolic() ? Json{{"symint", value.text()}} : Json(value.integer());
}
inline Json toJson(ir::NodeId value, JsonContext& context) {
    return value.valid() ? Json(context.graph->node(value).name) : Json(nullptr);
}
inline Json toJson(const ir::GraphPtr& graph, JsonContext& context) {
    if (!graph) {
        return nullptr;
    }
    return context.graphs != nullptr ? Json(context.graphs->number(graph))
                                     : Json::parse(ir::graphToJson(*graph));
}
template<typename T>
Json toJson(const std::optional<T>& value, JsonContext& context) {
    return value ? toJson(*value, context) : Json(nullptr);
}
template<typename T>
Json toJson(const std::vector<T>& values, JsonContext& context) {
    Json list = Json::array();
    for (const auto& value : values) {
        list.push_back(toJson(value, context));
    }
    return list;
}

inline void fromJson(const Json& json, bool& value, JsonContext& context) {
    json.is_boolean() ? void(value = json.get<bool>()) : context.complain("expected true or false");
}
inline void fromJson(const Json& json, std::string& value, JsonContext& context) {
    json.is_string() ? void(value = json.get<std::string>()) : context.complain("expected a string");
}
template<std::unsigned_integral T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    json.is_number_unsigned() ? void(value = json.get<T>())
                              : context.complain("expected a non-negative integer");
}
template<std::signed_integral T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    json.is_number_integer() ? void(value = json.get<T>()) : context.complain("expected an integer");
}
template<std::floating_point T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    json.is_number() ? void(value = json.get<T>()) : context.complain("expected a number");
}
template<HasWords T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    for (std::size_t i = 0; json.is_string() && i < EnumWords<T>::names.size(); ++i) {
        if (json.get_ref<const std::string&>() == EnumWords<T>::names[i]) {
            value = static_cast<T>(i);
            return;
        }
    }
    context.complain("expected a known word");
}
inline void fromJson(const Json& json, ir::SymInt& value, JsonContext& context) {
    if (json.is_number_integer()) {
        value = json.get<std::int64_t>();
    } else if (json.is_object() && json.contains("symint") && json["symint"].is_string()) {
        value = ir::SymExpr(json["symint"].get<std::string>());
    } else {
        context.complain("expected a size");
    }
}
inline void fromJson(const Json& json, ir::NodeId& value, JsonContext& context) {
    if (json.is_null()) {
        value = {};
        return;
    }
    const auto found = json.is_string() && context.graph != nullptr
                           ? context.graph->tryFind(json.get<std::string>())
                           : std::nullopt;
    found ? void(value = *found) : context.complain("expected a node's name");
}
inline void fromJson(const Json& json, ir::GraphPtr& graph, JsonContext& context) {
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
template<typename T>
void fromJson(const Json& json, std::optional<T>& value, JsonContext& context) {
    value.reset();
    if (!json.is_null()) {
        fromJson(json, value.emplace(), context);
    }
}
template<typename T>
void fromJson(const Json& json, std::vector<T>& values, JsonContext& context) {
    values.clear();
    if (!json.is_array()) {
        context.complain("expected a list");
        return;
    }
    for (const Json& item : json) {
        T value{};
        fromJson(item, value, context);
        values.push_back(std::move(value));
    }
}

/// Writes each visited member into a JSON object.
class FieldWriter {
public:
    explicit FieldWriter(JsonContext& context) : m_context(context) {}
    template<typename T>
    void operator()(const char* name, const T& value) {
        m_json[name] = toJson(value, m_context);
    }
    [[nodiscard]] Json take() { return std::move(m_json); }

private:
    JsonContext& m_context;
    Json m_json = Json::object();
};

/// Reads each visited member from a JSON object.
class FieldReader {
public:
    FieldReader(const Json& json, JsonContext& context) : m_json(json), m_context(context) {}
    template<typename T>
    void operator()(const char* name, T& value) {
        if (!m_json.is_object() || !m_json.contains(name)) {
            m_context.complain(std::string(name) + " is missing");
            return;
        }
        const bool wasFine = m_context.wrong.empty();
        fromJson(m_json[name], value, m_context);
        if (wasFine && !m_context.wrong.empty()) {
            m_context.wrong = std::string(name) + ": " + m_context.wrong;
        }
    }

private:
    const Json& m_json;
    JsonContext& m_context;
};

template<HasFields T>
Json toJson(const T& value, JsonContext& context) {
    FieldWriter writer(context);
    Fields<T>::visit(writer, value);
    return writer.take();
}

template<HasFields T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    FieldReader reader(json, context);
    Fields<T>::visit(reader, value);
}

} // namespace aotscope::aot::detail
