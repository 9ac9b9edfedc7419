#pragma once

#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>

namespace aotscope::load {

/// Rewrites the output of Python's json module for a strict parser: NaN and infinities become null, integers
/// that do not fit a machine word become fractions, lone surrogates and invalid UTF-8 become the replacement
/// character. Leaves anything else unchanged, valid or not. Returns whether a string held invalid UTF-8.
bool strictJson(std::string_view json, std::string& out);

/// A value as that type (simdjson's, for example std::string_view); nothing: it is missing or of another
/// type.
template<typename T, typename Value>
[[nodiscard]] std::optional<T> valueAs(const Value& value) {
    T found{};
    return value.get(found) == simdjson::SUCCESS ? std::optional<T>(found) : std::nullopt;
}

/// Parsed JSON text as Python writes it; owns the memory that its elements point into.
class ParsedJson {
public:
    explicit ParsedJson(std::string_view json);
    /// An error: the text is not JSON, is nested too deeply, or is longer than `limit` bytes.
    [[nodiscard]] const simdjson::simdjson_result<simdjson::dom::element>& root() const { return m_root; }

    static constexpr std::size_t limit = 64U << 20U;

private:
    simdjson::dom::parser m_parser;
    simdjson::simdjson_result<simdjson::dom::element> m_root = simdjson::EMPTY;
};

} // namespace aotscope::load
