#pragma once

#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>

namespace aotscope::load {

/// Parsed JSON text as Python writes it; owns the memory that its elements point into.
class ParsedJson {
public:
    explicit ParsedJson(std::string_view json);
    /// Nothing: the text is not JSON, is nested too deeply, or is longer than `limit` bytes.
    [[nodiscard]] const std::optional<simdjson::dom::element>& root() const { return m_root; }

    static constexpr std::size_t limit = 64U << 20U;

private:
    simdjson::dom::parser m_parser;
    std::optional<simdjson::dom::element> m_root;
};

} // namespace aotscope::load
