#include "layout/placement.h"

#include <algorithm>

namespace aotscope::layout {

namespace {

constexpr double rowGap = 16;
constexpr double besideGap = 14;
constexpr std::size_t mostBeside = 4;

class Column {
public:
    Column(const VisibleGraph& visible, std::size_t half)
        : m_visible(visible), m_layout(visible.layout), m_half(half), m_boxes(visible.halves[half]) {}

    Placement place() {
        m_placement.centers.resize(m_layout.boxes.size());
        m_placement.paths.resize(m_layout.edges.size());
        putInputsBeside();
        double y = 0;
        std::vector<GroupId> open;
        // The backward half runs upwards, so its last box comes first.
        for (std::size_t i = 0; i < m_boxes.size(); ++i) {
            const BoxId id = m_boxes[m_half == 0 ? i : m_boxes.size() - 1 - i];
            if (m_isBeside[m_visible.order[id.index()]]) {
                continue;
            }
            std::vector<GroupId> chain = framesAround(m_layout, m_layout.boxes[id.index()]);
            const std::size_t common = std::size_t(std::ranges::mismatch(open, chain).in1 - open.begin());
            y += double(open.size() - common) * BoxMetrics::frameMargin;
            y += double(chain.size() - common) * (BoxMetrics::titleHeight + BoxMetrics::frameMargin);
            std::swap(open, chain);
            y = placeRow(id, y) + rowGap;
        }
        return std::move(m_placement);
    }

private:
    void putInputsBeside() {
        m_beside.resize(m_boxes.size());
        m_isBeside.assign(m_boxes.size(), false);
        std::vector<BoxId> firstUser(m_layout.boxes.size());
        for (const Edge& edge : m_layout.edges) {
            BoxId& first = firstUser[edge.from.index()];
            const bool here = m_visible.half(edge.to) == m_half && edge.to != m_visible.foldOutput;
            if (here && m_visible.isInput[edge.from.index()] && !m_visible.isInput[edge.to.index()] &&
                (!first.valid() || m_visible.order[edge.to.index()] < m_visible.order[first.index()])) {
                first = edge.to;
            }
        }
        const auto frame = [this](BoxId id) { return frameOf(m_layout, m_layout.boxes[id.index()]); };
        for (const BoxId id : m_boxes) {
            const BoxId user = firstUser[id.index()];
            if (!user.valid() || frame(user) != frame(id)) {
                continue;
            }
            std::vector<BoxId>& beside = m_beside[m_visible.order[user.index()]];
            if (beside.size() < mostBeside) {
                beside.push_back(id);
                m_isBeside[m_visible.order[id.index()]] = true;
            }
        }
    }

    /// Inputs are on the outer side: left of the forward half, right of the backward half.
    double placeRow(BoxId id, double y) {
        const double outwards = m_half == 0 ? -1 : 1;
        const double middle = y + BoxMetrics::height / 2;
        m_placement.centers[id.index()] = {0, middle};
        double x = outwards * (BoxMetrics::maximumWidth / 2 + besideGap);
        for (const BoxId beside : m_beside[m_visible.order[id.index()]]) {
            const double width = m_layout.boxes[beside.index()].rect.width;
            m_placement.centers[beside.index()] = {x + outwards * width / 2, middle};
            x += outwards * (width + besideGap);
        }
        return y + BoxMetrics::height;
    }

    const VisibleGraph& m_visible;
    const Layout& m_layout;
    std::size_t m_half;
    const std::vector<BoxId>& m_boxes;
    std::vector<std::vector<BoxId>> m_beside;
    std::vector<bool> m_isBeside;
    Placement m_placement;
};

} // namespace

Placement placeInProgramOrder(const VisibleGraph& visible, std::size_t half) {
    return Column(visible, half).place();
}

} // namespace aotscope::layout
