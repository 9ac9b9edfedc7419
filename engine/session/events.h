#pragma once

#include "session/explore/partition_snapshot.h"
#include "session/explore/split_fates.h"
#include "session/retrace_snapshot.h"
#include "session/snapshots.h"
#include "session/trace_pause.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <variant>

/// What the engine answers. Every job ends in exactly one of Finished, Canceled, Failed.
namespace aotscope::session {

struct Started {
    std::string command;
};
/// Of a job that has not started: another is not done, which may wait for a person.
struct Waiting {
    std::string command;
    std::uint64_t behind = 0;
    std::string behindCommand;
};
struct Progressed {
    base::ProgressState state;
};
struct LogClosed {
    std::uint32_t log = 0;
};
struct Finished {};
struct Canceled {};
struct Failed {
    base::Error error;
};

using EventVariant =
    std::variant<Started, Waiting, Progressed, LogSnapshotPtr, GraphSnapshotPtr, LayoutSnapshotPtr,
                 PayloadSnapshotPtr, DiffSnapshotPtr, RunSnapshotPtr, TrainingStepSnapshotPtr,
                 RetraceSnapshotPtr, TracePausePtr, PartitionSnapshotPtr, BudgetSweepSnapshotPtr,
                 NodeAlternativeSnapshotPtr, SplitMarksSnapshotPtr, LogClosed, Finished, Canceled, Failed>;
/// A type of its own: how it is copied and destroyed is compiled once, not by every file that has one.
struct EventBody : EventVariant {
    using EventVariant::EventVariant;
    EventBody();
    EventBody(const EventBody& other);
    EventBody(EventBody&& other) noexcept;
    EventBody& operator=(const EventBody& other);
    EventBody& operator=(EventBody&& other) noexcept;
    ~EventBody();
};

struct Event {
    std::uint64_t job = 0;
    /// The tag the command was sent with.
    std::string tag;
    EventBody body;
};

} // namespace aotscope::session
