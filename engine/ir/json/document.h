#pragma once

#include "base/result.h"

#include <simdjson.h>

#include <memory>
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

} // namespace aotscope::ir::detail
