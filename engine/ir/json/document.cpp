#include "ir/json/document.h"

#include "base/bounded_json.h"
#include "base/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace aotscope::ir::detail {
namespace {

/// Deeper than any graph PyTorch writes, and shallow enough for readers that recurse.
constexpr std::size_t maxDepth = 1000;

std::string literalReplacement(std::string_view digits) {
    if (digits == "NaN") {
        return R"({"float": "nan"})";
    }
    if (digits.ends_with("Infinity")) {
        return R"({"float": ")" + std::string(digits.front() == '-' ? "-inf" : "inf") + "\"}";
    }
    const char* const end = digits.data() + digits.size();
    if (digits.find_first_of(".eE") != std::string_view::npos) {
        double value = 0;
        const auto result = std::from_chars(digits.data(), end, value);
        if (result.ec != std::errc::result_out_of_range) {
            return std::string(digits);
        }
        const std::size_t exponent = digits.find_first_of("eE");
        const bool tiny = exponent != std::string_view::npos && digits.substr(exponent + 1, 1) == "-";
        const std::string sign = digits.front() == '-' ? "-" : "";
        return tiny ? sign + "0.0" : "{\"float\": \"" + sign + "inf\"}";
    }
    std::int64_t value = 0;
    const auto result = std::from_chars(digits.data(), end, value);
    return result.ec == std::errc::result_out_of_range && result.ptr == end
               ? "{\"opaque\": \"" + std::string(digits) + "\", \"nodes\": []}"
               : std::string(digits);
}

/// Where a stricter reader finds the mistake, and what it says of it.
class SyntaxProbe
    : public base::BoundedReader<nlohmann::detail::json_sax_acceptor<nlohmann::json>, maxDepth> {
public:
    bool parse_error(std::size_t position, const std::string& token,
                     const nlohmann::detail::exception& /*why*/) {
        at = position;
        offending = token;
        return false;
    }

    std::size_t at = 0;
    std::string offending;
};

base::Error syntaxError(std::string_view text, simdjson::error_code code) {
    base::Error error{"ir.json_syntax", "This is not well-formed JSON."};
    if (code == simdjson::DEPTH_ERROR) {
        error.message = "The JSON is nested deeper than " + std::to_string(maxDepth) + " levels.";
        return error;
    }
    if (code == simdjson::CAPACITY || code == simdjson::MEMALLOC) {
        error.message = "The JSON is too large to be read at once.";
        return error;
    }
    SyntaxProbe probe;
    nlohmann::json::sax_parse(text.begin(), text.end(), &probe);
    const std::size_t position = std::min(probe.at == 0 ? 0 : probe.at - 1, text.size());
    const std::string_view before = text.substr(0, position);
    error.place.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t newline = before.rfind('\n');
    error.place.column = position - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    if (!probe.offending.empty()) {
        error.notes.push_back("found: " + probe.offending.substr(0, 80));
    }
    error.hint = "The file may be cut off, or it may be another kind of file.";
    return error;
}

} // namespace

std::string replaceForeignNumbers(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    base::rewriteJson(
        text, out, [](std::string_view string) { return string; }, literalReplacement);
    return out;
}

base::Result<JsonDocument> JsonDocument::parse(std::string_view text) {
    JsonDocument document;
    document.m_parser = std::make_unique<simdjson::dom::parser>();
    simdjson::error_code code = document.m_parser->allocate(std::max<std::size_t>(text.size(), 1), maxDepth);
    if (code == simdjson::SUCCESS) {
        code = document.m_parser->parse(text.data(), text.size()).get(document.m_root);
    }
    if (code != simdjson::SUCCESS && code != simdjson::CAPACITY && code != simdjson::MEMALLOC) {
        const std::string replaced = replaceForeignNumbers(text);
        if (replaced != text && document.m_parser->allocate(replaced.size(), maxDepth) == simdjson::SUCCESS &&
            document.m_parser->parse(replaced.data(), replaced.size()).get(document.m_root) ==
                simdjson::SUCCESS) {
            code = simdjson::SUCCESS;
        }
    }
    if (code != simdjson::SUCCESS) {
        return syntaxError(text, code);
    }
    return document;
}

} // namespace aotscope::ir::detail
