#pragma once

#include "common/latest_answer.h"
#include "common/request.h"
#include "common/view_context.h"
#include "contract/snapshots.h"
#include "timeline/timeline_scene.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTextBrowser;

namespace aotscope::views {

class EmptyPage;
class TimelineCanvas;

/// The Timeline dock: profiled runs of the selected graph or training step, and open traces that a profiler
/// wrote elsewhere, matched with the graphs of the compile that was selected last. Selecting an event selects
/// its node and the other way round.
class TimelinePanel : public QWidget {
    Q_OBJECT

public:
    explicit TimelinePanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] TimelineCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] QComboBox* shownChoice() const { return m_shown; }
    [[nodiscard]] QPushButton* profileButton() const { return m_profile; }
    [[nodiscard]] QLineEdit* searchField() const { return m_search; }
    [[nodiscard]] QTextBrowser* details() const { return m_details; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString searchResult() const;
    [[nodiscard]] EmptyPage* pages() const { return m_pages; }
    /// The profile in the picture; null: none.
    [[nodiscard]] session::ProfilePtr profile() const;

    /// Runs the training step or graph that is selected under the profiler.
    void profileSelected();
    [[nodiscard]] bool canProfile() const { return m_runnable.has_value(); }

Q_SIGNALS:
    /// An open file turned out to be a trace; the dock should come into sight.
    void traceOpened();
    void runnableChanged();

private:
    /// What can be shown.
    struct Entry {
        QString title;
        session::ProfilePtr profile;
        /// The file of a trace; nothing: a run.
        std::optional<quint32> trace;
        /// What ran, or the graphs that a trace was matched with.
        std::vector<session::ArtifactReference> graphs;
    };
    /// What a press of the button would run.
    struct Runnable {
        session::ArtifactReference forward;
        std::optional<session::ArtifactReference> backward;
        friend bool operator==(const Runnable&, const Runnable&) = default;
    };

    QWidget* makeBar();
    void connectParts();
    void showEntry(std::size_t entry);
    void showPage();
    void makeScene(const session::ProfilePtr& profile);
    void refreshChoice();
    void refreshSummary();
    void refreshDetails();
    void followLink(const QUrl& link);
    void selectNode(std::uint32_t graph, const std::string& name);
    void pick(const std::optional<timeline::EventId>& event);
    void hover(const std::optional<timeline::EventId>& event);
    void followSelection(const session::Selection& selection, QObject* source);
    void followHover(const std::optional<session::Selection>& selection, QObject* source);
    /// The event of a selected node, and whether the picture has its graph at all.
    [[nodiscard]] std::optional<timeline::EventId> eventOf(const session::Selection& selection) const;
    [[nodiscard]] std::optional<session::Selection> selectionOf(timeline::EventId event) const;
    void search(const QString& words);
    void stepSearch(int step);

    // timeline_panel_run.cpp
    void connectRuns();
    void followRunnable();
    [[nodiscard]] std::optional<Runnable> runnableOf(const session::ArtifactReference& reference) const;
    [[nodiscard]] std::vector<session::ArtifactReference>
    graphsThatRan(const session::ArtifactReference& reference) const;
    void takeRun(const session::ProfilePtr& profile, std::vector<session::ArtifactReference> graphs);
    void takeLog(const session::LogSnapshotPtr& log);
    void matchTrace();
    void dropLog(quint32 log);
    [[nodiscard]] RequestBase* runRequest();
    void refreshButton();

    ViewContext m_context;
    TimelineCanvas* m_canvas;
    QComboBox* m_shown;
    QPushButton* m_profile;
    QLineEdit* m_search;
    QLabel* m_found;
    QLabel* m_summary;
    QTextBrowser* m_details;
    EmptyPage* m_pages;
    TimelineScenePtr m_scene;
    std::vector<Entry> m_entries;
    std::optional<std::size_t> m_current;
    std::optional<Runnable> m_runnable;
    /// The compile whose graphs are looked for in traces.
    std::optional<session::ArtifactReference> m_lastCompile;
    Request<session::RunSnapshotPtr> m_run;
    Request<session::TrainingStepSnapshotPtr> m_step;
    Request<session::ProfileSnapshotPtr> m_match;
    LatestAnswer m_searching;
    std::vector<timeline::EventId> m_hits;
    bool m_following = false;
};

} // namespace aotscope::views
