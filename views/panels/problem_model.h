#pragma once

#include "session/snapshots.h"

#include <QAbstractTableModel>
#include <QString>

#include <optional>
#include <vector>

namespace aotscope::views {

class ThemeSource;

enum class Severity { Error, Warning, Note };

/// Something a person should know of, and where it leads.
struct Problem {
    Severity severity = Severity::Error;
    /// "bad record", "failed compile", "graph break", …
    QString what;
    QString where;
    QString message;
    /// Log it belongs to; the failures of commands belong to none.
    std::optional<quint32> log;
    std::optional<session::Selection> selection;
    std::optional<load::RecordId> record;
    /// Replaced together: the log's, or one graph's.
    QString source;
    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Bad records, failed and restarted compiles and graph breaks of a log. A pure function, called off the
/// window's thread: a log may hold many compiles.
[[nodiscard]] std::vector<Problem> problemsOfLog(const session::LogSnapshotPtr& log);
[[nodiscard]] std::vector<Problem> problemsOfGraph(const session::GraphSnapshot& graph);
[[nodiscard]] std::vector<Problem> problemsOfRun(const session::RunSnapshot& run);

class ProblemModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { What, Where, Message, ColumnCount };

    ProblemModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Replaces all problems of that source; what is the same leaves the rows alone.
    void setProblems(const QString& source, std::vector<Problem> problems);
    void removeLog(quint32 log);
    void clearFailures();
    void setFilter(const QString& filter);
    [[nodiscard]] const Problem* problemAt(int row) const;
    [[nodiscard]] std::size_t total() const { return m_problems.size(); }
    [[nodiscard]] std::size_t errors() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void arrange();

    const ThemeSource* m_theme;
    std::vector<Problem> m_problems;
    std::vector<std::size_t> m_shown;
    QString m_filter;
};

} // namespace aotscope::views
