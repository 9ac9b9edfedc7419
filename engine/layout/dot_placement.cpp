#include "base/run_child.h"
#include "layout/label.h"
#include "layout/placement.h"

#include "base/numbers.h"
#include "base/text_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

namespace aotscope::layout {

namespace {

constexpr double pointsPerInch = 72;
/// Edges over more levels than this are hidden from dot: its time grows with their length, and they are
/// easier to follow beside the boxes than between them.
constexpr std::int64_t longestSpan = 24;
constexpr double nodeGap = 14;
constexpr double levelGap = 24;
/// More inputs of one user than this are stacked in several rows.
constexpr std::size_t widestRow = 4;

/// Boxes that dot places as one: inputs with the same single user.
struct Stack {
    std::vector<BoxId> boxes;
    std::size_t columns = 1;
    double cellWidth = 0;
    GroupId frame;

    [[nodiscard]] std::size_t rows() const { return (boxes.size() + columns - 1) / columns; }
    [[nodiscard]] double width() const { return double(columns) * (cellWidth + nodeGap) - nodeGap; }
    [[nodiscard]] double height() const {
        return double(rows()) * (BoxMetrics::height + nodeGap / 2) - nodeGap / 2;
    }
};

std::string inches(double points) {
    return base::numberText(points / pointsPerInch, std::chars_format::fixed, 4);
}

class DotHalf {
public:
    DotHalf(const VisibleGraph& visible, std::size_t half)
        : m_visible(visible), m_layout(visible.layout), m_half(half), m_boxes(visible.halves[half]) {}

    std::string write() {
        collectEdges();
        findLevels();
        chooseEdges();
        findStacks();
        // Limits network simplex and crossing reduction: more iterations improve little and take seconds.
        m_text = "digraph g {\ngraph [nodesep=" + inches(nodeGap) + ", ranksep=" + inches(levelGap) +
                 ", nslimit=4, nslimit1=4, mclimit=1];\n"
                 "node [shape=box, fixedsize=true, label=\"\"];\nedge [dir=none];\n";
        writeNodes();
        writeEdges();
        m_text += "}\n";
        return std::move(m_text);
    }

    std::optional<Placement> read(std::string_view output);

private:
    struct HalfEdge {
        std::uint32_t index = 0;
        BoxId above;
        BoxId below;
        bool drawn = false;
    };

    void collectEdges() {
        m_above.resize(m_boxes.size());
        for (std::uint32_t i = 0; i < m_layout.edges.size(); ++i) {
            const Edge& edge = m_layout.edges[i];
            if (edge.kind != EdgeKind::Data || isElsewhere(edge.from) || isElsewhere(edge.to) ||
                order(edge.from) > order(edge.to)) {
                continue;
            }
            m_above[order(edge.to)].push_back(std::uint32_t(m_edges.size()));
            m_edges.push_back(
                {i, m_half == 0 ? edge.from : edge.to, m_half == 0 ? edge.to : edge.from, false});
        }
    }

    [[nodiscard]] bool isElsewhere(BoxId id) const {
        return m_visible.half(id) != m_half || id == m_visible.foldOutput;
    }
    [[nodiscard]] std::uint32_t order(BoxId id) const { return m_visible.order[id.index()]; }

    /// Levels by longest path in program order. Inputs, and values computed from one input alone (a weight's
    /// transpose), go directly before their first user instead.
    void findLevels() {
        const std::size_t count = m_boxes.size();
        m_level.assign(count, 0);
        std::vector<bool> isLight(count, false);
        for (std::size_t i = 0; i < count; ++i) {
            for (const std::uint32_t each : m_above[i]) {
                m_level[i] = std::max(m_level[i], m_level[producerOrder(each)] + 1);
            }
            isLight[i] =
                m_above[i].empty() || (m_above[i].size() == 1 && isLight[producerOrder(m_above[i].front())]);
        }
        std::vector<std::int64_t> firstUse(count, -1);
        for (std::size_t i = count; i-- > 0;) {
            if (isLight[i] && firstUse[i] > 0) {
                m_level[i] = firstUse[i] - 1;
            }
            for (const std::uint32_t each : m_above[i]) {
                std::int64_t& first = firstUse[producerOrder(each)];
                first = first < 0 ? m_level[i] : std::min(first, m_level[i]);
            }
        }
    }

    [[nodiscard]] std::uint32_t producerOrder(std::uint32_t edge) const {
        return order(m_layout.edges[m_edges[edge].index].from);
    }

    void chooseEdges() {
        m_degree.assign(m_boxes.size(), 0);
        for (HalfEdge& edge : m_edges) {
            const std::int64_t span = m_level[order(edge.below)] - m_level[order(edge.above)];
            edge.drawn = std::abs(span) <= longestSpan;
            if (edge.drawn) {
                ++m_degree[order(edge.above)];
                ++m_degree[order(edge.below)];
            }
        }
    }

