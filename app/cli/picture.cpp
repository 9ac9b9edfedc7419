#include "picture.h"

#include "failure.h"

#include "layout/child_process.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace aotscope::cli {

namespace {

constexpr double pointsPerInch = 72;
constexpr double pixelsPerPoint = 96.0 / 72.0;
/// Larger pictures exhaust memory and other programs' patience.
constexpr double mostPixels = 6'000.0 * 6'000.0;

std::string number(double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return text.data();
}

std::string dotQuoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

/// DOT's y grows up.
std::string place(const layout::Layout& layout, layout::Point point) {
    return number(point.x - layout.bounds.x) + "," + number(layout.bounds.y + layout.bounds.height - point.y);
}

std::string labelOf(const ir::Graph& graph, const layout::Layout& layout, const layout::Box& box) {
    if (box.isGroup) {
        return layout.groups[box.group.index()].title + " (" + std::to_string(box.nodeCount) + ")";
    }
    return graph.node(box.node).name;
}

std::string_view colourOf(const ir::Graph& graph, const layout::Box& box) {
    if (box.isGroup) {
        return "#e8e8f0";
    }
    switch (graph.node(box.node).op) {
    case ir::Opcode::Placeholder:
        return "#dbeafe";
    case ir::Opcode::Output:
        return "#dcfce7";
    case ir::Opcode::GetAttr:
        return "#fef9c3";
    default:
        return box.isBackward ? "#fde8e8" : "#ffffff";
    }
}

std::string boxLine(const ir::Graph& graph, const layout::Layout& layout, const layout::SplitMarks* marks,
                    std::size_t index) {
    const bool again = marks != nullptr && marks->recomputed[index];
    const layout::Box& box = layout.boxes[index];
    const layout::Point centre{box.rect.x + box.rect.width / 2, box.rect.y + box.rect.height / 2};
    return "b" + std::to_string(index) + " [pos=\"" + place(layout, centre) +
           "!\",width=" + number(box.rect.width / pointsPerInch) +
           ",height=" + number(box.rect.height / pointsPerInch) +
           ",label=" + dotQuoted((again ? "↻ " : "") + labelOf(graph, layout, box)) + ",fillcolor=\"" +
           std::string(colourOf(graph, box)) + "\"" +
           (again ? ",style=\"filled,rounded,dashed\",color=\"#b45a8c\"" : "") + "]\n";
}

std::string edgeStyle(const layout::Layout& layout, const layout::Edge& edge,
                      const layout::SplitMarks* marks) {
    if (edge.kind != layout::EdgeKind::Saved) {
        return "color=\"#666666\"";
    }
    if (marks == nullptr) {
        return "color=\"#c2410c\",style=dashed";
    }
    const auto bytes = marks->carried[static_cast<std::size_t>(&edge - layout.edges.data())];
    return bytes ? "color=\"#c48300\",penwidth=" + number(layout::bandWidth(*bytes))
                 : "color=\"#b45a8c\",style=dashed";
}

std::string edgeLine(const layout::Layout& layout, const layout::Edge& edge,
                     const layout::SplitMarks* marks) {
    std::string line = "b" + std::to_string(edge.from.index()) + " -> b" + std::to_string(edge.to.index()) +
                       " [" + edgeStyle(layout, edge, marks);
    if (edge.path.size() >= 4 && edge.path.size() % 3 == 1) {
        line += ",pos=\"e," + place(layout, edge.path.back());
        for (const layout::Point point : edge.path) {
            line += " " + place(layout, point);
        }
        line += "\"";
    }
    return line + "]\n";
}

} // namespace

std::string positionedDot(const ir::Graph& graph, const layout::Layout& layout,
                          const layout::SplitMarks* marks) {
    std::string dot =
        "digraph g {\nnode [shape=box,fixedsize=true,style=\"filled,rounded\",fontname=\"Helvetica\","
        "fontsize=9]\nedge [arrowsize=0.5]\n";
    for (std::size_t index = 0; index < layout.boxes.size(); ++index) {
        dot += boxLine(graph, layout, marks, index);
    }
    for (const layout::Edge& edge : layout.edges) {
        dot += edgeLine(layout, edge, marks);
    }
    return dot + "}\n";
}

std::string pngOf(const ir::Graph& graph, const layout::Layout& layout, const layout::SplitMarks* marks,
                  const std::stop_token& stop) {
    const double pixels = layout.bounds.width * layout.bounds.height * pixelsPerPoint * pixelsPerPoint;
    const double shrink = pixels > mostPixels ? std::sqrt(mostPixels / pixels) : 1.0;
    constexpr std::chrono::minutes limit(2);
    auto png = layout::runChild("neato", {"-n2", "-Tpng", "-Gdpi=" + number(96 * shrink)},
                                positionedDot(graph, layout, marks), limit, stop);
    if (png) {
        return std::move(png).value().output;
    }
    base::Error error = std::move(png).error();
    if (base::isCanceled(error)) {
        throw Failure(ExitInterrupted, std::move(error));
    }
    if (error.code == "layout.program_missing") {
        error.hint = "A PNG is drawn by Graphviz (Debian package graphviz). --format svg needs it not.";
    }
    throw Failure(ExitNo, std::move(error));
}

} // namespace aotscope::cli
