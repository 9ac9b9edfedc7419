#pragma once

#include <QRectF>

#include <cstdint>
#include <vector>

namespace aotscope::views {

/// A uniform grid over rectangles. Finds those that intersect a rectangle without examining all.
class SpatialIndex {
public:
    SpatialIndex() = default;
    explicit SpatialIndex(std::vector<QRectF> rects);

    [[nodiscard]] std::size_t size() const { return m_rects.size(); }
    [[nodiscard]] const QRectF& rect(std::uint32_t item) const { return m_rects[item]; }

    /// Calls `visit(item)` once for each rectangle that intersects `area`, in no particular order.
    template<typename Visit>
    void forEachIn(const QRectF& area, Visit&& visit) const {
        for (const std::uint32_t item : m_large) {
            if (m_rects[item].intersects(area)) {
                visit(item);
            }
        }
        if (m_columns == 0 || !area.intersects(m_bounds)) {
            return;
        }
        const Cells range = cellsOf(area);
        for (int row = range.top; row <= range.bottom; ++row) {
            for (int column = range.left; column <= range.right; ++column) {
                const std::size_t cell = std::size_t(row) * std::size_t(m_columns) + std::size_t(column);
                for (std::uint32_t i = m_offsets[cell]; i < m_offsets[cell + 1]; ++i) {
                    const std::uint32_t item = m_items[i];
                    const Cells own = cellsOf(m_rects[item]);
                    // An item in several cells is reported only from the first of them.
                    const bool first =
                        row == std::max(own.top, range.top) && column == std::max(own.left, range.left);
                    if (first && m_rects[item].intersects(area)) {
                        visit(item);
                    }
                }
            }
        }
    }

private:
    struct Cells {
        int left = 0;
        int top = 0;
        int right = 0;
        int bottom = 0;
    };
    [[nodiscard]] Cells cellsOf(const QRectF& rect) const;

    std::vector<QRectF> m_rects;
    QRectF m_bounds;
    int m_columns = 0;
    int m_rows = 0;
    double m_cellWidth = 1;
    double m_cellHeight = 1;
    std::vector<std::uint32_t> m_offsets;
    std::vector<std::uint32_t> m_items;
    /// Items that would fill many cells; always examined.
    std::vector<std::uint32_t> m_large;
};

} // namespace aotscope::views
