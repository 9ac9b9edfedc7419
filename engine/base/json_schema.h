#pragma once

#include "base/described_json.h"

#include <array>
#include <typeindex>
#include <typeinfo>

/// The JSON Schema (draft 2020-12) of what base/described_json.h writes of a type. As there, types without a
/// list have a `schemaOf(std::type_identity<T>, context)` in the namespace of the context.
namespace aotscope::base {

/// The schemas of structs, which others refer to.
class SchemaDefinitions {
public:
    /// A reference to the type's definition, which `write` is called for if it is not there.
    template<typename Write>
    Json refer(std::type_index type, std::string_view name, Write&& write) {
        auto found = m_names.find(type);
        if (found == m_names.end()) {
            std::string unique(name.substr(name.rfind(':') + 1));
            while (m_definitions.contains(unique)) {
                unique += '_';
            }
            found = m_names.emplace(type, unique).first;
            // The place is taken before the members are visited: they may refer to it.
            m_definitions[unique] = nullptr;
            Json written = write();
            m_definitions[unique] = std::move(written);
        }
        return {{"$ref", "#/$defs/" + found->second}};
    }
    [[nodiscard]] const Json& all() const { return m_definitions; }

private:
    std::map<std::type_index, std::string> m_names;
    Json m_definitions = Json::object();
};

/// The schema, or null.
[[nodiscard]] inline Json orNullSchema(Json schema) {
    if (schema.contains("type") && schema["type"].is_string()) {
        schema["type"] = Json::array({schema["type"], "null"});
        if (schema.contains("enum")) {
            schema["enum"].push_back(nullptr);
        }
        return schema;
    }
    return {{"anyOf", Json::array({std::move(schema), {{"type", "null"}}})}};
}

template<typename Context>
Json schemaOf(std::type_identity<std::string>, Context&) {
    return {{"type", "string"}};
}
template<std::integral T, typename Context>
Json schemaOf(std::type_identity<T>, Context&) {
    return {{"type", std::same_as<T, bool> ? "boolean" : "integer"}};
}
template<std::floating_point T, typename Context>
Json schemaOf(std::type_identity<T>, Context&) {
    return {{"type", "number"}};
}
template<HasWords T, typename Context>
Json schemaOf(std::type_identity<T>, Context&) {
    Json list = Json::array();
    for (const std::string_view word : words<T>()) {
        list.push_back(std::string(word));
    }
    return {{"type", "string"}, {"enum", std::move(list)}};
}
template<HasMembers T, typename Context>
Json schemaOf(std::type_identity<T> type, Context& context);
template<IsList T, typename Context>
Json schemaOf(std::type_identity<T> type, Context& context);
template<typename K, typename V, typename C, typename Context>
Json schemaOf(std::type_identity<std::map<K, V, C>> type, Context& context);
template<typename V, typename C, typename Context>
Json schemaOf(std::type_identity<std::map<std::string, V, C>> type, Context& context);

template<typename T, typename Context>
Json schemaOf(std::type_identity<std::optional<T>>, Context& context) {
    return orNullSchema(schemaOf(std::type_identity<T>(), context));
}
/// An object with these members and no others.
template<HasMembers T, typename Context>
Json objectSchema(Context& context) {
    Json members = Json::object();
    Json required = Json::array();
    T value{};
    visitMembers(value, [&]<typename Member>(const char* name, const Member&) {
        members[name] = schemaOf(std::type_identity<Member>(), context);
        required.push_back(name);
    });
    return {{"type", "object"},
            {"properties", std::move(members)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}
template<HasMembers T, typename Context>
Json schemaOf(std::type_identity<T>, Context& context) {
    return context.definitions.refer(typeid(T), aotscopeName(static_cast<const T*>(nullptr)),
                                     [&] { return objectSchema<T>(context); });
}
template<IsList T, typename Context>
Json schemaOf(std::type_identity<T>, Context& context) {
    using Item = std::remove_const_t<std::ranges::range_value_t<const T>>;
    return {{"type", "array"}, {"items", schemaOf(std::type_identity<Item>(), context)}};
}
template<typename K, typename V, typename C, typename Context>
Json schemaOf(std::type_identity<std::map<K, V, C>>, Context& context) {
    return {{"type", "array"},
            {"items",
             {{"type", "array"},
              {"prefixItems", Json::array({schemaOf(std::type_identity<K>(), context),
                                           schemaOf(std::type_identity<V>(), context)})},
              {"items", false}}}};
}
template<typename V, typename C, typename Context>
Json schemaOf(std::type_identity<std::map<std::string, V, C>>, Context& context) {
    return {{"type", "object"}, {"additionalProperties", schemaOf(std::type_identity<V>(), context)}};
}

} // namespace aotscope::base
