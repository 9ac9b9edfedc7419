#pragma once

#include "common/view_context.h"
#include "contract/reference.h"

#include <QObject>

#include <string>

namespace aotscope::views {

class GraphPanel;
class PanelDocks;

/// Connects requests of one panel with another panel: to compare, to show a text, a record, or why a node is
/// saved. Panels do not know each other.
class PanelLinks : public QObject {
    Q_OBJECT

public:
    /// `docks` and the objects in `context` must outlive the links.
    PanelLinks(const ViewContext& context, PanelDocks* docks, QObject* parent);

    void compare(const session::ArtifactReference& left, const session::ArtifactReference& right);
    void showWhy();
    /// Goes by `step` stages in the shown trace; if there are no stages, says how to get some.
    void moveStage(int step);

    /// Whether keys for stepping go to a compiled call and not to a trace: only it is paused, or it has the
    /// keyboard focus, or it paused last; if nothing is paused, whether a panel of calls has the focus.
    [[nodiscard]] bool callHasKeys() const;
    /// Whether the panel with that id has the keyboard focus.
    [[nodiscard]] bool hasKeyboard(const char* id) const;
    /// F9: at the row of Events, the wrapper at hand, or the line of Text, whichever has the focus.
    void toggleBreakpoint();
    /// To the row of Events if that panel has the focus, else to the selected node.
    void runToCursor();
    void callFunction(bool stepThrough);

Q_SIGNALS:
    /// A message for the status bar.
    void said(const QString& message);
    /// The set of possible commands may have changed.
    void stateChanged();

private:
    void linkNodeActions(GraphPanel* graph);
    void toggleBreakpointAt(const std::string& node);
    void followCall();

    ViewContext m_context;
    PanelDocks* m_docks;
    bool m_isCalling = false;
    bool m_isCallPaused = false;
    /// If a trace and a call are both paused: the call paused later.
    bool m_callPausedLast = false;
};

} // namespace aotscope::views
