#pragma once

#include <Qt>

#include <cmath>
#include <optional>

/// How keys and the wheel move pictures that lie along a line: as in Perfetto, and the same in all of them.
namespace aotscope::views {

/// Either a zoom or a way along the line.
struct LineMove {
    /// By how much as much is larger than before; 1: it is no zoom.
    double zoom = 1;
    /// As a fraction of the visible width.
    double pan = 0;
};

/// W and S zoom, A and D pan; nothing for other keys.
[[nodiscard]] inline std::optional<LineMove> lineMoveOf(int key) {
    constexpr double zoom = 1.4;
    constexpr double pan = 0.15;
    switch (key) {
    case Qt::Key_W:
        return LineMove{zoom, 0};
    case Qt::Key_S:
        return LineMove{1 / zoom, 0};
    case Qt::Key_A:
        return LineMove{1, -pan};
    case Qt::Key_D:
        return LineMove{1, pan};
    default:
        return std::nullopt;
    }
}

/// The zoom of a turn of the wheel (QWheelEvent::angleDelta).
[[nodiscard]] inline double wheelZoom(int delta) {
    return std::pow(1.0015, delta);
}

} // namespace aotscope::views
