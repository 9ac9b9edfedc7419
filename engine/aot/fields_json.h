#pragma once

#include "ir/graph.h"
#include "ir/json/graph_json.h"
#include "ir/symbolic/expression.h"

#include "base/describe.h"
#include "base/described_json.h"
#include "base/result.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Structs as JSON and back. One list of members per struct serves both directions, so that reading and
/// writing cannot disagree; keys of the cache use the same lists. Private to the sources of
/// engine/aot, engine/cache, engine/session and engine/remote.
namespace aotscope::aot::detail {

using base::Json;
using base::toJson;

/// The members of a struct with the names they are written under. They come from AOTSCOPE_MEMBERS
/// (base/describe.h), but for a struct of which a file has other names or not all members:
/// `template<> struct Fields<X> { static void visit(auto& field, auto& x) { field("name", x.member); … } };`
/// `field.elsewhere(x.member)` names a member that the writer of X itself writes and reads. A list that is
/// constexpr can be checked for missing members (aot/listed_members.h).
template<typename T>
struct Fields;

/// Behind a member in a list: it is no part of a key. A comment there says why.
struct NotInKey {};
/// The same for a struct with AOTSCOPE_MEMBERS: the names of such members.
template<typename T>
inline constexpr std::array<std::string_view, 0> notInKey = {};

template<base::HasMembers T>
struct Fields<T> {
    static constexpr void visit(auto& field, auto& value) {
        base::visitMembers(value, [&](const char* name, auto& member) {
            std::ranges::find(notInKey<T>, std::string_view(name)) == notInKey<T>.end()
                ? field(name, member)
                : field(name, member, NotInKey());
        });
    }
};

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
    /// The graph whose nodes the NodeIds name; null when the value holds no NodeIds.
    const ir::Graph* graph = nullptr;
    /// Nodes are written by their place in the graph, because the names of a broken graph may repeat; else by
    /// name.
    bool nodesByPlace = false;
    /// When reading: the first field that is missing or malformed; empty: none.
    std::string wrong = {};
    /// Where graphs are; null: they are written where they are referred to.
    GraphTable* graphs = nullptr;
    /// When reading: the first error of a part with a separate reader, such as a graph.
    std::optional<base::Error> error = {};
    /// When reading: a member that the list does not have is wrong.
    bool refusesUnknown = false;
    /// When writing: for a text, in which the bytes of tensors are base64, and infinities words.
    bool forText = false;
    /// When writing: for a key, without the members that are no part of one.
    bool forKey = false;

    void note(base::Error failed);
    void complain(std::string_view field);
    /// Puts the place that was just read before what is wrong. `wasFine`: nothing was before it.
    void namePlace(bool wasFine, std::string_view place);
};

template<typename T>
concept HasFields = requires {
    sizeof(Fields<T>);
};

template<HasFields T>
Json toJson(const T& value, JsonContext& context);
template<HasFields T>
void fromJson(const Json& json, T& value, JsonContext& context);

Json toJson(const ir::SymExpr& value, JsonContext& context);
Json toJson(const ir::SymInt& value, JsonContext& context);
Json toJson(ir::NodeId value, JsonContext& context);
Json toJson(const ir::GraphPtr& graph, JsonContext& context);

void fromJson(const Json& json, bool& value, JsonContext& context);
void fromJson(const Json& json, std::string& value, JsonContext& context);
void fromJson(const Json& json, ir::SymExpr& value, JsonContext& context);
void fromJson(const Json& json, ir::SymInt& value, JsonContext& context);
void fromJson(const Json& json, ir::NodeId& value, JsonContext& context);
void fromJson(const Json& json, ir::GraphPtr& graph, JsonContext& context);

/// Adds the members that an object lacks, and those that its objects lack: an older version did not write
/// them.
void addMissing(Json& json, const Json& defaults);
/// Moves a member, if it is there: an older version had it elsewhere.
void moveMember(Json& from, const char* name, Json& to, const char* newName);

/// What the templates below share: compiled once, and not for every member of every struct.
/// Nothing, with a complaint, if it is none of the words.
[[nodiscard]] std::optional<std::size_t> readWord(const Json& json, std::span<const std::string_view> words,
                                                  JsonContext& context);
