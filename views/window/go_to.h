#pragma once

#include "common/view_context.h"
#include "session/reference.h"

#include <QObject>
#include <QString>

namespace aotscope::views {

class CommandList;
class QuickPick;

/// What a person goes to by typing parts of its name: compiles, graphs, nodes, source lines, commands.
class GoToAnything : public QObject {
    Q_OBJECT

public:
    /// `commands` and what is in `context` outlive it; `pick`, the list that is typed into, owns it.
    GoToAnything(const ViewContext& context, const CommandList* commands, QuickPick* pick);

    /// `start`: as if it had been typed; its first letter says what is listed (">", "@", "#").
    void open(const QString& start = {});
    void openCommandPalette();
    /// Asks for the graph that the selected one is to be compared with.
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
