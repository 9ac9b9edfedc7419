#pragma once

#include "session/snapshots.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace aotscope::views {

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
    friend bool operator==(const Problem&, const Problem&) = default;
};

/// The problems of one source, as they are replaced together: a log's, or a graph's. All are of one log.
struct ProblemList {
    std::vector<Problem> all;
    std::size_t errors = 0;
};
using ProblemListPtr = std::shared_ptr<const ProblemList>;

/// `before` itself where these are the same.
[[nodiscard]] ProblemListPtr listOf(std::vector<Problem> problems, const ProblemListPtr& before = nullptr);

/// Bad records, failed and restarted compiles and graph breaks of a log. A pure function, called off the
/// window's thread: a log may hold many compiles.
[[nodiscard]] std::vector<Problem> problemsOfLog(const session::LogSnapshotPtr& log);
[[nodiscard]] std::vector<Problem> problemsOfGraph(const session::GraphSnapshot& graph);
[[nodiscard]] std::vector<Problem> problemsOfRun(const session::RunSnapshot& run);

} // namespace aotscope::views
