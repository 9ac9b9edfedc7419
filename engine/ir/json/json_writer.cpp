#include "ir/json/json_writer.h"

#include "base/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace aotscope::ir::detail {
void JsonWriter::separate() {
    if (m_follows) {
        m_text += m_text.back() == '\n' ? "" : ", ";
    }
    m_follows = true;
}

void JsonWriter::open(char bracket) {
    separate();
    m_text += bracket;
    m_follows = false;
}

void JsonWriter::close(char bracket) {
    m_text += bracket;
    m_follows = true;
}

void JsonWriter::lineBreak() {
    m_text += m_follows ? ",\n" : "\n";
    m_follows = false;
}

void JsonWriter::key(std::string_view name) {
    string(name);
    m_text += ": ";
    m_follows = false;
}

void JsonWriter::string(std::string_view text) {
    separate();
    base::appendJsonString(m_text, text);
}

void JsonWriter::integer(std::int64_t value) {
    std::array<char, 24> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    raw({digits.data(), result.ptr});
}

void JsonWriter::number(double value) {
    if (!std::isfinite(value)) {
        openObject();
        key("float");
        const std::string_view magnitude = std::isnan(value) ? "nan" : "inf";
        string((std::signbit(value) ? "-" : "") + std::string(magnitude));
        closeObject();
        return;
    }
    separate();
    std::array<char, 32> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    const std::string_view text(digits.data(), static_cast<std::size_t>(result.ptr - digits.data()));
    m_text += text;
    if (text.find_first_of(".e") == std::string_view::npos) {
        m_text += ".0";
    }
}

void JsonWriter::raw(std::string_view json) {
    separate();
    m_text += json;
}

} // namespace aotscope::ir::detail
