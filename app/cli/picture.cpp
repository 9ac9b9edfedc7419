#include "picture.h"

#include "failure.h"

#include "base/formatted.h"
#include "base/run_child.h"
#include "base/xml_text.h"
#include "layout/picture_colors.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

namespace aotscope::cli {

namespace {

constexpr double pointsPerInch = 72;
constexpr double pixelsPerPoint = 96.0 / 72.0;
/// Larger pictures need too much memory, here and in programs that open them.
constexpr double mostPixels = 6'000.0 * 6'000.0;
constexpr double stripeWidth = 4;

/// The light theme's: most pages are white.
const layout::PictureColors& colours() {
    return layout::lightPicture();
}

std::string number(double value) {
    return base::formatted("%.2f", value);
}

/// The y axis of DOT points up.
std::string place(const layout::Layout& layout, layout::Point point) {
    return number(point.x - layout.bounds.x) + "," + number(layout.bounds.y + layout.bounds.height - point.y);
}

/// Graphviz's HTML-like labels do not allow empty elements.
std::string element(std::string_view tag, std::string_view attributes, const std::string& content) {
    return content.empty() ? std::string()
                           : "<" + std::string(tag) + std::string(attributes) + ">" + content + "</" +
                                 std::string(tag) + ">";
}

/// Name, operator and value as in the window's graph.
std::string labelOf(const ir::Graph& graph, const layout::Layout& layout, const layout::Box& box,
                    bool again) {
    const layout::BoxText text = layout::boxText(graph, layout, box);
    const std::string end = "<BR ALIGN=\"LEFT\"/>";
    const std::string name = (again ? "↻ " : "") + std::string(box.isGroup ? "▸ " : "") + text.name;
    const std::string value =
        element("FONT", " COLOR=\"" + layout::hexColor(colours().dimText) + "\"", base::xmlText(text.value));
    return "<" + element("B", "", base::xmlText(name)) + end +
           element("FONT", " POINT-SIZE=\"8\"", base::xmlText(text.op) + "  " + value) + end + ">";
}

std::string boxLine(const Picture& picture, std::size_t index) {
    const bool again = picture.marks != nullptr && picture.marks->recomputed[index];
    const layout::Box& box = picture.layout.boxes[index];
    const layout::Point centre{box.rect.x + box.rect.width / 2, box.rect.y + box.rect.height / 2};
    // The colored stripe at the left edge.
    const double stripe = stripeWidth / std::max(box.rect.width, stripeWidth);
    const layout::Category category = picture.categories[index];
    return "b" + std::to_string(index) + " [pos=\"" + place(picture.layout, centre) +
           "!\",width=" + number(box.rect.width / pointsPerInch) +
           ",height=" + number(box.rect.height / pointsPerInch) +
           ",label=" + labelOf(picture.graph, picture.layout, box, again) + ",fillcolor=\"" +
           layout::hexColor(colours().of(category)) + ";" + number(stripe) + ":" +
           layout::hexColor(colours().box) + "\"" +
           (again ? ",style=\"striped,dashed\",color=\"" +
                        layout::hexColor(colours().of(layout::Category::Recomputed)) + "\""
                  : "") +
           "]\n";
}

std::string edgeStyle(layout::EdgeMark mark) {
    return mark == layout::EdgeMark::Again
               ? "color=\"" + layout::hexColor(colours().of(layout::Category::Recomputed)) + "\",style=dashed"
               : "color=\"" + layout::hexColor(colours().edge()) + "\"";
}

std::string pathLine(const layout::Layout& layout, const std::vector<layout::Point>& path) {
    if (path.size() < 4 || path.size() % 3 != 1) {
        return {};
    }
    std::string line = ",pos=\"e," + place(layout, path.back());
    for (const layout::Point point : path) {
        line += " " + place(layout, point);
    }
    return line + "\"";
}

std::string bandLine(const Picture& picture, const layout::Band& band) {
    return "b" + std::to_string(band.from.index()) + " -> b" + std::to_string(band.to.index()) +
           " [color=\"" + layout::hexColor(colours().band()) +
           "\",arrowhead=none,penwidth=" + number(layout::bandWidth(band.bytes)) +
           pathLine(picture.layout, band.path) + "]\n";
}

std::string edgeLine(const Picture& picture, std::size_t index) {
    const layout::Edge& edge = picture.layout.edges[index];
    const layout::EdgeMark mark =
        picture.marks == nullptr ? layout::EdgeMark::Plain : picture.marks->edges[index];
    return mark == layout::EdgeMark::Banded
               ? std::string()
               : "b" + std::to_string(edge.from.index()) + " -> b" + std::to_string(edge.to.index()) + " [" +
                     edgeStyle(mark) + pathLine(picture.layout, edge.path) + "]\n";
}

} // namespace

std::string positionedDot(const Picture& picture) {
    std::string dot = "digraph g {\nbgcolor=\"" + layout::hexColor(colours().background) +
                      "\"\nnode [shape=box,fixedsize=true,style=striped,color=\"" +
                      layout::hexColor(colours().line) + "\",fontcolor=\"" +
                      layout::hexColor(colours().text) +
                      "\",fontname=\"Helvetica\",fontsize=9]\nedge [arrowsize=0.5]\n";
    for (std::size_t index = 0; index < picture.layout.boxes.size(); ++index) {
        dot += boxLine(picture, index);
    }
    for (const layout::Band& band :
         picture.marks == nullptr ? std::vector<layout::Band>() : picture.marks->bands) {
        dot += bandLine(picture, band);
    }
    for (std::size_t index = 0; index < picture.layout.edges.size(); ++index) {
        dot += edgeLine(picture, index);
    }
    return dot + "}\n";
}

std::string pngOf(const Picture& picture, const std::stop_token& stop) {
    const layout::Layout& layout = picture.layout;
    const double pixels = layout.bounds.width * layout.bounds.height * pixelsPerPoint * pixelsPerPoint;
    const double shrink = pixels > mostPixels ? std::sqrt(mostPixels / pixels) : 1.0;
    constexpr std::chrono::minutes limit(2);
    auto png = base::runChild("neato", {"-n2", "-Tpng", "-Gdpi=" + number(96 * shrink)},
                              positionedDot(picture), {limit}, stop);
    if (png) {
        return std::move(png).value().output;
    }
    base::Error error = std::move(png).error();
    if (error.code == "base.program_missing") {
        error.hint = "A PNG is drawn by Graphviz (Debian package graphviz). --format svg does not need it.";
    }
    return orFail(ExitNo, base::Result<std::string>(std::move(error)));
}

} // namespace aotscope::cli
