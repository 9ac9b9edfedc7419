#include "base/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace aotscope::base {
namespace {

using Signed = std::ptrdiff_t;

struct Line {
    std::string_view text;
    /// Two lines have the same token if and only if they are equal. A last line without newline differs from
    /// the same line with one, or texts that differ only there would look equal.
    std::uint32_t token = 0;
};

/// `tokens`: those of both texts.
std::vector<Line> splitLines(std::string_view text,
                             std::unordered_map<std::string_view, std::uint32_t>& tokens) {
    std::vector<Line> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const bool complete = end != std::string_view::npos;
        const std::string_view line = text.substr(0, end);
        const auto token = tokens.try_emplace(line, static_cast<std::uint32_t>(tokens.size())).first->second;
        lines.push_back({line, token * 2 + (complete ? 0U : 1U)});
        text.remove_prefix(complete ? end + 1 : text.size());
    }
    return lines;
}

/// Lines still to be compared: [left, leftEnd) of one text with [right, rightEnd) of the other.
struct Box {
    Signed left = 0;
    Signed leftEnd = 0;
    Signed right = 0;
    Signed rightEnd = 0;

    [[nodiscard]] Signed width() const { return leftEnd - left; }
    [[nodiscard]] Signed height() const { return rightEnd - right; }
};

/// Where to split a box. `exhausted`: the search gave up here; the rest of the box is not searched.
struct Cut {
    Signed left = 0;
    Signed right = 0;
    bool exhausted = false;
};

/// Marks the lines that have no partner: Myers' divide and conquer ("An O(ND) Difference Algorithm", section
/// 4b) with an explicit stack, because its depth is the number of differences in the worst case.
class Comparison {
public:
    Comparison(const std::vector<Line>& left, const std::vector<Line>& right, std::size_t maxEdits)
        : m_left(left),
          m_right(right),
          m_removed(left.size(), false),
          m_added(right.size(), false),
          m_maxSteps(static_cast<Signed>(std::min<std::size_t>(maxEdits, INT32_MAX) / 2 + 1)) {}

    void run() {
        std::vector<Box> boxes{
            {0, static_cast<Signed>(m_left.size()), 0, static_cast<Signed>(m_right.size())}};
        while (!boxes.empty()) {
            const Box box = trimmed(boxes.back());
            boxes.pop_back();
            if (box.width() == 0 || box.height() == 0) {
                mark(box);
                continue;
            }
            const Cut cut = middle(box);
            const Box rest{cut.left, box.leftEnd, cut.right, box.rightEnd};
            const Box first{box.left, cut.left, box.right, cut.right};
            if (cut.exhausted) {
                mark(rest);
            } else {
                boxes.push_back(rest);
            }
            boxes.push_back(first);
        }
    }

    [[nodiscard]] bool removed(std::size_t line) const { return m_removed[line]; }
    [[nodiscard]] bool added(std::size_t line) const { return m_added[line]; }

private:
    [[nodiscard]] bool same(Signed left, Signed right) const {
        return m_left[static_cast<std::size_t>(left)].token == m_right[static_cast<std::size_t>(right)].token;
    }

    [[nodiscard]] Box trimmed(Box box) const {
        while (box.width() > 0 && box.height() > 0 && same(box.left, box.right)) {
            ++box.left;
            ++box.right;
        }
        while (box.width() > 0 && box.height() > 0 && same(box.leftEnd - 1, box.rightEnd - 1)) {
            --box.leftEnd;
            --box.rightEnd;
        }
        return box;
    }

    void mark(const Box& box) {
        std::fill(m_removed.begin() + box.left, m_removed.begin() + box.leftEnd, true);
        std::fill(m_added.begin() + box.right, m_added.begin() + box.rightEnd, true);
    }

