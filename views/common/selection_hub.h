#pragma once

#include "contract/reference.h"
#include "contract/retrace_snapshot.h"

#include <QObject>

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace aotscope::views {

/// Values highlighted in all panels: those alive at a moment of the training step, or during a part of it.
struct Spotlight {
    /// A graph of the compile; the highlight applies to all graphs of that compile.
    session::ArtifactReference artifact;
    /// By name; names are shared by the graphs of a compile.
    std::unordered_set<std::string> nodes;
    /// True: tables show only these values. False: pictures fade the others.
    bool filters = false;

    /// Whether it applies to that graph.
    [[nodiscard]] bool covers(const session::ArtifactReference& graph) const {
        return graph.log == artifact.log && graph.compile == artifact.compile && graph.rank == artifact.rank;
    }
};
using SpotlightPtr = std::shared_ptr<const Spotlight>;

/// The window's current selection: an artifact of a compile and a node in it. All panels follow and set it
/// and do not know each other. Keeps the history for back and forward.
class SelectionHub : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] const std::optional<session::Selection>& current() const { return m_current; }
    /// Selects and adds to the history. `source` is the calling panel, so that it can ignore the signal. Does
    /// nothing if the selection is the same.
    void select(const session::Selection& selection, QObject* source = nullptr);
    /// Highlights a node in the other panels without scrolling; nullopt: nothing is hovered.
    void hover(const std::optional<session::Selection>& selection, QObject* source = nullptr);

    /// Null: no highlight.
    [[nodiscard]] const SpotlightPtr& spotlight() const { return m_spotlight; }
    void setSpotlight(SpotlightPtr spotlight);

    /// The trace whose stages are browsed; its stages are laid out together. Null: none.
    [[nodiscard]] const session::RetraceSnapshotPtr& stages() const { return m_stages; }
    void setStages(session::RetraceSnapshotPtr traced);

    [[nodiscard]] bool canGoBack() const;
    [[nodiscard]] bool canGoForward() const;
    void goBack();
    void goForward();
    /// Removes everything that refers to a closed log.
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
