#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Building of JSON text for json_writer.cpp: as fast as appending to a string.
namespace aotscope::ir::detail {

/// Appends JSON to a string; separators within objects and lists are put in by itself. Not checked: the
/// caller nests and closes properly.
class JsonWriter {
public:
    void openObject() { open('{'); }
    void closeObject() { close('}'); }
    void openList() { open('['); }
    void closeList() { close(']'); }
    /// The same as a member of an object.
    void openObject(std::string_view name) {
        key(name);
        openObject();
    }
    void openList(std::string_view name) {
        key(name);
        openList();
    }
    /// A line break before the next item, for one item per line.
    void lineBreak();
    void key(std::string_view name);

    /// Bytes that are no UTF-8 become U+FFFD.
    void string(std::string_view text);
    void integer(std::int64_t value);
    void boolean(bool value) { raw(value ? "true" : "false"); }
    void null() { raw("null"); }
    /// Finite numbers so that reading gives the same bits, always with a point or exponent;
    /// {"float": "inf"} for the others.
    void number(double value);
    /// Text that is JSON already.
    void raw(std::string_view json);

    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    void open(char bracket);
    void close(char bracket);
    void separate();

    std::string m_text;
    /// Whether the next item follows another one in its object or list.
    bool m_follows = false;
};

} // namespace aotscope::ir::detail
