#pragma once

#include "session/reference.h"
#include "session/retrace_snapshot.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace aotscope::views {

/// Values that stand out everywhere: those alive at a moment of a step, or over a stretch of it.
struct Spotlight {
    /// A graph of the compile; the others of the compile are meant, too.
    session::ArtifactReference artifact;
    /// By name, which the compile's graphs share.
    std::unordered_set<std::string> nodes;
    /// Tables show these values and no others; without, pictures fade the others.
    bool filters = false;

    /// Whether it speaks of the nodes of that graph.
    [[nodiscard]] bool covers(const session::ArtifactReference& graph) const {
        return graph.log == artifact.log && graph.compile == artifact.compile && graph.rank == artifact.rank;
    }
};
using SpotlightPtr = std::shared_ptr<const Spotlight>;

/// The window's one current point: which artifact of which compile, and which node in it. Every panel follows
/// it and sets it; panels know nothing of one another. Keeps the way back and forward.
class SelectionHub : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] const std::optional<session::Selection>& current() const { return m_current; }
    /// Selects and remembers; `source` is the panel that did it, so that it can ignore the echo. Selecting
    /// what is selected does nothing.
    void select(const session::Selection& selection, QObject* source = nullptr);
    /// Lights up the same node in other panels without moving anything; nullopt: nothing is hovered.
    void hover(const std::optional<session::Selection>& selection, QObject* source = nullptr);

    /// Null: nothing stands out.
    [[nodiscard]] const SpotlightPtr& spotlight() const { return m_spotlight; }
    void setSpotlight(SpotlightPtr spotlight);

    /// The trace whose stages can be walked through: the picture of each is made with the others. Null: none.
    [[nodiscard]] const session::RetraceSnapshotPtr& stages() const { return m_stages; }
    void setStages(session::RetraceSnapshotPtr traced);

    [[nodiscard]] bool canGoBack() const;
    [[nodiscard]] bool canGoForward() const;
    void goBack();
    void goForward();
    /// Forgets everything that points into a closed log.
    void forgetLog(quint32 log);

Q_SIGNALS:
    void selectionChanged(const aotscope::session::Selection& selection, QObject* source);
    void hoverChanged(const std::optional<aotscope::session::Selection>& selection, QObject* source);
    void historyChanged();
    void spotlightChanged();
    void stagesChanged();

private:
    void showHistory(std::size_t position);

    std::optional<session::Selection> m_current;
    std::optional<session::Selection> m_hovered;
    SpotlightPtr m_spotlight;
    session::RetraceSnapshotPtr m_stages;
    std::vector<session::Selection> m_history;
    std::size_t m_position = 0;
};

} // namespace aotscope::views
