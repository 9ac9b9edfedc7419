#include "graph/spatial_index.h"

#include <algorithm>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr double itemsPerCell = 4;
constexpr int mostCellsPerSide = 4'096;
constexpr int mostCellsOfItem = 64;

QRectF boundsOf(const std::vector<QRectF>& rects) {
    QRectF bounds;
    for (const QRectF& rect : rects) {
        bounds = bounds.isNull() ? rect : bounds.united(rect);
    }
    return bounds;
}

} // namespace

SpatialIndex::SpatialIndex(std::vector<QRectF> rects) : m_rects(std::move(rects)) {
    // A straight edge has an empty rectangle, which QRectF's intersection tests ignore.
    for (QRectF& rect : m_rects) {
        rect.setWidth(std::max(rect.width(), 0.01));
        rect.setHeight(std::max(rect.height(), 0.01));
    }
    if (m_rects.empty()) {
        return;
    }
    m_bounds = boundsOf(m_rects);
    const double cells = std::max(1.0, double(m_rects.size()) / itemsPerCell);
    const double side = std::sqrt(m_bounds.width() * m_bounds.height() / cells);
    m_columns = std::clamp(int(m_bounds.width() / side) + 1, 1, mostCellsPerSide);
    m_rows = std::clamp(int(m_bounds.height() / side) + 1, 1, mostCellsPerSide);
    m_cellWidth = m_bounds.width() / m_columns;
    m_cellHeight = m_bounds.height() / m_rows;

    const auto isLarge = [](const Cells& own) {
        return (own.right - own.left + 1) * (own.bottom - own.top + 1) > mostCellsOfItem;
    };
    m_offsets.assign(std::size_t(m_columns) * std::size_t(m_rows) + 1, 0);
    const auto forEachCell = [&](const auto& visit) {
        for (std::uint32_t item = 0; item < m_rects.size(); ++item) {
            const Cells own = cellsOf(m_rects[item]);
            for (int row = own.top; !isLarge(own) && row <= own.bottom; ++row) {
                for (int column = own.left; column <= own.right; ++column) {
                    visit(std::size_t(row) * std::size_t(m_columns) + std::size_t(column), item);
                }
            }
        }
    };
    forEachCell([&](std::size_t cell, std::uint32_t) { ++m_offsets[cell + 1]; });
    for (std::size_t cell = 1; cell < m_offsets.size(); ++cell) {
        m_offsets[cell] += m_offsets[cell - 1];
    }
    m_items.resize(m_offsets.back());
    std::vector<std::uint32_t> next(m_offsets.begin(), m_offsets.end() - 1);
    forEachCell([&](std::size_t cell, std::uint32_t item) { m_items[next[cell]++] = item; });
    for (std::uint32_t item = 0; item < m_rects.size(); ++item) {
        if (isLarge(cellsOf(m_rects[item]))) {
            m_large.push_back(item);
        }
    }
}

SpatialIndex::Cells SpatialIndex::cellsOf(const QRectF& rect) const {
    const auto cell = [](double offset, double size, int count) {
        return int(std::clamp(std::floor(offset / size), 0.0, double(count - 1)));
    };
    return {cell(rect.left() - m_bounds.left(), m_cellWidth, m_columns),
            cell(rect.top() - m_bounds.top(), m_cellHeight, m_rows),
            cell(rect.right() - m_bounds.left(), m_cellWidth, m_columns),
            cell(rect.bottom() - m_bounds.top(), m_cellHeight, m_rows)};
}

} // namespace aotscope::views