    /// Stacks boxes without a drawn edge, and the inputs of a box that is the only user of many inputs.
    void findStacks() {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<BoxId>> candidates;
        constexpr std::uint32_t alone = ~0U;
        std::vector<std::uint32_t> onlyUser(m_boxes.size(), alone);
        for (const HalfEdge& edge : m_edges) {
            if (edge.drawn) {
                onlyUser[order(m_layout.edges[edge.index].from)] = order(m_layout.edges[edge.index].to);
            }
        }
        for (std::uint32_t i = 0; i < m_boxes.size(); ++i) {
            const bool loneInput = m_degree[i] == 1 && m_above[i].empty() && onlyUser[i] != alone;
            if (m_degree[i] == 0 || loneInput) {
                const std::uint32_t frame = m_layout.boxes[m_boxes[i].index()].group.index();
                const bool isGroup = m_layout.boxes[m_boxes[i].index()].isGroup;
                if (!isGroup) {
                    candidates[{m_degree[i] == 0 ? alone : onlyUser[i], frame}].push_back(m_boxes[i]);
                }
            }
        }
        m_stackOf.assign(m_boxes.size(), -1);
        for (const auto& [key, boxes] : candidates) {
            if (boxes.size() <= widestRow) {
                continue;
            }
            Stack stack;
            stack.boxes = boxes;
            stack.columns = std::max<std::size_t>(3, std::size_t(std::sqrt(double(boxes.size()) / 2)));
            stack.frame = m_layout.boxes[boxes.front().index()].group;
            for (const BoxId id : boxes) {
                stack.cellWidth = std::max(stack.cellWidth, m_layout.boxes[id.index()].rect.width);
                m_stackOf[order(id)] = int(m_stacks.size());
            }
            m_stacks.push_back(std::move(stack));
        }
    }

    /// Boxes are in tree order, so frames nest like brackets.
    void writeNodes() {
        std::vector<GroupId> open;
        for (const BoxId id : m_boxes) {
            const std::vector<GroupId> chain = framesAround(m_layout, m_layout.boxes[id.index()]);
            const std::size_t common = std::size_t(std::ranges::mismatch(open, chain).in1 - open.begin());
            for (; open.size() > common; open.pop_back()) {
                m_text += "}\n";
            }
            for (; open.size() < chain.size(); open.push_back(chain[open.size()])) {
                openCluster(chain[open.size()]);
            }
            writeNode(id);
        }
        for (; !open.empty(); open.pop_back()) {
            m_text += "}\n";
        }
    }

    void openCluster(GroupId id) {
        // Only the title's length matters: dot reserves room for it.
        constexpr std::size_t longestTitle = 28;
        const std::string title(characterCount(m_layout.groups[id.index()].title, longestTitle), 'x');
        m_text += "subgraph cluster_" + std::to_string(id.index()) +
                  " {\ngraph [margin=" + std::to_string(int(BoxMetrics::frameMargin)) +
                  ", fontsize=12, label=\"" + title + "\"];\n";
    }

    void writeNode(BoxId id) {
        const int at = m_stackOf[order(id)];
        const Stack* stack = at < 0 ? nullptr : &m_stacks[std::size_t(at)];
        const Rect& rect = m_layout.boxes[id.index()].rect;
        if (stack == nullptr || stack->boxes.front() == id) {
            m_text += "n" + std::to_string(id.index()) +
                      " [width=" + inches(stack == nullptr ? rect.width : stack->width()) +
                      ", height=" + inches(stack == nullptr ? rect.height : stack->height()) + "];\n";
        }
    }

    void writeEdges() {
        for (const HalfEdge& edge : m_edges) {
            if (!edge.drawn) {
                continue;
            }
            const int stack = m_stackOf[order(m_layout.edges[edge.index].from)];
            const bool first =
                stack < 0 || m_stacks[std::size_t(stack)].boxes.front() == m_layout.edges[edge.index].from;
            if (first) {
                m_text += "n" + std::to_string(edge.above.index()) + " -> n" +
                          std::to_string(edge.below.index()) + ";\n";
            }
        }
    }

    void placeStack(Placement& placement, const Stack& stack) const {
        const Point middle = placement.centers[stack.boxes.front().index()];
        const double left = middle.x - stack.width() / 2 + stack.cellWidth / 2;
        const double top = middle.y - stack.height() / 2 + BoxMetrics::height / 2;
        for (std::size_t i = 0; i < stack.boxes.size(); ++i) {
            const std::size_t column = i % stack.columns;
            const std::size_t row = i / stack.columns;
            placement.centers[stack.boxes[i].index()] = {left + double(column) * (stack.cellWidth + nodeGap),
                                                         top + double(row) *
                                                                   (BoxMetrics::height + nodeGap / 2)};
        }
    }

