#pragma once

#include "layout/placement.h"

#include <cstddef>
#include <vector>

namespace aotscope::layout {

/// Boxes of a half at the same height on the page.
struct Row {
    double center = 0;
    double extent = 0;
    double moved = 0;
    std::vector<BoxId> boxes;
};

[[nodiscard]] std::vector<Row> findRows(const VisibleGraph& visible, std::size_t half,
                                        const Placement& placement);

/// Brings rows of the two halves level where boxes have partners, by widening gaps; keeps the order, and no
/// distance shrinks. Both halves have rows.
void alignRows(const VisibleGraph& visible, std::vector<Row>& forward, std::vector<Row>& backward);

/// The new y of an old y: shifted inside a row, stretched between rows.
[[nodiscard]] double movedY(const std::vector<Row>& rows, double y);

} // namespace aotscope::layout
