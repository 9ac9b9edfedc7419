#include "ir/json/graph_fields.h"

#include <limits>

namespace aotscope::ir::detail {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

namespace {

int asLine(std::int64_t line) {
    return line < 0 || line > std::numeric_limits<int>::max() ? 0 : static_cast<int>(line);
}

} // namespace

std::optional<std::string_view> stringField(object from, std::string_view key) {
    const std::optional<element> found = tryField(from, key);
    return found ? asString(*found) : std::nullopt;
}

std::optional<std::int64_t> integerField(object from, std::string_view key) {
    const std::optional<element> found = tryField(from, key);
    return found ? asInteger(*found) : std::nullopt;
}

bool boolField(object from, std::string_view key) {
    const std::optional<element> found = tryField(from, key);
    bool value = false;
    return found && found->get(value) == simdjson::SUCCESS && value;
}

NodeOrigin readOrigin(object from) {
    NodeOrigin origin;
    if (const std::optional<std::string_view> file = stringField(from, "file")) {
        origin.source = SourceLocation{std::string(*file), asLine(integerField(from, "line").value_or(0)),
                                       std::string(stringField(from, "function").value_or("")),
                                       std::string(stringField(from, "code").value_or(""))};
    }
    origin.backwardOfForward = boolField(from, "backward_of_forward");
    origin.recompute = stringField(from, "recompute").value_or("");
    origin.acGraphId = integerField(from, "ac_graph_id");
    origin.annotation = stringField(from, "annotation").value_or("");
    origin.other = stringField(from, "other").value_or("");
    return origin;
}

std::vector<std::string> readStrings(object from, std::string_view key) {
    std::vector<std::string> strings;
    const std::optional<element> found = tryField(from, key);
    array list;
    if (found && found->get(list) == simdjson::SUCCESS) {
        for (const element item : list) {
            std::string_view text;
            if (item.get(text) == simdjson::SUCCESS) {
                strings.emplace_back(text);
            }
        }
    }
    return strings;
}

TextStyle readStyle(object from) {
    TextStyle style;
    style.className = stringField(from, "class_name").value_or(style.className);
    style.expandedDefinition = boolField(from, "expanded_definition");
    style.pytree = boolField(from, "pytree");
    style.pytreeInputs = readStrings(from, "pytree_inputs");
    const std::optional<element> notes = tryField(from, "notes");
    object entries;
    if (notes && notes->get(entries) == simdjson::SUCCESS) {
        for (const auto entry : entries) {
            std::string_view text;
            if (entry.value.get(text) == simdjson::SUCCESS) {
                style.notes.emplace(entry.key, text);
            }
        }
    }
    return style;
}

SymbolBindings readHints(object style) {
    SymbolBindings hints;
    const std::optional<element> found = tryField(style, "symbol_hints");
    object entries;
    if (found && found->get(entries) == simdjson::SUCCESS) {
        for (const auto entry : entries) {
            std::int64_t value = 0;
            if (entry.value.get(value) == simdjson::SUCCESS) {
                hints.emplace(entry.key, value);
            }
        }
    }
    return hints;
}

std::optional<PartitionerTag> partitionerTag(std::string_view text) {
    return text.empty() ? std::nullopt : base::fromWord<PartitionerTag>(text);
}

} // namespace aotscope::ir::detail
