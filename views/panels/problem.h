#pragma once

#include "contract/snapshots.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace aotscope::views {

enum class Severity { Error, Warning, Note };

/// A problem, and where it leads to.
struct Problem {
    Severity severity = Severity::Error;
    /// "bad record", "failed compile", "graph break", …
    QString what;
    QString where;
    QString message;
    /// Nothing for failed commands, which belong to no log.
    std::optional<quint32> log;
    std::optional<session::Selection> selection;
    std::optional<load::RecordId> record;
    friend bool operator==(const Problem&, const Problem&) = default;
};

/// The problems of one source (a log or a graph), which are replaced together. All belong to one log.
struct ProblemList {
    std::vector<Problem> all;
    std::size_t errors = 0;
};
using ProblemListPtr = std::shared_ptr<const ProblemList>;

/// Returns `before` itself if the problems are the same.
[[nodiscard]] ProblemListPtr listOf(std::vector<Problem> problems, const ProblemListPtr& before = nullptr);

/// Bad records, failed and restarted compiles, and graph breaks of a log. A pure function that runs on
/// another thread, because a log may have many compiles.
[[nodiscard]] std::vector<Problem> problemsOfLog(const session::LogSnapshotPtr& log);
/// Graphs of a log that cannot be read, and what the others show by themselves of wrong results. Reads them
/// all.
[[nodiscard]] std::vector<Problem> warningsOfLog(const session::LogSnapshot& log,
                                                 const std::stop_token& stop);
/// `isListed`: warningsOfLog says it of graphs that cannot be read.
[[nodiscard]] std::vector<Problem> problemsOfGraph(const session::GraphSnapshot& graph,
                                                   bool isListed = false);
[[nodiscard]] std::vector<Problem> problemsOfRun(const session::RunSnapshot& run);

} // namespace aotscope::views