    /// Grows the set of furthest reaching paths from both corners until they meet.
    [[nodiscard]] Cut middle(const Box& box) {
        const Signed bound = std::min((box.width() + box.height() + 1) / 2, m_maxSteps) + 1;
        m_offset = bound;
        m_forward.assign(static_cast<std::size_t>(2 * bound + 1), -1);
        m_backward.assign(static_cast<std::size_t>(2 * bound + 1), -1);
        m_forward[static_cast<std::size_t>(m_offset + 1)] = 0;
        m_backward[static_cast<std::size_t>(m_offset + 1)] = 0;
        for (Signed steps = 0; steps < bound; ++steps) {
            if (const std::optional<Cut> cut = step<true>(box, steps)) {
                return *cut;
            }
            if (const std::optional<Cut> cut = step<false>(box, steps)) {
                return *cut;
            }
        }
        return furthest(box, bound - 1);
    }

    /// The furthest point on `diagonal` after one more edit than `reach`, before following matches; -1: the
    /// diagonal cannot be reached inside the box.
    [[nodiscard]] Signed advance(const std::vector<Signed>& reach, const Box& box, Signed diagonal) const {
        const Signed below = reach[static_cast<std::size_t>(m_offset + diagonal - 1)];
        const Signed above = reach[static_cast<std::size_t>(m_offset + diagonal + 1)];
        const Signed right = below >= 0 && below < box.width() ? below + 1 : -1;
        const Signed down = above >= 0 && above - diagonal <= box.height() ? above : -1;
        return std::max(right, down);
    }

    /// Whether a path that reached `x` overlaps the one from the other corner on the same diagonal.
    [[nodiscard]] bool meets(const std::vector<Signed>& other, const Box& box, Signed diagonal, Signed x,
                             Signed otherSteps) const {
        const Signed mirrored = box.width() - box.height() - diagonal;
        if (x < 0 || mirrored < -otherSteps || mirrored > otherSteps) {
            return false;
        }
        const Signed reached = other[static_cast<std::size_t>(m_offset + mirrored)];
        return reached >= 0 && x + reached >= box.width();
    }

    /// One edit more from one corner, the beginning or the end of both texts.
    template<bool isForward>
    [[nodiscard]] std::optional<Cut> step(const Box& box, Signed steps) {
        std::vector<Signed>& reach = isForward ? m_forward : m_backward;
        const std::vector<Signed>& other = isForward ? m_backward : m_forward;
        const bool odd = (box.width() - box.height()) % 2 != 0;
        for (Signed diagonal = -steps; diagonal <= steps; diagonal += 2) {
            Signed x = advance(reach, box, diagonal);
            while (x >= 0 && x < box.width() && x - diagonal < box.height() &&
                   (isForward ? same(box.left + x, box.right + x - diagonal)
                              : same(box.leftEnd - 1 - x, box.rightEnd - 1 - (x - diagonal)))) {
                ++x;
            }
            reach[static_cast<std::size_t>(m_offset + diagonal)] = x;
            if (odd == isForward && meets(other, box, diagonal, x, isForward ? steps - 1 : steps)) {
                return isForward ? Cut{box.left + x, box.right + x - diagonal}
                                 : Cut{box.leftEnd - x, box.rightEnd - (x - diagonal)};
            }
        }
        return std::nullopt;
    }

    /// The furthest point when the search gives up; at least one line ahead, so that the comparison ends.
    [[nodiscard]] Cut furthest(const Box& box, Signed steps) const {
        Cut best{box.left, box.right, true};
        for (Signed diagonal = -steps; diagonal <= steps; diagonal += 2) {
            const Signed x = m_forward[static_cast<std::size_t>(m_offset + diagonal)];
            const Signed y = x - diagonal;
            const bool inside = x >= 0 && y >= 0 && x <= box.width() && y <= box.height();
            if (inside && box.left + x + box.right + y > best.left + best.right) {
                best = {box.left + x, box.right + y, true};
            }
        }
        return best;
    }

