#pragma once

#include "session/backend.h"
#include "session/graph_runner.h"

#include "base/progress.h"
#include "base/result.h"

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace aotscope::session {

/// The one backend of a session: opened by the first that needs it, used by one at a time, but that a trace
/// which stands still at a pause lets others have it until it is answered. Who waits for it stops waiting
/// when its progress says to stop. Thread-safe.
/// Errors of all: those of the factory; session.no_backend; session.canceled.
class SharedBackend {
public:
    explicit SharedBackend(BackendFactory factory) : m_factory(std::move(factory)) {}

    /// Runs a graph that could be parsed, as runGraph or runForTimes does.
    [[nodiscard]] base::Result<RunSnapshotPtr> run(GraphRunner runner, const GraphSnapshotPtr& graph,
                                                   const std::string& title, const RunOptions& options,
                                                   const std::filesystem::path& reproducerFolder,
                                                   base::Progress progress);
    /// The name is for progress.
    [[nodiscard]] base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                                           TracePauses pauses, const std::string& name,
                                                           base::Progress progress);
    [[nodiscard]] base::Result<std::vector<std::string>> operatorSchemas();
    [[nodiscard]] base::Result<std::vector<CoverageRow>> coverage();
    /// Names of the operators that it has; none where it cannot be opened.
    [[nodiscard]] std::set<std::string, std::less<>> knownOperators();

private:
    /// The time in which the backend is somebody's.
    class Turn;
    /// The caller has the turn.
    [[nodiscard]] base::Result<Backend*> open();

    std::mutex m_mutex;
    std::condition_variable_any m_free;
    bool m_taken = false;
    /// Of whoever has the turn.
    BackendFactory m_factory;
    std::unique_ptr<Backend> m_backend;
};

} // namespace aotscope::session
