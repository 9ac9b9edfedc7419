#pragma once

#include "session/backend.h"
#include "session/commands.h"
#include "session/events.h"

#include <functional>
#include <memory>
#include <stop_token>

namespace aotscope::session {

/// The engine as a state machine without threads or Qt: takes one command at a time, sends events through the
/// sink on the calling thread. Open logs and parsed graphs live here. The command line calls it directly, the
/// window through Worker. Not thread-safe: one caller at a time.
class Session {
public:
    using Sink = std::function<void(EventBody)>;

    explicit Session(BackendFactory backendFactory = {});
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Executes a command to its end. Sends snapshots and progress, then exactly one of Finished, Canceled,
    /// Failed; never throws: an exception of a library becomes Failed.
    void execute(const Command& command, const Sink& sink, std::stop_token stop = {});

    // Direct access for the command line, same rules.
    [[nodiscard]] base::Result<GraphSnapshotPtr> graph(const ArtifactReference& reference,
                                                       base::Progress progress = {});
    [[nodiscard]] std::vector<LogSnapshotPtr> logs() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::session
