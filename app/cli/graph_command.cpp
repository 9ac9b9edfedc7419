#include "commands.h"
#include "failure.h"
#include "options.h"
#include "selection.h"
#include "table.h"

#include "base/formatted.h"
#include "base/run_child.h"
#include "base/xml_text.h"
#include "contract/category_facts.h"
#include "explore/split_fates.h"
#include "files/logged_partitions.h"
#include "ir/json/graph_json.h"
#include "judge/answers.h"
#include "layout/category.h"
#include "layout/export.h"
#include "layout/picture_colors.h"
#include "layout/split_marks.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace aotscope::cli {

namespace {

/// What to draw. Everything must outlive the call.
struct Picture {
    const ir::Graph& graph;
    const layout::Layout& layout;
    /// One per box.
    std::span<const layout::Category> categories;
    /// Null: no partition is marked.
    const layout::SplitMarks* marks = nullptr;
};

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
    return content.empty() ? std::string() : textOf("<", tag, attributes, ">", content, "</", tag, ">");
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

/// The DOT document with positions that Graphviz draws ("neato -n2").
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

/// A laid-out graph as PNG, drawn by Graphviz in a child process at the layout's positions and in the
/// window's colors. Throws Failure if Graphviz is missing or fails.
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

struct GraphCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::string kind;
    std::string section;
    std::string format = "text";
    std::filesystem::path out;
    /// Mark a partition's saved and recomputed values in the picture.
    bool marksSplit = false;
    SplitOptions split;
};

bool wantsSplit(const GraphCommandOptions& options) {
    return options.marksSplit || options.split.choices() != session::PartitionChoices();
}

session::GraphSnapshotPtr parsed(const session::GraphSnapshotPtr& graph) {
    if (!graph->graph) {
        base::Error error = graph->error.value_or(base::Error{});
        if (isChoiceError(error)) {
            error.hint = "Choose one with --section.";
            throw Failure(ExitUsage, std::move(error));
        }
        if (error.hint.empty()) {
            error.hint = "--format raw prints the text as logged.";
        }
        throw Failure(ExitNo, std::move(error));
    }
    return graph;
}

/// The logged halves of a joint graph; null: the log has none, or they cannot be read.
judge::LoggedAnswerPtr tryAnswer(Program& program, const session::LogSnapshot& log,
                                 const session::ArtifactReference& joint) {
    const auto read = [&](const session::ArtifactReference& half) -> base::Result<session::GraphSnapshotPtr> {
        const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{half});
        if (!graph->graph) {
            return graph->error.value_or(base::Error{});
        }
        return graph;
    };
    const auto answers = judge::readAnswers(log, joint, read);
    return answers && !answers->halves.empty() ? answers->halves.front() : nullptr;
}

/// What a partition of the graph's joint graph does with its nodes; nothing unless requested.
std::optional<layout::SplitFacts> splitOf(Program& program, const session::ArtifactReference& reference,
                                          const ir::Graph& graph, const GraphCommandOptions& options) {
    if (!wantsSplit(options)) {
        return std::nullopt;
    }
    const session::LogSnapshotPtr log = program.session.tryLog(reference.log);
    const auto joint = log ? session::jointGraphOf(*log, reference) : std::nullopt;
    if (!joint) {
        throw usageFailure("This graph has no joint graph that could be split: leave out --split and the "
                           "other options of the split.");
    }
    const session::PartitionChoices choices = options.split.choices();
    try {
        return session::splitFacts(graph, *program.resultOf<session::PartitionSnapshotPtr>(
                                              session::PartitionJoint{*joint, choices}));
    } catch (const Failure& failure) {
        const auto logged = failure.code() == ExitNo && choices == session::PartitionChoices()
                                ? tryAnswer(program, *log, *joint)
                                : nullptr;
        if (!logged) {
            throw;
        }
        program.console.message("The joint graph cannot be split here (" + failure.error().message +
                                "); the marks are what the log's forward and backward show.");
        return judge::loggedSplitFacts(graph, *logged);
    }
}

