#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::cli {

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
    /// Extra cells are dropped, missing ones are empty. Control characters are replaced.
    void add(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    /// With column titles. Columns without any content are left out.
    [[nodiscard]] std::string text() const { return text(0); }
    /// The same with lines of at most `widest` columns (0: no limit), texts shortened with "…". The first
    /// column, numbers and titles are never shortened, so a narrow terminal may still wrap.
    [[nodiscard]] std::string text(std::size_t widest) const;

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
/// "97.3 %", rounded down so that 100 % means all.
[[nodiscard]] std::string roundedDownPercent(double share);
/// "12.3 ms", "4.56 s", "7 µs".
[[nodiscard]] std::string durationText(std::int64_t nanoseconds);
/// Up to six significant digits; empty if there is no number.
[[nodiscard]] std::string numberText(std::optional<double> number);
/// The number, or empty.
[[nodiscard]] std::string countText(std::optional<std::int64_t> count);

} // namespace aotscope::cli
