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
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}
    /// Cells beyond the columns are dropped, missing ones are empty. Control characters are made harmless.
    void add(std::vector<std::string> cells);
    [[nodiscard]] bool empty() const { return m_rows.empty(); }
    /// With the titles; columns that are empty in every row are left out.
    [[nodiscard]] std::string text() const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// "1.5 MB" (powers of 1000).
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// "12.3 ms", "4.56 s", "7 µs".
[[nodiscard]] std::string durationText(std::int64_t nanoseconds);
/// Up to six significant digits; empty for nothing.
[[nodiscard]] std::string numberText(std::optional<double> number);
/// The number, or empty.
[[nodiscard]] std::string countText(std::optional<std::int64_t> count);

} // namespace aotscope::cli
