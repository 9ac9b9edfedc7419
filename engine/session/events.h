#pragma once

#include "contract/call_snapshot.h"
#include "contract/devices.h"
#include "contract/hooks_snapshot.h"
#include "contract/kernel_build.h"
#include "contract/kernel_check.h"
#include "contract/partition_snapshot.h"
#include "contract/reference_run.h"
#include "contract/rerun_request.h"
#include "contract/retrace_snapshot.h"
#include "contract/snapshots.h"
#include "contract/trace_pause.h"
#include "explore/split_fates.h"
#include "runs/value_snapshot.h"

#include "steps/step_pause.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <variant>

/// The engine's answers. Every job ends with exactly one of Finished, Canceled, Failed.
namespace aotscope::session {

struct Started {
    std::string command;
};
/// The job has not started because another one, which may be waiting for a person, is not done.
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

using EventVariant = std::variant<
    Started, Waiting, Progressed, LogSnapshotPtr, GraphSnapshotPtr, LayoutSnapshotPtr, PayloadSnapshotPtr,
    GeneratedCodeSnapshotPtr, DiffSnapshotPtr, RunSnapshotPtr, TrainingStepSnapshotPtr, RetraceSnapshotPtr,
    TracePausePtr, CallSnapshotPtr, steps::StepPausePtr, PartitionSnapshotPtr, BudgetSweepSnapshotPtr,
    NodeAlternativeSnapshotPtr, SplitMarksSnapshotPtr, ValueSnapshotPtr, ReferenceSnapshotPtr,
    HookErrorsSnapshotPtr, HookSuggestionSnapshotPtr, RerunSnapshotPtr, KernelCheckSnapshotPtr, DeviceListPtr,
    ProfileSnapshotPtr, KernelPlanSnapshotPtr, KernelBuildSnapshotPtr, LogClosed, Finished, Canceled, Failed>;
/// A class and not an alias, so that its copy and destructor are compiled only once.
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
    /// The tag that came with the command.
    std::string tag;
    EventBody body;
};

} // namespace aotscope::session
