#include "table.h"

#include "console.h"

#include "base/formatted.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace aotscope::cli {

namespace {

constexpr std::size_t gapWidth = 2;

/// In code points, which is close enough for the names in logs.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Byte offset of the `count`-th code point.
std::size_t offsetOf(const std::string& text, std::size_t count) {
    std::size_t offset = 0;
    for (std::size_t seen = 0; offset < text.size(); ++offset) {
        const bool starts = (static_cast<unsigned char>(text[offset]) & 0xC0U) != 0x80U;
        if (starts && seen++ == count) {
            break;
        }
    }
    return offset;
}

std::string shortened(const std::string& text, std::size_t width, Table::Kept kept) {
    const std::size_t whole = widthOf(text);
    if (whole <= width) {
        return text;
    }
    if (kept == Table::Kept::End) {
        return "…" + text.substr(offsetOf(text, whole - width + 1));
    }
    return text.substr(0, offsetOf(text, width - 1)) + "…";
}

std::string scaled(double value, const char* unit) {
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return base::formatted("%.*f %s", decimals, value, unit);
}

} // namespace

void Table::add(const Cells& cells, const Cells& more, const Cells& last) {
    std::vector<std::string>& row = m_rows.emplace_back();
    for (const Cells* part : {&cells, &more, &last}) {
        std::ranges::transform(*part, std::back_inserter(row),
                               [](const Cell& cell) { return printable(cell.text()); });
    }
    row.resize(m_columns.size());
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        std::size_t width = 0;
        for (const auto& row : m_rows) {
            width = std::max(width, widthOf(row[column]));
        }
        widths.push_back(width == 0 ? 0 : std::max(width, widthOf(m_columns[column].title)));
    }
    return widths;
}

/// Shortens the widest text until the line fits.
void Table::shrink(std::vector<std::size_t>& widths, std::size_t widest) const {
    constexpr std::size_t narrowestText = 12;
    std::size_t all = 0;
    for (const std::size_t width : widths) {
        all += width == 0 ? 0 : width + gapWidth;
    }
    all -= std::min(all, gapWidth);
    while (all > widest) {
        std::size_t longest = 0;
        for (std::size_t column = 1; column < widths.size(); ++column) {
            const std::size_t least = std::max(narrowestText, widthOf(m_columns[column].title));
            const bool canShrink = m_columns[column].align == Align::Left && widths[column] > least;
            if (canShrink && (longest == 0 || widths[column] > widths[longest])) {
                longest = column;
            }
        }
        if (longest == 0) {
            return;
        }
        --widths[longest];
        --all;
    }
}

std::string Table::text(std::size_t widest) const {
    std::vector<std::size_t> columnWidths = widths();
    if (widest > 0) {
        shrink(columnWidths, widest);
    }
    std::string out;
    const auto write = [&](const auto& cellOf) {
        std::string line;
        std::size_t gap = 0;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (columnWidths[column] == 0) {
                continue;
            }
            const std::string cell = shortened(cellOf(column), columnWidths[column], m_columns[column].kept);
            const std::size_t padding = columnWidths[column] - widthOf(cell);
            const bool right = m_columns[column].align == Align::Right;
            line.append(gap + (right ? padding : 0), ' ');
            line += cell;
            gap = gapWidth + (right ? 0 : padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    write([&](std::size_t column) -> const std::string& { return m_columns[column].title; });
    for (const auto& row : m_rows) {
        write([&](std::size_t column) -> const std::string& { return row[column]; });
    }
    return out;
}

std::string Table::shown() const {
    return text(resultWidth());
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string moreText(std::size_t count, std::size_t most, const char* what) {
    return count > most ? textOf("… and ", count - most, " ", what, "\n") : std::string();
}

std::string bytesText(std::int64_t bytes) {
    constexpr std::array units{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        return std::to_string(bytes) + " B";
    }
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    while (value >= 1000 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return scaled(value, units.at(unit));
}

std::string roundedDownPercent(double share) {
    return base::formatted("%.1f %%", std::floor(share * 1000.0) / 10.0);
}

std::string threeDigits(double number) {
    return number == 0 ? "0" : base::formatted("%.3g", number);
}

std::string durationText(std::int64_t nanoseconds) {
    const auto value = static_cast<double>(nanoseconds);
    if (value < 1e6) {
        return scaled(value / 1e3, "µs");
    }
    return value < 1e9 ? scaled(value / 1e6, "ms") : scaled(value / 1e9, "s");
}

std::string numberText(std::optional<double> number) {
    if (!number) {
        return {};
    }
    return base::formatted("%.6g", *number);
}

} // namespace aotscope::cli
