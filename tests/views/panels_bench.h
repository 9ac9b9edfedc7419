#pragma once

#include "support/window_bench.h"

#include "common/code_view.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "panels/text_panel.h"
#include "window/graph_dock.h"

#include <QTreeView>

namespace aotscope::views {

/// The window with the sample log's joint graph laid out.
struct PanelsBench : test::WindowBench {
    PanelsBench() = default;

    [[nodiscard]] bool openSample() {
        return open(test::sampleLogPath()) &&
               QTest::qWaitFor([this] { return pictureShows("joint"); }, test::patience);
    }
    [[nodiscard]] bool pictureShows(const std::string& artifact) const {
        const session::LayoutSnapshotPtr shown = window->panel<GraphDock>()->panel()->shown();
        return shown && shown->graph->reference.artifact == artifact;
    }
    [[nodiscard]] const session::GraphSnapshot& graph() const { return *window->currentGraph()->graph(); }
    [[nodiscard]] GraphCanvas* canvas() const {
        return window->panel<GraphDock>()->findChild<GraphCanvas*>();
    }
    [[nodiscard]] CodeView* text() const { return window->panel<TextPanel>()->view(); }
    /// A node that has a box of its own in the picture; `from` counts along the program.
    [[nodiscard]] ir::NodeId visibleNode(std::size_t from) const {
        const auto order = graph().graph->order();
        for (std::size_t i = from; i < order.size(); ++i) {
            const BoxId box = canvas()->scene()->boxOf(order[i]);
            if (box.valid() && canvas()->scene()->box(box).node == order[i]) {
                return order[i];
            }
        }
        return {};
    }
    [[nodiscard]] std::string nameOf(ir::NodeId node) const { return graph().graph->node(node).name; }
    void clickRow(QTreeView* view, const QModelIndex& index) const {
        view->scrollTo(index);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
    }
    void raise(const char* dock) const {
        window->dock(QLatin1String(dock))->show();
        window->dock(QLatin1String(dock))->raise();
        QCoreApplication::processEvents();
    }
};

} // namespace aotscope::views
