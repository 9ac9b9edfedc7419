#include "layout/layout.h"

#include "layout/placement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

namespace aotscope::layout {

namespace {

constexpr std::size_t bothHalves = 2;

std::string countOfBoxes(std::size_t count) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3) {
        digits.insert(at - 3, ",");
    }
    return digits;
}

/// Why dot was not used, in words.
std::string reason(const base::Error& error, const std::string& program, double seconds) {
    if (error.code == "base.program_missing") {
        return "Graphviz's program " + program + " could not be started (" + error.message +
               "); install the package graphviz for a better picture";
    }
    if (error.code == "base.program_late") {
        const auto whole = std::lround(seconds);
        return program + " needed more than " + std::to_string(whole) +
               " s; close some groups for a better picture";
    }
    std::string text = program + " failed: " + error.message;
    for (const std::string& note : error.notes) {
        text += note.empty() ? "" : " (" + note + ")";
    }
    return text;
}

base::Result<std::vector<Placement>> placeBothWithDot(const VisibleGraph& visible,
                                                      const LayoutOptions& options,
                                                      const std::string& program,
                                                      const std::stop_token& outer) {
    const std::chrono::duration<double> limit(std::max(0.0, options.dotSeconds));
    // Two dot processes run at once, one per half; if one fails, the other is stopped.
    std::stop_source both;
    const std::stop_callback pass(outer, [&both] { both.request_stop(); });
    base::Result<Placement> backward = base::canceledError();
    std::jthread other([&] {
        backward = placeWithDot(visible, 1, program, limit, both.get_token());
        if (!backward) {
            both.request_stop();
        }
    });
    base::Result<Placement> forward = placeWithDot(visible, 0, program, limit, both.get_token());
    if (!forward) {
        both.request_stop();
    }
    other.join();
    if (outer.stop_requested()) {
        return base::canceledError();
    }
    for (base::Result<Placement>* each : {&forward, &backward}) {
        if (!*each && !base::isCanceled(each->error())) {
            return std::move(*each).error();
        }
    }
    std::vector<Placement> halves;
    halves.push_back(std::move(*forward));
    halves.push_back(std::move(*backward));
    return halves;
}

} // namespace

base::Result<void> placeBoxes(VisibleGraph& visible, const LayoutOptions& options, base::Progress progress) {
    Layout& layout = visible.layout;
    AOTSCOPE_CHECK(progress.checkStop());
    std::optional<std::vector<Placement>> halves;
    if (layout.boxes.size() > options.mostBoxesForDot) {
        layout.note =
            countOfBoxes(layout.boxes.size()) +
            " boxes are visible, more than dot lays out quickly; close some groups for a better picture";
    } else {
        progress.report("Laying out", 0, layout.boxes.size(), "dot");
        const std::string program = options.dotProgram.empty() ? "dot" : options.dotProgram;
        auto placed = placeBothWithDot(visible, options, program, progress.stopToken());
        if (placed) {
            halves = *std::move(placed);
            layout.engine = "dot";
        } else if (base::isCanceled(placed.error())) {
            return base::canceledError();
        } else {
            layout.note = reason(placed.error(), program, options.dotSeconds);
        }
    }
    if (!halves) {
        layout.engine = "program order";
        progress.report("Laying out", 0, layout.boxes.size(), "in program order");
        halves.emplace();
        for (std::size_t half = 0; half < bothHalves; ++half) {
            halves->push_back(placeInProgramOrder(visible, half));
        }
    }
    AOTSCOPE_CHECK(progress.checkStop());
    compose(visible, *std::move(halves));
    progress.report("Laying out", layout.boxes.size(), layout.boxes.size());
    return {};
}

base::Result<LayoutPtr> computeLayout(const ir::Graph& graph, const ir::ModulePaths& modules,
                                      const LayoutOptions& options, base::Progress progress) {
    progress.report("Grouping", 0, graph.size());
    AOTSCOPE_CHECK(progress.checkStop());
    VisibleGraph visible = makeVisibleGraph(graph, modules, options);
    AOTSCOPE_CHECK(placeBoxes(visible, options, std::move(progress)));
    return std::make_shared<const Layout>(std::move(visible.layout));
}

} // namespace aotscope::layout
