#pragma once

#include "contract/backend.h"
#include "session/commands.h"
#include "session/events.h"

#include "aot/compiled_function.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace aotscope::session {

class SharedBackend;

struct SessionOptions {
    /// Where failed runs leave their reproducers (see reproducer.h); empty: nowhere.
    std::filesystem::path reproducerFolder = {};
    /// Bound of the cache of parsed graphs, in nodes; the least recently used are dropped first.
    std::size_t cachedNodes = 2'000'000;
    /// Where re-traces that ask for it keep compiled functions (cache/function_cache.h); empty: in memory
    /// alone.
    std::filesystem::path compileCacheFolder = {};
};

/// The engine without threads or Qt: executes a command on the calling thread and sends its events to the
/// sink. Owns open logs and parsed graphs. The command line calls it directly, the window through Worker.
/// Thread-safe: several threads may execute commands at once, as Worker does; runs wait for each other.
class Session {
public:
    using Sink = std::function<void(EventBody)>;

    explicit Session(BackendFactory backendFactory = {}, SessionOptions options = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Executes a command until it ends. Sends Started, then snapshots and progress, then exactly one of
    /// Finished, Canceled, Failed. Throws only what the sink throws: a library's exception becomes Failed.
    void execute(const Command& command, const Sink& sink, const std::stop_token& stop = {});

    /// Resumes the paused trace with that TracePause::number. Any thread may call it, also from within the
    /// sink. False if the pause is over or already answered.
    bool answerPause(std::uint64_t pause, PauseAnswer answer);

    /// Resumes the compiled call that stands still at the steps::StepPause of that number. As answerPause.
    bool answerStep(std::uint64_t pause, steps::StepAnswer answer);

    // Direct access for the command line. Thread-safe like execute.

    /// Errors: session.no_such_log, session.no_such_compile, session.no_such_artifact,
    /// session.no_such_subgraph (each lists what exists), session.canceled. Text that cannot be parsed is not
    /// an error here: see GraphSnapshot::error.
    [[nodiscard]] base::Result<GraphSnapshotPtr> graph(const ArtifactReference& reference,
                                                       const base::Progress& progress = {});
    [[nodiscard]] std::vector<LogSnapshotPtr> logs() const;
    [[nodiscard]] LogSnapshotPtr tryLog(std::uint32_t log) const;
    /// splitRetraced; if the re-trace used the cache of compiled functions, the partition is taken from there
    /// or stored there too. Errors: those of splitRetraced; session.no_such_log.
    [[nodiscard]] base::Result<aot::CompiledFunction> split(const RetraceSnapshot& retraced,
                                                            const base::Progress& progress = {});
    /// For questions outside of commands (session/shared_backend.h).
    [[nodiscard]] SharedBackend& backend();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::session
