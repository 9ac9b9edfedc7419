#pragma once

#include "session/backend.h"
#include "session/commands.h"
#include "session/events.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace aotscope::session {

struct SessionOptions {
    /// Where a failing run leaves its reproducer (see reproducer.h); empty: nowhere.
    std::filesystem::path reproducerFolder = {};
    /// Parsed graphs are kept up to this many nodes in all; the least recently used go first.
    std::size_t cachedNodes = 2'000'000;
};

/// The engine as a state machine without threads or Qt: executes a command on the calling thread and sends
/// its events through the sink. Open logs and parsed graphs live here. The command line calls it directly,
/// the window through Worker. Thread-safe: commands may be executed from several threads at once (Worker does
/// so from several); runs wait for one another.
class Session {
public:
    using Sink = std::function<void(EventBody)>;

    explicit Session(BackendFactory backendFactory = {}, SessionOptions options = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Executes a command to its end. Sends Started, snapshots and progress, then exactly one of Finished,
    /// Canceled, Failed; never throws unless the sink does: an exception of a library becomes Failed.
    void execute(const Command& command, const Sink& sink, const std::stop_token& stop = {});

    /// Lets a paused trace go on (TracePause::number). May be called from any thread, from the sink too.
    /// False when that pause is over, or has its answer.
    bool answerPause(std::uint64_t pause, PauseAnswer answer);

    // Direct access for the command line, same rules.

    /// Errors: session.no_such_log, session.no_such_compile, session.no_such_artifact,
    /// session.no_such_subgraph (each names what there is), session.canceled. Text that cannot be parsed is
    /// no error here: see GraphSnapshot::error.
    [[nodiscard]] base::Result<GraphSnapshotPtr> graph(const ArtifactReference& reference,
                                                       const base::Progress& progress = {});
    [[nodiscard]] std::vector<LogSnapshotPtr> logs() const;
    [[nodiscard]] LogSnapshotPtr tryLog(std::uint32_t log) const;
    /// Every operator schema the backend knows, one per line, sorted. Opens the backend.
    [[nodiscard]] base::Result<std::vector<std::string>> operatorSchemas();
    /// What of PyTorch's own lists the backend can trace; area by area. Opens the backend.
    [[nodiscard]] base::Result<std::vector<CoverageRow>> coverage();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::session
