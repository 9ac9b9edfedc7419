#pragma once

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace aotscope::cli {

/// What a cell or a sentence says of a value: a text, a whole number, an enumeration's word, what has a
/// text(); nothing for an optional without a value.
class Cell {
public:
    Cell() = default;
    template<typename Value>
    Cell(const Value& value) { // NOLINT: implicit by intent
        if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
            m_text = std::string_view(value);
        } else if constexpr (std::is_integral_v<Value>) {
            static_assert(!std::is_same_v<Value, bool> && !std::is_same_v<Value, char>);
            m_text = std::to_string(value);
        } else if constexpr (base::HasWords<Value>) {
            m_text = base::wordOf(value);
        } else if constexpr (requires { value.has_value(); }) {
            m_text = value ? Cell(*value).text() : std::string();
        } else {
            m_text = value.text();
        }
    }
    Cell(std::string&& text) : m_text(std::move(text)) {} // NOLINT: implicit by intent
    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_text;
};
using Cells = std::vector<Cell>;

/// The parts one after the other: textOf(3, " nodes of ", name).
template<typename... Parts>
[[nodiscard]] std::string textOf(const Parts&... parts) {
    return (std::string() + ... + Cell(parts).text());
}
/// "1 node", "3 nodes": the number with the word for it.
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& one, const std::string& many);
[[nodiscard]] inline std::string counted(std::uint64_t count, const std::string& one) {
    return counted(count, one, one + "s");
}

/// Aligned columns for people: texts to the left, numbers to the right.
class Table {
public:
    enum class Align { Left, Right };
    enum class Kept { Start, End };
    struct Column {
        Column(std::string heading, Align side = Align::Left, Kept end = Kept::Start) // NOLINT: implicit
            : title(std::move(heading)), align(side), kept(end) {}
        Column(const char* heading) : Column(std::string(heading)) {} // NOLINT: implicit by intent

        std::string title;
        Align align;
        /// Which end of a long text is kept.
        Kept kept;
    };

    explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}
    /// A row of these cells, one list behind the other. Extra cells are dropped, missing ones are empty.
    /// Control characters are replaced.
    void add(const Cells& cells, const Cells& more = {}, const Cells& last = {});
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    /// With column titles. Columns without any content are left out.
    [[nodiscard]] std::string text() const { return text(0); }
    /// The same with lines of at most `widest` columns (0: no limit), texts shortened with "…". The first
    /// column, numbers and titles are never shortened, so a narrow terminal may still wrap.
    [[nodiscard]] std::string text(std::size_t widest) const;
    /// As wide as the terminal allows.
    [[nodiscard]] std::string shown() const;

private:
    [[nodiscard]] std::vector<std::size_t> widths() const;
    void shrink(std::vector<std::size_t>& widths, std::size_t widest) const;

    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// A column of numbers, which are at its right side.
[[nodiscard]] inline Table::Column numbers(std::string title) {
    return {std::move(title), Table::Align::Right};
}

/// A column of paths, whose ends are kept.
[[nodiscard]] inline Table::Column paths(std::string title) {
    return {std::move(title), Table::Align::Left, Table::Kept::End};
}

/// "… and 3 more" with a line break, for a list of which only the first `most` are shown; else empty.
[[nodiscard]] std::string moreText(std::size_t count, std::size_t most, const char* what = "more");

/// "1.5 MB" (powers of 1000).
[[nodiscard]] std::string bytesText(std::int64_t bytes);
[[nodiscard]] inline std::string sizeText(std::uint64_t bytes) {
    return bytesText(static_cast<std::int64_t>(bytes));
}
/// "97.3 %", rounded down so that 100 % means all.
[[nodiscard]] std::string roundedDownPercent(double share);
/// Three significant digits.
[[nodiscard]] std::string threeDigits(double number);
/// "12.3 ms", "4.56 s", "7 µs".
[[nodiscard]] std::string durationText(std::int64_t nanoseconds);
/// Up to six significant digits; empty if there is no number.
[[nodiscard]] std::string numberText(std::optional<double> number);

} // namespace aotscope::cli
