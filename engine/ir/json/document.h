#pragma once

#include "base/result.h"

#include <simdjson.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::ir::detail {

/// JSON text read into simdjson's tree. Python writes three things that JSON forbids or simdjson refuses;
/// they are read as the objects that this program writes for them: NaN, Infinity and -Infinity as {"float":
/// "nan"}, numbers past the range of a double as {"float": "inf"}, integers past 64 bits as {"opaque":
/// digits}.
class JsonDocument {
public:
    /// Errors: ir.json_syntax with line, column and the offending text.
    [[nodiscard]] static base::Result<JsonDocument> parse(std::string_view text);

    [[nodiscard]] simdjson::dom::element root() const { return m_root; }

private:
    // On the heap, because the tree points into its parser.
    std::unique_ptr<simdjson::dom::parser> m_parser;
    simdjson::dom::element m_root;
};

/// `text` with the forms above replaced; everything else, also what is broken, is left alone.
[[nodiscard]] std::string replaceForeignNumbers(std::string_view text);

[[nodiscard]] inline std::string_view withoutPrefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Nothing for a value of another type.
template<typename T>
[[nodiscard]] std::optional<T> tryAs(simdjson::dom::element value) {
    T read{};
    return value.get(read) == simdjson::SUCCESS ? std::optional<T>(read) : std::nullopt;
}

/// Nothing for a field that is missing or of another type; any type: simdjson::dom::element.
template<typename T>
[[nodiscard]] std::optional<T> tryField(simdjson::dom::object from, std::string_view key) {
    T read{};
    return from.at_key(key).get(read) == simdjson::SUCCESS ? std::optional<T>(read) : std::nullopt;
}

} // namespace aotscope::ir::detail