std::string picture(Program& program, const session::ArtifactReference& reference,
                    const GraphCommandOptions& options) {
    const auto laidOut = program.resultOf<session::LayoutSnapshotPtr>(session::LayOutGraph{reference, {}});
    const ir::Graph& graph = *parsed(laidOut->graph)->graph;
    if (!laidOut->layout->note.empty()) {
        program.console.message(laidOut->layout->note);
    }
    const std::optional<layout::SplitFacts> split = splitOf(program, reference, graph, options);
    const auto marks =
        split ? std::optional(layout::splitMarks(graph, *laidOut->layout, *split)) : std::nullopt;
    const layout::SplitMarks* given = marks ? &*marks : nullptr;
    layout::CategoryFacts facts = session::categoryFacts(*laidOut->graph);
    facts.split = split ? &*split : nullptr;
    const std::vector<layout::Category> categories =
        layout::boxCategories(*laidOut->layout, layout::nodeCategories(facts));
    return options.format == "svg" ? layout::toSvg(graph, *laidOut->layout, categories, {}, given)
                                   : pngOf({graph, *laidOut->layout, categories, given}, program.stop);
}

std::string rendered(Program& program, const session::ArtifactReference& reference,
                     const GraphCommandOptions& options) {
    const std::string& format = options.format;
    if (format == "svg" || format == "png") {
        return picture(program, reference, options);
    }
    if (wantsSplit(options) && format != "dot") {
        throw usageFailure("A split is marked only in pictures: use --format svg, png or dot.",
                           {"The command partition shows it as text."});
    }
    const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{reference});
    if (format == "raw") {
        return graph->text;
    }
    if (format == "json") {
        return ir::graphToJson(*parsed(graph)->graph) + "\n";
    }
    if (format == "dot") {
        const auto split = splitOf(program, reference, *parsed(graph)->graph, options);
        return layout::toDot(*graph->graph, graph->modules, split ? &*split : nullptr);
    }
    return parsed(graph)->printed.text;
}

int showGraph(Program& program, const GraphCommandOptions& options) {
    if (options.format == "png" && options.out.empty() && Console::resultIsTerminal()) {
        throw usageFailure("A PNG cannot be printed to a terminal: name a file with -o.");
    }
    const session::ArtifactReference reference =
        selectGraph(program, {{options.file}, options.id, options.kind, options.section});
    program.console.resultTo(options.out, rendered(program, reference, options));
    return ExitYes;
}

} // namespace

void addGraphCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(app, chosen, "graph", "Print or draw one graph", showGraph);
    command.addOption("FILE", &options->file, "Trace log, folder of logs, or graph file (FX text or JSON)",
                      {.required = true});
    addIdOption(command, options->id);
    command.addOption(
        "--kind", &options->kind,
        "dynamo, joint, forward, backward, inference, compiled_autograd, or an artifact's name");
    command.addOption("--section", &options->section,
                      "Graph inside the artifact: a section or a nested graph (a/b for a deeper one)");
    command.addOption("--format", &options->format, "text, json, dot, svg, png, or raw (the text as logged)",
                      {.oneOf = {"text", "json", "dot", "svg", "png", "raw"}, .showDefault = true});
    command.addFlag("--split", &options->marksSplit,
                    "Mark in the picture what a split of the joint graph saves (band width: bytes) and "
                    "computes again (↻)");
    addPartitionerOption(command, options->split, "Partitioner of the split: auto, default or min-cut");
    addBudgetOption(command, options->split, "activation_memory_budget of the split, 0 to 1");
    addCostOptions(command, options->split.others);
    command.addOption("--save", &options->split.save, "Node that the split must save");
    command.addOption("--recompute", &options->split.recompute, "Node that the split must recompute");
    command.addOption("-o,--output", &options->out, "File to write instead of standard output");
}

} // namespace aotscope::cli
