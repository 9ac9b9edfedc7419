#pragma once

#include "common/view_context.h"
#include "session/reference.h"

#include <QObject>

namespace aotscope::views {

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

Q_SIGNALS:
    /// A message for the status bar.
    void said(const QString& message);
    /// The set of possible commands may have changed.
    void stateChanged();

private:
    PanelDocks* m_docks;
};

} // namespace aotscope::views