/// 0, with a complaint, if it is not such a number.
[[nodiscard]] std::uint64_t readUnsigned(const Json& json, JsonContext& context);
[[nodiscard]] std::int64_t readSigned(const Json& json, JsonContext& context);
[[nodiscard]] double readFloating(const Json& json, JsonContext& context);
/// The items of a list; null, with a complaint, if it is none.
[[nodiscard]] const std::vector<Json>* readList(const Json& json, JsonContext& context);

template<std::floating_point T>
Json toJson(T value, JsonContext& context) {
    return context.forKey || context.forText ? base::numberOrWord(value) : Json(value);
}
template<std::unsigned_integral T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    value = static_cast<T>(readUnsigned(json, context));
}
template<std::signed_integral T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    value = static_cast<T>(readSigned(json, context));
}
template<std::floating_point T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    value = static_cast<T>(readFloating(json, context));
}
template<base::HasWords T>
void fromJson(const Json& json, T& value, JsonContext& context) {
    if (const auto word = readWord(json, base::words<T>(), context)) {
        value = static_cast<T>(*word);
    }
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
    const std::vector<Json>* items = readList(json, context);
    if (items == nullptr) {
        return;
    }
    for (const Json& item : *items) {
        T value{};
        const bool wasFine = context.wrong.empty();
        fromJson(item, value, context);
        if (!context.wrong.empty()) {
            context.namePlace(wasFine, std::to_string(values.size()));
        }
        values.push_back(std::move(value));
    }
}
template<typename C>
void fromJson(const Json& json, std::set<std::string, C>& values, JsonContext& context) {
    std::vector<std::string> list;
    fromJson(json, list, context);
    values = {list.begin(), list.end()};
}
template<typename K, typename V, typename C>
void fromJson(const Json& json, std::map<K, V, C>& values, JsonContext& context) {
    values.clear();
    for (const Json& item : json) {
        if (!json.is_array() || !item.is_array() || item.size() != 2) {
            context.complain("expected a list of pairs");
            return;
        }
        K key{};
        fromJson(item[0], key, context);
        fromJson(item[1], values[std::move(key)], context);
    }
}

template<typename V, typename C>
void fromJson(const Json& json, std::map<std::string, V, C>& values, JsonContext& context) {
    values.clear();
    if (!json.is_object()) {
        context.complain("expected an object");
        return;
    }
    for (const auto& [key, item] : json.items()) {
        const bool wasFine = context.wrong.empty();
        fromJson(item, values[key], context);
        context.namePlace(wasFine, key);
    }
}

/// Writes each visited member into a JSON object.
class FieldWriter {
public:
    explicit FieldWriter(JsonContext& context) : m_context(context) {}
    template<typename T>
    void operator()(const char* name, const T& value) {
        put(name, toJson(value, m_context));
    }
    template<typename T>
    void operator()(const char* name, const T& value, NotInKey /*mark*/) {
        if (!m_context.forKey) {
            (*this)(name, value);
        }
    }
    void elsewhere(const auto& /*value*/, NotInKey /*mark*/ = {}) {}
    [[nodiscard]] Json take() { return std::move(m_json); }

private:
    void put(const char* name, Json value);

    JsonContext& m_context;
    Json m_json = Json::object();
};

/// Reads each visited member from a JSON object.
class FieldReader {
public:
    FieldReader(const Json& json, JsonContext& context) : m_json(json), m_context(context) {}
    template<typename T>
    void operator()(const char* name, T& value) {
        if (const Json* member = find(name)) {
            const bool wasFine = m_context.wrong.empty();
            fromJson(*member, value, m_context);
            m_context.namePlace(wasFine, name);
        }
    }
    /// After the last member: complains about a member that was not visited, where those are refused.
    void end();
    template<typename T>
    void operator()(const char* name, T& value, NotInKey /*mark*/) {
        (*this)(name, value);
    }
    void elsewhere(const auto& /*value*/, NotInKey /*mark*/ = {}) {}

private:
    /// Null, with a complaint, if it is missing.
    [[nodiscard]] const Json* find(const char* name);

    const Json& m_json;
    JsonContext& m_context;
    /// Only where others are refused.
    std::vector<std::string_view> m_visited;
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
    reader.end();
}

} // namespace aotscope::aot::detail
