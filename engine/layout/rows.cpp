#include "layout/placement.h"

#include <algorithm>
#include <utility>

namespace aotscope::layout {

std::vector<Row> findRows(const VisibleGraph& visible, std::size_t half, const Placement& placement) {
    std::vector<BoxId> sorted = visible.halves[half];
    const auto y = [&](BoxId id) { return placement.centers[id.index()].y; };
    std::ranges::stable_sort(sorted, {}, y);
    std::vector<Row> rows;
    for (const BoxId id : sorted) {
        if (rows.empty() || y(id) > rows.back().center + 1) {
            rows.push_back({y(id), 0, y(id), {}});
        }
        Row& row = rows.back();
        row.extent = std::max(row.extent, visible.layout.boxes[id.index()].rect.height / 2);
        row.boxes.push_back(id);
    }
    return rows;
}

namespace {

/// Pairs (forward row, backward row) to be aligned, increasing on both sides. Each backward row wants to be
/// level with the middle row of its partners; the longest sequence of such pairs that fit together is chosen.
std::vector<std::pair<std::size_t, std::size_t>>
findAnchors(const VisibleGraph& visible, const std::vector<Row>& forward, const std::vector<Row>& backward) {
    std::vector<std::size_t> rowOf(visible.layout.boxes.size(), forward.size());
    for (std::size_t i = 0; i < forward.size(); ++i) {
        for (const BoxId id : forward[i].boxes) {
            rowOf[id.index()] = i;
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> wishes;
    for (std::size_t j = 0; j < backward.size(); ++j) {
        std::vector<std::size_t> targets;
        for (const BoxId id : backward[j].boxes) {
            const BoxId partner = visible.partner[id.index()];
            if (partner.valid() && rowOf[partner.index()] < forward.size()) {
                targets.push_back(rowOf[partner.index()]);
            }
        }
        if (!targets.empty()) {
            const auto middle = targets.begin() + std::ptrdiff_t(targets.size() / 2);
            std::ranges::nth_element(targets, middle);
            wishes.emplace_back(*middle, j);
        }
    }
    // Longest strictly increasing subsequence of the forward rows.
    constexpr std::size_t none = std::size_t(-1);
    std::vector<std::size_t> tails;
    std::vector<std::size_t> previous(wishes.size(), none);
    for (std::size_t k = 0; k < wishes.size(); ++k) {
        const auto at = std::ranges::lower_bound(tails, wishes[k].first, {},
                                                 [&](std::size_t index) { return wishes[index].first; });
        if (at != tails.begin()) {
            previous[k] = *(at - 1);
        }
        if (at == tails.end()) {
            tails.push_back(k);
        } else {
            *at = k;
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> anchors;
    for (std::size_t k = tails.empty() ? none : tails.back(); k != none; k = previous[k]) {
        anchors.push_back(wishes[k]);
    }
    std::ranges::reverse(anchors);
    return anchors;
}

/// Moves the rows first..last to the range from `begin` to `end`, widening the gaps evenly.
void spread(std::vector<Row>& rows, std::size_t first, std::size_t last, double begin, double end) {
    const double extra = (end - begin) - (rows[last].center - rows[first].center);
    const double gaps = double(std::max<std::size_t>(1, last - first));
    for (std::size_t i = first; i <= last; ++i) {
        rows[i].moved = begin + (rows[i].center - rows[first].center) + extra * double(i - first) / gaps;
    }
}

void shiftRest(std::vector<Row>& rows, std::size_t anchor, bool before) {
    const double by = rows[anchor].moved - rows[anchor].center;
    for (std::size_t i = before ? 0 : anchor; i < (before ? anchor : rows.size()); ++i) {
        rows[i].moved = rows[i].center + by;
    }
}

} // namespace

void alignRows(const VisibleGraph& visible, std::vector<Row>& forward, std::vector<Row>& backward) {
    const std::vector<std::pair<std::size_t, std::size_t>> anchors = findAnchors(visible, forward, backward);
    if (anchors.empty()) {
        return;
    }
    auto [i, j] = anchors.front();
    double y =
        std::max(forward[i].center - forward.front().center, backward[j].center - backward.front().center);
    forward[i].moved = backward[j].moved = y;
    shiftRest(forward, i, true);
    shiftRest(backward, j, true);
    for (std::size_t k = 1; k < anchors.size(); ++k) {
        const auto [nextI, nextJ] = anchors[k];
        const double next = y + std::max(forward[nextI].center - forward[i].center,
                                         backward[nextJ].center - backward[j].center);
        spread(forward, i, nextI, y, next);
        spread(backward, j, nextJ, y, next);
        y = next;
        i = nextI;
        j = nextJ;
    }
    shiftRest(forward, i, false);
    shiftRest(backward, j, false);
}

double movedY(const std::vector<Row>& rows, double y) {
    const auto after = std::ranges::upper_bound(rows, y, {}, &Row::center);
    if (after == rows.begin()) {
        return y + rows.front().moved - rows.front().center;
    }
    const Row& upper = *(after - 1);
    if (after == rows.end() || y <= upper.center + upper.extent) {
        return y + upper.moved - upper.center;
    }
    const Row& lower = *after;
    const double begin = upper.center + upper.extent;
    const double end = lower.center - lower.extent;
    if (y >= end || end - begin < 1) {
        return y + lower.moved - lower.center;
    }
    const double newBegin = upper.moved + upper.extent;
    const double newEnd = lower.moved - lower.extent;
    return newBegin + (y - begin) / (end - begin) * (newEnd - newBegin);
}

} // namespace aotscope::layout
