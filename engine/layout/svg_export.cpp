#include "layout/export.h"
#include "layout/label.h"
#include "layout/picture_colors.h"

#include "base/numbers.h"
#include "base/xml_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_set>

namespace aotscope::layout {

namespace {

/// The style of the window's light theme, because most pages are white.
std::string styleSheet() {
    const PictureColors& colors = lightPicture();
    const auto fill = [](Rgb color) { return "fill:" + hexColor(color); };
    const auto stroke = [](Rgb color) { return "stroke:" + hexColor(color); };
    const Rgb again = colors.of(Category::Recomputed);
    return "<style>\n"
           "text{font-family:'Inter','DejaVu Sans','Helvetica Neue',Arial,sans-serif;font-size:12px;" +
           fill(colors.text) +
           "}\n"
           ".name{font-weight:bold}\n"
           ".code{font-family:'DejaVu Sans Mono','Menlo','Consolas',monospace;font-size:10.5px}\n"
           ".dim{" +
           fill(colors.dimText) +
           "}\n"
           ".right{text-anchor:end}\n"
           ".box{" +
           fill(colors.box) + ";" + stroke(colors.line) + "}\n.pile{" + fill(colors.background) + ";" +
           stroke(colors.line) + "}\n.frame{" + fill(colors.dimText) + ";fill-opacity:0.04;" +
           stroke(colors.line) + "}\n.edge{fill:none;" + stroke(colors.edge()) +
           ";stroke-width:1}\n.saved{fill:none;" + stroke(colors.band()) + "}\n.again{fill:none;" +
           stroke(again) + ";stroke-width:1;stroke-dasharray:4 3}\n.sign{" + fill(again) +
           ";font-weight:bold;text-anchor:end}\n.ring{fill:none;" + stroke(colors.accent) +
           ";stroke-width:2}\n.port,.legend{" + fill(colors.of(Category::Saved)) + "}\n.pill{" +
           fill(colors.background) + ";" + stroke(colors.of(Category::Saved)) + "}\n</style>\n";
}

constexpr std::size_t nameCharacters = 34;
constexpr double textPadding = 10;
constexpr double captionHeight = 28;

std::string number(double value) {
    const std::string text = base::numberText(std::isfinite(value) ? value : 0, std::chars_format::fixed, 1);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string bytesText(std::int64_t bytes) {
    constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) {
        value /= 1024;
    }
    return (value < 10 ? number(value) : number(std::round(value))) + " " + std::string(units[unit]);
}

/// "512 KiB", or with a hook that packs it "512 KiB → 128 KiB"
std::string storedText(std::int64_t bytes, const std::optional<std::int64_t>& stored) {
    return bytesText(bytes) + (stored ? " → " + bytesText(*stored) : std::string());
}

class SvgDocument {
public:
    SvgDocument(const ir::Graph& graph, const Layout& layout, std::span<const Category> categories,
                const std::vector<ir::NodeId>& selection, const SplitMarks* marks)
        : m_graph(graph), m_layout(layout), m_marks(marks), m_categories(categories) {
        for (const ir::NodeId id : selection) {
            if (id.valid() && id.index() < layout.boxOfNode.size() && layout.boxOfNode[id.index()].valid()) {
                m_selected.insert(layout.boxOfNode[id.index()].index());
            }
        }
    }

