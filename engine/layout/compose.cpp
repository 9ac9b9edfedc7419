#include "layout/placement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace aotscope::layout {

namespace {

/// Width of the gap between the halves, where saved tensors cross.
constexpr double foldGap = 190;
constexpr double laneGap = 6;
constexpr std::uint32_t lanes = 8;
constexpr double laneMargin = 22;
constexpr double outputGap = 56;
/// An edge without a path is drawn directly between its boxes if it is no longer than this.
constexpr double shortEdge = 300;

Rect unite(const Rect& a, const Rect& b) {
    const double x = std::min(a.x, b.x);
    const double y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

/// The rectangle around others.
struct Around {
    std::optional<Rect> rect;

    void add(const Rect& other) { rect = rect ? unite(*rect, other) : other; }
};

class Composer {
public:
    Composer(VisibleGraph& visible, std::vector<Placement> halves)
        : m_visible(visible), m_layout(visible.layout), m_halves(std::move(halves)) {}

    void compose() {
        std::vector<Row> rows[2]; // NOLINT: one per half
        for (std::size_t half = 0; half < m_halves.size(); ++half) {
            rows[half] = findRows(m_visible, half, m_halves[half]);
        }
        if (!rows[0].empty() && !rows[1].empty()) {
            alignRows(m_visible, rows[0], rows[1]);
        }
        for (std::size_t half = 0; half < m_halves.size(); ++half) {
            move(half, rows[half]);
        }
        frameGroups();
        putSideBySide();
        placeOutput();
        for (std::uint32_t i = 0; i < m_layout.edges.size(); ++i) {
            route(m_layout.edges[i]);
        }
        toOrigin();
    }

private:
    Rect& rect(BoxId id) { return m_layout.boxes[id.index()].rect; }
    static Point center(const Rect& r) { return {r.x + r.width / 2, r.y + r.height / 2}; }

    void move(std::size_t half, const std::vector<Row>& rows) {
        Placement& placement = m_halves[half];
        for (const Row& row : rows) {
            for (const BoxId id : row.boxes) {
                const Point& at = placement.centers[id.index()];
                const double y = at.y + row.moved - row.center;
                rect(id).x = at.x - rect(id).width / 2;
                rect(id).y = y - rect(id).height / 2;
            }
        }
        for (std::size_t i = 0; i < placement.paths.size(); ++i) {
            if (!placement.paths[i].empty()) {
                m_layout.edges[i].path = std::move(placement.paths[i]);
                for (Point& point : m_layout.edges[i].path) {
                    point.y = movedY(rows, point.y);
                }
            }
        }
    }

    /// Groups are listed before the groups inside them, so walking backwards visits the inner ones first.
    void frameGroups() {
        std::vector<Around> content(m_layout.groups.size());
        const auto add = [&](GroupId id, const Rect& r) {
            if (id.valid()) {
                content[id.index()].add(r);
            }
        };
        for (const Box& box : m_layout.boxes) {
            add(frameOf(m_layout, box), box.rect);
        }
        for (std::size_t i = m_layout.groups.size(); i-- > 0;) {
            Group& group = m_layout.groups[i];
            if (!group.open || !content[i].rect) {
                continue;
            }
            const Rect& r = *content[i].rect;
            constexpr double margin = BoxMetrics::frameMargin;
            group.frame = {r.x - margin, r.y - margin - BoxMetrics::titleHeight, r.width + 2 * margin,
                           r.height + 2 * margin + BoxMetrics::titleHeight};
            add(group.parent, group.frame);
        }
    }

    std::optional<Rect> halfBounds(std::size_t half) {
        Around all;
        for (const BoxId id : m_visible.halves[half]) {
            all.add(rect(id));
        }
        for (const Group& group : m_layout.groups) {
            if (group.open && group.isBackward == (half == 1)) {
                all.add(group.frame);
            }
        }
        return all.rect;
    }

    void putSideBySide() {
        const std::optional<Rect> forward = halfBounds(0);
        const std::optional<Rect> backward = halfBounds(1);
        if (forward && backward) {
            shift(forward->x + forward->width + foldGap - backward->x, 0, true);
        }
        m_forward = forward.value_or(Rect{});
        m_backward = halfBounds(1).value_or(m_forward);
    }

    void placeOutput() {
        if (!m_visible.foldOutput.valid()) {
            return;
        }
        Rect& output = rect(m_visible.foldOutput);
        const double left = m_forward.x + m_forward.width;
        const double right = m_visible.halves[1].empty() ? left : m_backward.x;
        output.x = (left + right) / 2 - output.width / 2;
        output.y = std::max(m_forward.y + m_forward.height, m_backward.y + m_backward.height) + outputGap;
    }

    void route(Edge& edge) {
        const Rect& from = rect(edge.from);
        const Rect& to = rect(edge.to);
        if (!edge.path.empty()) {
            attach(edge);
        } else if (edge.kind == EdgeKind::Saved || m_visible.half(edge.from) != m_visible.half(edge.to)) {
            edge.path = edge.to == m_visible.foldOutput ? lane(edge, false) : across(from, to);
        } else if (edge.to == m_visible.foldOutput) {
            edge.path = lane(edge, true);
        } else {
            edge.path = within(edge, from, to);
        }
    }

    /// Moves the ends of a path back onto the boxes, because rows may have moved a little.
    void attach(Edge& edge) {
        const bool down = rect(edge.from).y < rect(edge.to).y;
        const Rect& from = rect(edge.from);
        const Rect& to = rect(edge.to);
        edge.path.front().y = down ? from.y + from.height : from.y;
        edge.path.back().y = down ? to.y : to.y + to.height;
    }

    std::vector<Point> within(const Edge& edge, const Rect& from, const Rect& to) {
        const bool backward = m_visible.half(edge.from) == 1;
        const double distance = std::abs(center(to).y - center(from).y);
        const bool along = backward ? center(to).y < center(from).y - 1 : center(to).y > center(from).y + 1;
        if (distance < 1) {
            return across(from, to);
        }
        const bool sameColumn = std::abs(center(from).x - center(to).x) < 1;
        const double gap = distance - (from.height + to.height) / 2;
        if (along && (sameColumn ? gap < BoxMetrics::height : distance < shortEdge)) {
            return straight(from, to);
        }
        return sameColumn ? bow(from, to, backward) : lane(edge, false);
    }

    static std::vector<Point> straight(const Rect& from, const Rect& to) {
        const bool down = from.y < to.y;
        const Point begin{center(from).x, down ? from.y + from.height : from.y};
        const Point end{center(to).x, down ? to.y : to.y + to.height};
        const double reach = (end.y - begin.y) / 2;
        return {begin, {begin.x, begin.y + reach}, {end.x, end.y - reach}, end};
    }

    /// A bow past the boxes of its column, on the side of the fold; wider for longer edges, up to a limit.
    static std::vector<Point> bow(const Rect& from, const Rect& to, bool backward) {
        constexpr double widest = 80;
        const double sign = backward ? -1 : 1;
        const auto side = [&](const Rect& r) { return backward ? r.x : r.x + r.width; };
        const double distance = std::abs(center(to).y - center(from).y);
        const double out = std::min(widest, 14 + 9 * std::log2(1 + distance / BoxMetrics::height));
        const double x =
            (backward ? std::min(side(from), side(to)) : std::max(side(from), side(to))) + sign * out;
        const Point begin{side(from), center(from).y};
        const Point end{side(to), center(to).y};
        return {begin, {x, begin.y}, {x, end.y}, end};
    }

    /// A path outside of all boxes: left of the forward half, right of the backward half. All edges of a
    /// source use the same lane, so that they look like one line with branches.
    std::vector<Point> lane(const Edge& edge, bool forwardResult) {
        const Rect& from = rect(edge.from);
        const Rect& to = rect(edge.to);
        const bool onRight = m_visible.half(edge.from) == 1 && !forwardResult;
        const double offset = laneMargin + laneGap * double(m_visible.order[edge.from.index()] % lanes);
        const double x = onRight ? m_backward.x + m_backward.width + offset : m_forward.x - offset;
        const double fromX = onRight ? from.x + from.width : from.x;
        const double toX = onRight ? to.x + to.width : to.x;
        const double fromY = center(from).y;
        const double toY = center(to).y;
        const double turn = std::min(24.0, std::abs(toY - fromY) / 2) * (toY > fromY ? 1 : -1);
        const Point top{x, fromY + turn};
        const Point bottom{x, toY - turn};
        return {{fromX, fromY},
                {x, fromY},
                {x, fromY},
                top,
                {x, (top.y + bottom.y) / 2},
                {x, (top.y + bottom.y) / 2},
                bottom,
                {x, toY},
                {x, toY},
                {toX, toY}};
    }

    void toOrigin() {
        const Rect bounds = boundsOf(m_layout);
        shift(-bounds.x, -bounds.y, false);
        m_layout.bounds = {0, 0, bounds.width, bounds.height};
    }

    /// Moves what the backward half has, or all.
    void shift(double dx, double dy, bool onlyBackward) {
        for (Box& box : m_layout.boxes) {
            box.rect.x += box.isBackward || !onlyBackward ? dx : 0;
            box.rect.y += box.isBackward || !onlyBackward ? dy : 0;
        }
        for (Group& group : m_layout.groups) {
            const bool moves = onlyBackward ? group.isBackward : group.open;
            group.frame.x += moves ? dx : 0;
            group.frame.y += moves ? dy : 0;
        }
        for (Edge& edge : m_layout.edges) {
            if (!onlyBackward || m_visible.half(edge.from) == 1) {
                for (Point& point : edge.path) {
                    point.x += dx;
                    point.y += dy;
                }
            }
        }
    }

    VisibleGraph& m_visible;
    Layout& m_layout;
    std::vector<Placement> m_halves;
    Rect m_forward;
    Rect m_backward;
};

} // namespace

std::vector<Point> across(const Rect& from, const Rect& to) {
    const bool rightwards = from.x < to.x;
    const Point begin{rightwards ? from.x + from.width : from.x, from.y + from.height / 2};
    const Point end{rightwards ? to.x : to.x + to.width, to.y + to.height / 2};
    const double reach = (end.x - begin.x) / 2;
    return {begin, {begin.x + reach, begin.y}, {end.x - reach, end.y}, end};
}

Rect boundsOf(const Layout& layout) {
    constexpr double margin = 16;
    Around all;
    for (const Box& box : layout.boxes) {
        all.add(box.rect);
    }
    for (const Group& group : layout.groups) {
        if (group.open) {
            all.add(group.frame);
        }
    }
    for (const Edge& edge : layout.edges) {
        for (const Point& point : edge.path) {
            all.add({point.x, point.y, 0, 0});
        }
    }
    const Rect content = all.rect.value_or(Rect{});
    return {content.x - margin, content.y - margin, content.width + 2 * margin, content.height + 2 * margin};
}

void compose(VisibleGraph& visible, std::vector<Placement> halves) {
    Composer(visible, std::move(halves)).compose();
}

} // namespace aotscope::layout
