#pragma once

// Shared by the source files of MemoryPainter.
#include "memory/memory_painter.h"

#include "common/format.h"

#include <QPainter>

#include <vector>

namespace aotscope::views {

namespace memory_picture {

inline constexpr double leftMargin = 72;
inline constexpr double rightMargin = 12;
inline constexpr double topMargin = 20;
inline constexpr double bottomMargin = 22;

[[nodiscard]] inline const std::vector<std::int64_t>& curveOf(const memory::MemoryProfile& profile,
                                                              memory::BandStack::Inputs inputs) {
    return inputs == memory::BandStack::Inputs::Shown ? profile.bytes : profile.intermediateBytes;
}

/// 1, 2 or 5 times a power of ten of the unit, so that about `lines` of them fit.
[[nodiscard]] std::int64_t gridStep(std::int64_t length, const Unit& unit, double lines);

} // namespace memory_picture

struct MemoryPainter::Frame {
    QPainter& painter;
    const MemoryLook& look;
    QRectF area;
    QRectF plot;
    double pixelsPerByte;

    [[nodiscard]] double x(double position) const { return xOf(look, plot, position); }
    [[nodiscard]] double y(std::int64_t bytes) const { return plot.bottom() - double(bytes) * pixelsPerByte; }
};

} // namespace aotscope::views