    std::string write() {
        const Rect& bounds = m_layout.bounds;
        const double height = std::max(1.0, bounds.height + (m_marks == nullptr ? 0 : captionHeight));
        const std::string size = number(std::max(1.0, bounds.width)) + "\" height=\"" + number(height);
        m_text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
            size + "\" viewBox=\"" + number(bounds.x) + " " + number(bounds.y) + " " +
            number(std::max(1.0, bounds.width)) + " " + number(height) + "\">\n";
        m_text += styleSheet();
        m_text += "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
                  "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0.5L8 4L0 7.5z\" "
                  "fill=\"" +
                  hexColor(lightPicture().edge()) + "\"/></marker></defs>\n<rect x=\"" + number(bounds.x) +
                  "\" y=\"" + number(bounds.y) + "\" width=\"" + size + "\" fill=\"" +
                  hexColor(lightPicture().background) + "\"/>\n";
        for (const Group& group : m_layout.groups) {
            if (group.open) {
                writeFrame(group);
            }
        }
        if (m_marks != nullptr) {
            for (const Band& band : m_marks->bands) {
                writeBand(band);
            }
        }
        for (std::size_t i = 0; i < m_layout.edges.size(); ++i) {
            writeEdge(m_layout.edges[i], m_marks == nullptr ? EdgeMark::Plain : m_marks->edges[i]);
        }
        for (std::uint32_t i = 0; i < m_layout.boxes.size(); ++i) {
            writeBox(i);
        }
        if (m_marks != nullptr) {
            writeBandLabels();
            writeCaption();
        }
        return m_text + "</svg>\n";
    }

private:
    void writeRect(std::string_view style, const Rect& r, double radius) {
        m_text += "<rect class=\"" + std::string(style) + "\" x=\"" + number(r.x) + "\" y=\"" + number(r.y) +
                  "\" width=\"" + number(r.width) + "\" height=\"" + number(r.height) + "\" rx=\"" +
                  number(radius) + "\"/>\n";
    }

    void writeText(std::string_view style, double x, double y, std::string_view text) {
        m_text += "<text class=\"" + std::string(style) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
                  "\">" + base::xmlText(text) + "</text>\n";
    }

    void writeFrame(const Group& group) {
        writeRect("frame", group.frame, 6);
        const std::string remark =
            std::string(group.isBackward ? " · backward" : "") + (group.derived ? " · derived" : "");
        const double room = group.frame.width - 16;
        const auto most = static_cast<std::size_t>(std::max(4.0, room / BoxMetrics::nameCharacter));
        const std::string title = cutText(group.title, most);
        m_text += "<text x=\"" + number(group.frame.x + 8) + "\" y=\"" + number(group.frame.y + 15) +
                  "\"><tspan class=\"name\">" + base::xmlText(title) + "</tspan>";
        const std::size_t used = characterCount(title, most) + characterCount(remark, most);
        if (used < most) {
            m_text += "<tspan class=\"dim\">" + base::xmlText(remark) + "</tspan>";
        }
        m_text += "</text>\n";
    }

    void writePath(const std::vector<Point>& path) {
        for (std::size_t i = 0; i < path.size(); ++i) {
            m_text += i == 1 ? "C" : i == 0 ? "" : " ";
            m_text += number(path[i].x) + " " + number(path[i].y);
        }
    }

    void writeEdge(const Edge& edge, EdgeMark mark) {
        if (edge.path.empty() || mark == EdgeMark::Banded) {
            return;
        }
        m_text += mark == EdgeMark::Again ? "<path class=\"again\" d=\"M"
                                          : "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M";
        writePath(edge.path);
        m_text += "\"/>\n";
    }

    /// With the names of what it carries, which viewers show beside the mouse.
    void writeBand(const Band& band) {
        m_text += "<path class=\"saved\" stroke-width=\"" + number(bandWidth(band.bytes)) + "\" d=\"M";
        writePath(band.path);
        m_text += "\"><title>";
        for (const std::uint32_t index : band.saved) {
            const SavedValue& value = m_marks->saved[index];
            m_text +=
                base::xmlText(m_graph.node(value.node).name + ": " + storedText(value.bytes, value.stored)) +
                "\n";
        }
        m_text += "</title></path>\n";
    }

