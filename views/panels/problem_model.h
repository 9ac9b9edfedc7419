#pragma once

#include "common/latest_answer.h"
#include "files/log_names.h"
#include "panels/problem.h"

#include <QAbstractTableModel>

#include <functional>
#include <map>

namespace aotscope::views {

class ThemeSource;

/// The problems of all sources, failures first. Long lists are sorted on another thread and shown later.
class ProblemModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { What, Where, Message, ColumnCount };

    ProblemModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Replaces all problems of a source; the same list changes nothing.
    void setProblems(const QString& source, const ProblemListPtr& problems);
    /// Null: none are known.
    [[nodiscard]] ProblemListPtr problemsOf(const QString& source) const;
    void removeLog(quint32 log);
    void clearFailures();
    void setFilter(const QString& filter);
    /// Names of the logs, because several logs may each have a compile 0/0.
    using LogNames = std::map<quint32, session::LogName>;
    void setLogNames(const LogNames& names);
    [[nodiscard]] const Problem* problemAt(int row) const;
    /// Includes rows that the filter hides.
    [[nodiscard]] std::size_t total() const;
    [[nodiscard]] std::size_t errors() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Source {
        QString name;
        ProblemListPtr problems;
    };
    struct Rows {
        /// Keeps alive what the rows point to.
        std::vector<Source> sources;
        std::vector<const Problem*> rows;
    };
    using RowsPtr = std::shared_ptr<Rows>;
    [[nodiscard]] static RowsPtr rowsOf(const std::vector<Source>& sources, const LogNames& names,
                                        const QString& filter);
    void remove(const std::function<bool(const Problem&)>& isGone);
    void arrange();
    void show(RowsPtr rows);

    const ThemeSource* m_theme;
    /// In order of arrival; none is empty.
    std::vector<Source> m_sources;
    /// Never null.
    RowsPtr m_shown = std::make_shared<Rows>();
    LogNames m_logNames;
    QString m_filter;
    LatestAnswer m_answer;
};

} // namespace aotscope::views