    const VisibleGraph& m_visible;
    const Layout& m_layout;
    std::size_t m_half;
    const std::vector<BoxId>& m_boxes;
    std::vector<HalfEdge> m_edges;
    /// By order: the edges of m_edges that end at a box.
    std::vector<std::vector<std::uint32_t>> m_above;
    std::vector<std::int64_t> m_level;
    std::vector<std::uint32_t> m_degree;
    std::vector<int> m_stackOf;
    std::vector<Stack> m_stacks;
    std::string m_text;
};

/// Splits a line of dot's plain format into words; the names in it are ours and contain no spaces.
class Words {
public:
    explicit Words(std::string_view line) : m_rest(line) {}

    std::string_view next() {
        m_rest.remove_prefix(std::min(m_rest.find_first_not_of(' '), m_rest.size()));
        return base::takePart(m_rest, ' ');
    }
    bool number(double& value) {
        const auto parsed = base::leadingNumber<double>(next());
        value = parsed.value_or(0);
        return parsed && std::isfinite(value);
    }
    bool box(std::uint32_t& id, std::size_t bound) {
        const std::string_view word = next();
        const auto number =
            word.starts_with('n') ? base::leadingNumber<std::uint32_t>(word.substr(1)) : std::nullopt;
        id = number.value_or(0);
        return number && id < bound;
    }

private:
    std::string_view m_rest;
};

std::optional<Placement> DotHalf::read(std::string_view output) {
    Placement placement;
    placement.centers.resize(m_layout.boxes.size());
    placement.paths.resize(m_layout.edges.size());
    std::unordered_map<std::uint64_t, const HalfEdge*> edges;
    for (const HalfEdge& edge : m_edges) {
        edges.emplace(keyOf(edge.above, edge.below), &edge);
    }
    double height = 0;
    double ignored = 0;
    bool complete = false;
    while (!output.empty() && !complete) {
        Words words(base::takePart(output, '\n'));
        const std::string_view kind = words.next();
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        const auto point = [&](Point& read) {
            if (!words.number(read.x) || !words.number(read.y)) {
                return false;
            }
            read = {read.x * pointsPerInch, (height - read.y) * pointsPerInch};
            return true;
        };
        if (kind == "graph") {
            if (!words.number(ignored) || !words.number(ignored) || !words.number(height)) {
                return std::nullopt;
            }
        } else if (kind == "node") {
            if (!words.box(from, m_layout.boxes.size()) || !point(placement.centers[from])) {
                return std::nullopt;
            }
        } else if (kind == "edge") {
            double count = 0;
            if (!words.box(from, m_layout.boxes.size()) || !words.box(to, m_layout.boxes.size()) ||
                !words.number(count)) {
                return std::nullopt;
            }
            const auto found = edges.find(keyOf(BoxId(from), BoxId(to)));
            std::vector<Point> path;
            Point at;
            // A wrong count of points ends at the end of the line.
            for (std::size_t i = 0; count > double(i); ++i) {
                if (!point(at)) {
                    return std::nullopt;
                }
                path.push_back(at);
            }
            if (found != edges.end() && path.size() >= 4 && path.size() % 3 == 1) {
                // The backward half is placed upside down, so its paths are reversed.
                if (m_half == 1) {
                    std::ranges::reverse(path);
                }
                placement.paths[found->second->index] = std::move(path);
            }
        } else if (kind == "stop") {
            complete = true;
        }
    }
    if (!complete) {
        return std::nullopt;
    }
    for (const Stack& stack : m_stacks) {
        placeStack(placement, stack);
        for (const HalfEdge& edge : m_edges) {
            const BoxId from = m_layout.edges[edge.index].from;
            if (!isElsewhere(from) && m_stackOf[order(from)] >= 0) {
                placement.paths[edge.index].clear();
            }
        }
    }
    return placement;
}

} // namespace

base::Result<Placement> placeWithDot(const VisibleGraph& visible, std::size_t half,
                                     const std::string& program, std::chrono::duration<double> limit,
                                     const std::stop_token& stop) {
    DotHalf writer(visible, half);
    if (visible.halves[half].empty()) {
        Placement nothing;
        nothing.centers.resize(visible.layout.boxes.size());
        nothing.paths.resize(visible.layout.edges.size());
        return nothing;
    }
    AOTSCOPE_TRY(run, base::runChild(program, {"-Tplain"}, writer.write(), {limit}, stop));
    std::optional<Placement> placement = writer.read(run.output);
    if (!placement) {
        return base::Error{.code = "layout.program_failed",
                           .message = "gave no complete answer",
                           .notes = {run.messages.substr(0, 500)}};
    }
    return *std::move(placement);
}

} // namespace aotscope::layout