    void writeBox(std::uint32_t index) {
        const Box& box = m_layout.boxes[index];
        const Rect& r = box.rect;
        if (box.isGroup) {
            writeRect("pile", {r.x + 4, r.y + 4, r.width - 1, r.height - 1}, 5);
        }
        writeRect("box", r, 5);
        m_text += "<rect x=\"" + number(r.x) + "\" y=\"" + number(r.y) + "\" width=\"4\" height=\"" +
                  number(r.height) + "\" rx=\"2\" fill=\"" +
                  hexColor(lightPicture().of(m_categories[index])) + "\"/>\n";
        const BoxText text = boxText(m_graph, m_layout, box);
        const double left = r.x + textPadding;
        const double right = r.x + r.width - textPadding / 2;
        const double room = right - left;
        const auto nameRoom = static_cast<std::size_t>(room / BoxMetrics::nameCharacter);
        const auto codeRoom = static_cast<std::size_t>(room / BoxMetrics::textCharacter);
        writeText("name", left, r.y + 16,
                  (box.isGroup ? "▸ " : "") + cutText(text.name, std::min(nameRoom, nameCharacters)));
        const std::size_t opLength = std::min(characterCount(text.op, codeRoom), codeRoom / 3);
        const std::string value = cutText(text.value, codeRoom - std::min(codeRoom / 3, opLength + 1));
        const std::size_t valueLength = characterCount(value, codeRoom);
        writeText("code", left, r.y + 31,
                  cutText(text.op, codeRoom - std::min(codeRoom - 2, valueLength + 1)));
        if (!value.empty()) {
            writeText("code dim right", right, r.y + 31, value);
        }
        if (m_marks != nullptr && m_marks->savedIn[index] > 0) {
            writeRect("port", {r.x + r.width - 3, r.y + 10, 3, r.height - 20}, 1.5);
        }
        if (m_marks != nullptr && m_marks->recomputed[index]) {
            writeRect("again", {r.x - 1, r.y - 1, r.width + 2, r.height + 2}, 5);
            writeText("sign", right, r.y + 16, "↻");
        }
        if (m_selected.contains(index)) {
            writeRect("ring", {r.x - 2, r.y - 2, r.width + 4, r.height + 4}, 6);
        }
    }

    /// Largest first; a label that would overlap another is omitted.
    void writeBandLabels() {
        constexpr std::size_t most = 200;
        constexpr double height = 16;
        std::vector<Point> placed;
        for (const Band& band : m_marks->bands) {
            const std::vector<Point>& p = band.path;
            if (band.bytes <= 0 || p.size() < 4) {
                continue;
            }
            const Point middle{(p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8,
                               (p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8};
            const bool taken = std::ranges::any_of(placed, [&](const Point& other) {
                return std::abs(other.y - middle.y) < height + 2 && std::abs(other.x - middle.x) < 80;
            });
            if (taken || placed.size() >= most) {
                continue;
            }
            placed.push_back(middle);
            const std::string words = storedText(band.bytes, band.stored);
            const double width = double(characterCount(words, 64)) * BoxMetrics::textCharacter + 12;
            writeRect("pill", {middle.x - width / 2, middle.y - height / 2, width, height}, height / 2);
            m_text += "<text class=\"code\" text-anchor=\"middle\" x=\"" + number(middle.x) + "\" y=\"" +
                      number(middle.y + 4) + "\">" + base::xmlText(words) + "</text>\n";
        }
    }

    /// What the marks mean, and the sums that the command partition says.
    void writeCaption() {
        const auto count = [](std::size_t number, const char* one, const char* several) {
            return std::to_string(number) + " " + (number == 1 ? one : several);
        };
        const std::string saved =
            "saved for the backward: " + count(m_marks->saved.size(), "value", "values") + ", " +
            storedText(m_marks->savedBytes, m_marks->storedBytes);
        const std::string again = "recomputed: " + count(m_marks->recomputedNodes, "value", "values");
        const double y = m_layout.bounds.y + m_layout.bounds.height + captionHeight / 2;
        writeRect("legend", {m_layout.bounds.x + 16, y - 3, 18, 6}, 1);
        writeText("caption", m_layout.bounds.x + 42, y + 4, saved + "  ·  ↻ " + again);
    }

    const ir::Graph& m_graph;
    const Layout& m_layout;
    const SplitMarks* m_marks;
    std::span<const Category> m_categories;
    std::unordered_set<std::uint32_t> m_selected;
    std::string m_text;
};

} // namespace

std::string toSvg(const ir::Graph& graph, const Layout& layout, std::span<const Category> categories,
                  const std::vector<ir::NodeId>& selection, const SplitMarks* marks) {
    return SvgDocument(graph, layout, categories, selection, marks).write();
}

} // namespace aotscope::layout
