#pragma once

#include "contract/requests.h"

#include <string_view>
#include <variant>

/// All requests of a person as one type, which the worker queues and the session carries out.
namespace aotscope::session {

using CommandVariant = std::variant<OpenLogs, FollowLog, CloseLog, LoadGraph, LayOutGraph, LoadPayload,
                                    LoadGeneratedCode, CompareGraphs, RunGraph, RunTrainingStep, Retrace,
                                    CallCompiled, PartitionJoint, SweepBudgets, FindAlternative, MarkSplit,
                                    LoadValue, CompareWithReference, MeasureHooks, SuggestHooks, RerunNodes,
                                    CheckKernels, ListDevices, MatchTimeline, PlanKernels, BuildKernel>;
/// A class and not an alias, so that its copy and destructor are compiled only once.
struct Command : CommandVariant {
    using CommandVariant::CommandVariant;
    Command();
    Command(const Command& other);
    Command(Command&& other) noexcept;
    Command& operator=(const Command& other);
    Command& operator=(Command&& other) noexcept;
    ~Command();
};

/// "open", "layout", … for progress and logs.
[[nodiscard]] std::string_view commandName(const Command& command);
[[nodiscard]] CommandLane laneOf(const Command& command);

} // namespace aotscope::session
