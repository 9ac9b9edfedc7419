#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What readers and writers of JSON text have in common beside the JSON libraries.
namespace aotscope::base {

/// The position after the string that `at` lies in, just behind its opening quote; `text.size()` if it is not
/// closed.
[[nodiscard]] std::size_t endOfJsonString(std::string_view text, std::size_t at);

/// Appends text as a JSON string; bytes that are no UTF-8 become U+FFFD.
void appendJsonString(std::string& out, std::string_view text);

/// Copies JSON, right or wrong, with each number and each NaN, Infinity and -Infinity, which Python writes,
/// as `literal` returns it, and each string with its quotes as `string` does.
template<typename String, typename Literal>
void rewriteJson(std::string_view text, std::string& out, String&& string, Literal&& literal) {
    constexpr std::string_view digits = "0123456789";
    const std::string_view words[] = {"NaN", "Infinity", "-Infinity"};
    while (!text.empty()) {
        std::size_t length = 0;
        for (const std::string_view word : words) {
            length = text.starts_with(word) ? word.size() : length;
        }
        if (length == 0 && (text.front() == '-' || digits.find(text.front()) != std::string_view::npos)) {
            length = text.find_first_not_of("0123456789+-.eE", 1);
        }
        if (length > 0) {
            out += literal(text.substr(0, length));
        } else if (text.front() == '"') {
            length = endOfJsonString(text, 1);
            out += string(text.substr(0, length));
        } else {
            length = text.find_first_of("0123456789-NI\"", 1);
            out += text.substr(0, length);
        }
        text.remove_prefix(length < text.size() ? length : text.size());
    }
}

} // namespace aotscope::base
