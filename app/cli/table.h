#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Aligned columns for people: texts to the left, numbers to the right.
class Table {
public:
    enum class Align { Left, Right };
    enum class Kept { Start, End };
    struct Column {
        std::string title;
        Align align = Align::Left;
        /// Which end of a long text is kept; for paths it is the end.
        Kept kept = Kept::Start;
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

/// "1.5 MB" (powers of 1000).
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// "12.3 ms", "4.56 s", "7 µs".
[[nodiscard]] std::string durationText(std::int64_t nanoseconds);
/// Up to six significant digits; empty if there is no number.
[[nodiscard]] std::string numberText(std::optional<double> number);
/// The number, or empty.
[[nodiscard]] std::string countText(std::optional<std::int64_t> count);

} // namespace aotscope::cli
