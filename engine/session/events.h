#pragma once

#include "session/retrace_snapshot.h"
#include "session/snapshots.h"
#include "session/split_fates.h"
#include "session/step_snapshot.h"
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

using EventBody =
    std::variant<Started, Progressed, LogSnapshotPtr, GraphSnapshotPtr, LayoutSnapshotPtr, PayloadSnapshotPtr,
                 DiffSnapshotPtr, RunSnapshotPtr, StepRunSnapshotPtr, RetraceSnapshotPtr, TracePausePtr,
                 StepSnapshotPtr, BudgetSweepSnapshotPtr, NodeAlternativeSnapshotPtr, SplitMarksSnapshotPtr,
                 LogClosed, Finished, Canceled, Failed>;

struct Event {
    std::uint64_t job = 0;
    /// The tag the command was sent with.
    std::string tag;
    EventBody body;
};

} // namespace aotscope::session
