#pragma once

#include "base/json_schema.h"
#include "ir/dtype.h"
#include "ir/graph.h"
#include "ir/symbolic/expression.h"
#include "ir/value.h"
#include "load/artifact_list.h"

#include <concepts>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// What commands print with --json: structs whose members (base/describe.h) are the fields, so that the text
/// and its JSON Schema come from one list.
///
///     struct RulesAnswer { std::vector<std::string> known; };
///     AOTSCOPE_MEMBERS(RulesAnswer, known)
///     AOTSCOPE_ANSWER(RulesAnswer, "aotscope.rules/1")
///     …
///     console.result(answerText(answer));
///
/// An answer that is written by `answerText` is one of `aotscope-cli schema`.
namespace aotscope::cli {

using base::Json;
using base::schemaOf;
using base::toJson;

/// A context of base::toJson and base::schemaOf.
struct AnswerContext {
    /// Whose nodes the NodeIds name; null where there are none.
    const ir::Graph* graph = nullptr;
    base::SchemaDefinitions definitions = {};
};

template<std::floating_point T>
Json toJson(T value, AnswerContext&) {
    return base::numberOrWord(value);
}

template<std::floating_point T>
Json schemaOf(std::type_identity<T>, AnswerContext&) {
    return {{"anyOf", Json::array({{{"type", "number"}}, {{"enum", {"nan", "inf", "-inf"}}}})}};
}

/// A document that is no struct, such as a graph.
inline Json toJson(const Json& document, AnswerContext&) {
    return document;
}

inline Json schemaOf(std::type_identity<Json>, AnswerContext&) {
    return true;
}

/// Texts, and what is written as one.
inline Json toJson(std::string_view text, AnswerContext&) {
    return std::string(text);
}

inline Json toJson(const std::filesystem::path& path, AnswerContext&) {
    return path.string();
}

inline Json toJson(ir::DType dtype, AnswerContext&) {
    return std::string(ir::dtypeShortName(dtype));
}

/// "0/0", "cuda:1", "s0 + 1": what has a text and no list is its text.
template<typename T>
concept HasText = !base::HasMembers<T> && requires(const T& value) {
    { value.text() } -> std::convertible_to<std::string>;
};
template<HasText T>
Json toJson(const T& value, AnswerContext&) {
    return value.text();
}

template<typename T>
requires HasText<T> || std::same_as<T, std::string_view> || std::same_as<T, std::filesystem::path> ||
    std::same_as<T, ir::DType>
        Json schemaOf(std::type_identity<T>, AnswerContext&) {
    return {{"type", "string"}};
}

/// A node is its name in the graph of the OfGraph around it.
inline Json toJson(ir::NodeId node, AnswerContext& context) {
    return node.valid() ? Json(context.graph->node(node).name) : Json(nullptr);
}

inline Json schemaOf(std::type_identity<ir::NodeId>, AnswerContext&) {
    return {{"type", Json::array({"string", "null"})}};
}

/// A value that refers to nodes of a graph.
template<typename T>
struct OfGraph {
    T value = {};
    ir::GraphPtr graph = {};
};
template<typename T>
Json toJson(const OfGraph<T>& held, AnswerContext&) {
    AnswerContext context{held.graph.get()};
    return toJson(held.value, context);
}

template<typename T>
Json schemaOf(std::type_identity<OfGraph<T>>, AnswerContext& context) {
    return schemaOf(std::type_identity<T>(), context);
}

/// A record is its place in the log; of a list of them, which may be long, only its length is written.
inline Json toJson(load::RecordId record, AnswerContext&) {
    return record.index();
}

inline Json toJson(const std::vector<load::RecordId>& records, AnswerContext&) {
    return records.size();
}

template<typename T>
requires std::same_as<T, load::RecordId> || std::same_as<T, std::vector<load::RecordId>>
    Json schemaOf(std::type_identity<T>, AnswerContext&) {
    return {{"type", "integer"}};
}

/// A size is its number or the text of its expression.
inline Json toJson(const ir::SymInt& size, AnswerContext&) {
    return size.isSymbolic() ? Json(size.text()) : Json(size.integer());
}

inline Json schemaOf(std::type_identity<ir::SymInt>, AnswerContext&) {
    return {{"type", Json::array({"integer", "string"})}};
}

/// What an answer says of a tensor.
struct TensorAnswer {
    /// "f32[8, 10][10, 1]cpu"
    std::string text;
    std::optional<ir::SymInt> storageOffset;
    std::optional<bool> requiresGrad;
};
AOTSCOPE_MEMBERS(TensorAnswer, text, storageOffset, requiresGrad)
inline Json toJson(const ir::TensorMeta& meta, AnswerContext& context) {
    return toJson(TensorAnswer{ir::valueText(meta), meta.storageOffset, meta.requiresGrad}, context);
}

inline Json schemaOf(std::type_identity<ir::TensorMeta>, AnswerContext& context) {
    return schemaOf(std::type_identity<TensorAnswer>(), context);
}

template<typename T>
Json toJson(const std::shared_ptr<T>& value, AnswerContext& context) {
    return value ? toJson(*value, context) : Json(nullptr);
}

template<typename T>
Json schemaOf(std::type_identity<std::shared_ptr<T>>, AnswerContext& context) {
    return base::orNullSchema(schemaOf(std::type_identity<std::remove_const_t<T>>(), context));
}

template<typename A, typename B>
Json toJson(const std::pair<A, B>& value, AnswerContext& context) {
    return Json::array({toJson(value.first, context), toJson(value.second, context)});
}

template<typename A, typename B>
Json schemaOf(std::type_identity<std::pair<A, B>>, AnswerContext& context) {
    return {{"type", "array"},
            {"prefixItems", Json::array({schemaOf(std::type_identity<A>(), context),
                                         schemaOf(std::type_identity<B>(), context)})}};
}

template<typename... Ts>
Json toJson(const std::variant<Ts...>& value, AnswerContext& context) {
    return std::visit([&](const auto& each) { return toJson(each, context); }, value);
}

template<typename... Ts>
Json schemaOf(std::type_identity<std::variant<Ts...>>, AnswerContext& context) {
    return {{"anyOf", Json::array({schemaOf(std::type_identity<Ts>(), context)...})}};
}

/// Keys in insertion order; invalid UTF-8 is replaced.
[[nodiscard]] inline std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The name of an answer's schema: "aotscope.run/2".
template<typename T>
inline constexpr const char* schemaName = nullptr;

#define AOTSCOPE_ANSWER(Type, name)                                                                          \
    template<>                                                                                               \
    inline constexpr const char* schemaName<Type> = name;

/// What --help says of `--json`.
template<typename T>
[[nodiscard]] std::string jsonHelp() {
    return std::string("JSON for programs (schema ") + schemaName<T> + ")";
}

template<typename T>
[[nodiscard]] Json answerJson(const T& value) {
    AnswerContext context;
    return toJson(value, context);
}

template<typename T>
[[nodiscard]] Json answerSchema() {
    AnswerContext context;
    Json schema = base::objectSchema<T>(context);
    schema["properties"]["schema"] = {{"const", schemaName<T>}};
    schema["required"].push_back("schema");
    Json whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", schemaName<T>}};
    whole.update(schema);
    whole["$defs"] = context.definitions.all();
    return whole;
}

/// The schema of one kind of answer.
struct AnswerKind {
    const char* schema;
    Json (*write)();
};
/// All that the program has, by name.
[[nodiscard]] inline std::vector<AnswerKind>& answerKinds() {
    static std::vector<AnswerKind> kinds;
    return kinds;
}

namespace detail {

template<typename T>
struct RegisteredAnswer {
    static inline const bool isThere = (answerKinds().push_back({schemaName<T>, &answerSchema<T>}), true);
};

} // namespace detail

/// The whole answer with its schema's name first.
template<typename T>
[[nodiscard]] std::string answerText(const T& answer) {
    static_cast<void>(detail::RegisteredAnswer<T>::isThere);
    Json json{{"schema", schemaName<T>}};
    json.update(answerJson(answer));
    return jsonText(json);
}

} // namespace aotscope::cli
