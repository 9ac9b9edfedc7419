#pragma once

#include "common/view_context.h"
#include "session/reference.h"

#include <QObject>

namespace aotscope::views {

class PanelDocks;

/// What one panel asks of another, which knows nothing of it: to compare, to show a text, a record or why a
/// node is saved.
class PanelLinks : public QObject {
    Q_OBJECT

public:
    /// Both, and what is in `context`, outlive the links.
    PanelLinks(const ViewContext& context, PanelDocks* docks, QObject* parent);

    void compare(const session::ArtifactReference& left, const session::ArtifactReference& right);
    void showWhy();
    /// To a stage of the trace that is shown, by so many stages; says how to get some where there are none.
    void moveStage(int step);

Q_SIGNALS:
    /// To a person, in the status bar.
    void said(const QString& message);
    /// What commands are possible may have changed.
    void stateChanged();

private:
    PanelDocks* m_docks;
};

} // namespace aotscope::views
