#include "table.h"

#include "console.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace aotscope::cli {

namespace {

/// Code points; good enough for the names met in logs.
std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string scaled(double value, const char* unit) {
    std::array<char, 64> text{};
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
    return text.data();
}

} // namespace

void Table::add(std::vector<std::string> cells) {
    cells.resize(m_columns.size());
    for (std::string& cell : cells) {
        cell = printable(cell);
    }
    m_rows.push_back(std::move(cells));
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        std::size_t width = 0;
        for (const auto& row : m_rows) {
            width = std::max(width, widthOf(row[column]));
        }
        widths.push_back(width == 0 ? 0 : std::max(width, widthOf(m_columns[column].title)));
    }
    std::string out;
    const auto write = [&](const auto& cellOf) {
        std::string line;
        std::size_t gap = 0;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (widths[column] == 0) {
                continue;
            }
            const std::string& cell = cellOf(column);
            const std::size_t padding = widths[column] - widthOf(cell);
            const bool right = m_columns[column].align == Align::Right;
            line.append(gap + (right ? padding : 0), ' ');
            line += cell;
            gap = 2 + (right ? 0 : padding);
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
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.6g", *number);
    return text.data();
}

std::string countText(std::optional<std::int64_t> count) {
    return count ? std::to_string(*count) : std::string();
}

} // namespace aotscope::cli
