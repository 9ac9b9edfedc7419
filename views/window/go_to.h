#pragma once

#include "common/view_context.h"
#include "contract/reference.h"

#include <QObject>
#include <QString>

namespace aotscope::views {

class CommandList;
class QuickPick;

/// Go-to by typing parts of a name: compiles, graphs, nodes, source lines, commands.
class GoToAnything : public QObject {
    Q_OBJECT

public:
    /// `commands` and the objects in `context` must outlive it. `pick`, the list to type into, owns it.
    GoToAnything(const ViewContext& context, const CommandList* commands, QuickPick* pick);

    /// Opens the list with `start` typed in; its first letter selects what is listed (">", "@", "#").
    void open(const QString& start = {});
    void openCommandPalette();
    /// Asks which graph to compare the selected one with.
    void askForComparison();

Q_SIGNALS:
    void compareRequested(const aotscope::session::ArtifactReference& left,
                          const aotscope::session::ArtifactReference& right);

private:
    void goTo(const session::ArtifactReference& reference);

    ViewContext m_context;
    const CommandList* m_commands;
    QuickPick* m_pick;
};

} // namespace aotscope::views
