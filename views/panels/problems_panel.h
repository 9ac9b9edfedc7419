#pragma once

#include "common/view_context.h"
#include "contract/snapshots.h"
#include "panels/problem.h"

#include <QWidget>

#include <functional>
#include <map>
#include <stop_token>
#include <vector>

class QLabel;
class QTreeView;

namespace aotscope::views {

class EmptyPage;
class ProblemModel;

/// The Problems dock: bad records, failures, graph breaks, findings of graph verification and runs, and
/// failed commands. A click selects the place.
class ProblemsPanel : public QWidget {
    Q_OBJECT

public:
    explicit ProblemsPanel(const ViewContext& context, QWidget* parent = nullptr);
    ~ProblemsPanel() override;

    void addFailure(const base::Error& error);
    [[nodiscard]] ProblemModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }

Q_SIGNALS:
    void recordRequested(quint32 log, aotscope::load::RecordId record);

private:
    void followLog(const session::LogSnapshotPtr& log);
    void findWarnings(const session::LogSnapshotPtr& log);
    void replace(const QString& source, std::function<std::vector<Problem>()> find, std::size_t many);
    void rowActivated(const QModelIndex& index);
    void updateEmpty();

    ViewContext m_context;
    ProblemModel* m_model;
    QTreeView* m_view;
    QLabel* m_count;
    EmptyPage* m_pages;
    int m_failures = 0;
    /// Number of the last question per source.
    std::map<QString, quint64> m_asked;
    quint64 m_questions = 0;
    /// By log: stops the search for warnings in its graphs.
    std::map<quint32, std::stop_source> m_searches;
};

} // namespace aotscope::views
