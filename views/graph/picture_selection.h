#pragma once

#include "contract/snapshots.h"
#include "graph/graph_canvas.h"

#include <QObject>

#include <optional>
#include <string>
#include <vector>

namespace aotscope::views {

class SelectionHub;
struct Breadcrumb;

/// Carries the window's selection, hover and spotlight into the picture, and what a person picks in the
/// picture back to the window.
class PictureSelection : public QObject {
public:
    /// `source` is named as the source of what is picked here.
    PictureSelection(SelectionHub* hub, GraphCanvas* canvas, QObject* source, QObject* parent = nullptr);

    /// The selected node of the shown graph; invalid: none.
    [[nodiscard]] ir::NodeId node() const;
    /// Makes the selected node's box current.
    void show(bool center);
    void showSpotlight();
    /// Shows the boxes of a module's nodes.
    void showModule(const std::string& module);
    /// Adds the names of the current box: its module and node.
    void nameCurrent(Breadcrumb& crumb) const;
    /// Selects what a box stands for; an invalid box: the graph.
    void pick(BoxId box);
    void select(ir::NodeId node);
    /// See GraphPanel::picked.
    [[nodiscard]] std::vector<ir::NodeId> picked() const;

private:
    [[nodiscard]] const session::GraphSnapshot& graph() const;
    [[nodiscard]] ir::NodeId standsFor(BoxId box) const;
    void hover(BoxId box);
    void showHovered(const std::optional<session::Selection>& hovered, QObject* source);

    SelectionHub* m_hub;
    GraphCanvas* m_canvas;
    QObject* m_source;
};

} // namespace aotscope::views