    const std::vector<Line>& m_left;
    const std::vector<Line>& m_right;
    std::vector<bool> m_removed;
    std::vector<bool> m_added;
    Signed m_maxSteps;
    Signed m_offset = 0;
    std::vector<Signed> m_forward;
    std::vector<Signed> m_backward;
};

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// The ranges of `lines` to show: every change with `context` lines around it, overlapping ranges merged.
std::vector<Range> hunks(const std::vector<DiffLine>& lines, std::size_t context) {
    std::vector<Range> found;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].kind == DiffLine::Kind::Same) {
            continue;
        }
        const std::size_t begin = i < context ? 0 : i - context;
        const std::size_t end = lines.size() - i <= context ? lines.size() : i + context + 1;
        if (!found.empty() && begin <= found.back().end) {
            found.back().end = end;
        } else {
            found.push_back({begin, end});
        }
    }
    return found;
}

/// "-12,3": first line counted from 1 (from 0 when the range is empty) and the count unless it is 1.
std::string rangeText(char sign, std::size_t first, std::size_t count) {
    std::string text(1, sign);
    text += std::to_string(count == 0 ? first : first + 1);
    if (count != 1) {
        text += ',';
        text += std::to_string(count);
    }
    return text;
}

char marker(DiffLine::Kind kind) {
    return kind == DiffLine::Kind::Removed ? '-' : kind == DiffLine::Kind::Added ? '+' : ' ';
}

void appendHunk(std::string& out, const std::vector<DiffLine>& lines, const Range& range,
                std::string_view left, std::string_view right) {
    const auto begin = lines.begin() + static_cast<Signed>(range.begin);
    const auto end = lines.begin() + static_cast<Signed>(range.end);
    const auto count = [&](DiffLine::Kind absent) {
        return static_cast<std::size_t>(
            std::count_if(begin, end, [&](const DiffLine& line) { return line.kind != absent; }));
    };
    out += "@@ " + rangeText('-', begin->leftLine, count(DiffLine::Kind::Added)) + ' ' +
           rangeText('+', begin->rightLine, count(DiffLine::Kind::Removed)) + " @@\n";
    for (auto line = begin; line != end; ++line) {
        out += marker(line->kind);
        out += line->text;
        out += '\n';
        const std::string_view& whole = line->kind == DiffLine::Kind::Added ? right : left;
        if (line->text.data() + line->text.size() == whole.data() + whole.size()) {
            out += "\\ No newline at end of file\n";
        }
    }
}

} // namespace

std::vector<DiffLine> diffLines(std::string_view left, std::string_view right, std::size_t maxEdits) {
    std::unordered_map<std::string_view, std::uint32_t> tokens;
    const std::vector<Line> leftLines = splitLines(left, tokens);
    const std::vector<Line> rightLines = splitLines(right, tokens);
    Comparison comparison(leftLines, rightLines, maxEdits);
    comparison.run();

    std::vector<DiffLine> lines;
    lines.reserve(std::max(leftLines.size(), rightLines.size()));
    std::size_t l = 0;
    std::size_t r = 0;
    while (l < leftLines.size() || r < rightLines.size()) {
        if (l < leftLines.size() && comparison.removed(l)) {
            lines.push_back({DiffLine::Kind::Removed, l, r, leftLines[l].text});
            ++l;
        } else if (r < rightLines.size() && comparison.added(r)) {
            lines.push_back({DiffLine::Kind::Added, l, r, rightLines[r].text});
            ++r;
        } else {
            lines.push_back({DiffLine::Kind::Same, l, r, leftLines[l].text});
            ++l;
            ++r;
        }
    }
    return lines;
}

std::string unifiedDiff(std::string_view left, std::string_view right, std::string_view leftName,
                        std::string_view rightName, std::size_t context) {
    const std::vector<DiffLine> lines = diffLines(left, right);
    std::string out;
    for (const Range& range : hunks(lines, context)) {
        if (out.empty()) {
            out.append("--- ").append(leftName).append("\n+++ ").append(rightName).append("\n");
        }
        appendHunk(out, lines, range, left, right);
    }
    return out;
}

} // namespace aotscope::base
