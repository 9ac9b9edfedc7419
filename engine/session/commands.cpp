#include "session/commands.h"

namespace aotscope::session {

namespace {

struct NameOf {
    std::string_view operator()(const OpenLogs& /*command*/) const { return "open"; }
    std::string_view operator()(const FollowLog& /*command*/) const { return "follow"; }
    std::string_view operator()(const CloseLog& /*command*/) const { return "close"; }
    std::string_view operator()(const LoadGraph& /*command*/) const { return "graph"; }
    std::string_view operator()(const LayOutGraph& /*command*/) const { return "layout"; }
    std::string_view operator()(const LoadPayload& /*command*/) const { return "payload"; }
    std::string_view operator()(const LoadGeneratedCode& /*command*/) const { return "generated code"; }
    std::string_view operator()(const CompareGraphs& /*command*/) const { return "compare"; }
    std::string_view operator()(const RunGraph& /*command*/) const { return "run"; }
    std::string_view operator()(const RunTrainingStep& /*command*/) const { return "run step"; }
    std::string_view operator()(const Retrace& /*command*/) const { return "retrace"; }
    std::string_view operator()(const CallCompiled& /*command*/) const { return "call"; }
    std::string_view operator()(const PartitionJoint& /*command*/) const { return "partition"; }
    std::string_view operator()(const SweepBudgets& /*command*/) const { return "budgets"; }
    std::string_view operator()(const FindAlternative& /*command*/) const { return "alternative"; }
    std::string_view operator()(const MarkSplit& /*command*/) const { return "marks"; }
    std::string_view operator()(const LoadValue& /*command*/) const { return "value"; }
    std::string_view operator()(const CompareWithReference& /*command*/) const { return "reference"; }
    std::string_view operator()(const MeasureHooks& /*command*/) const { return "hook errors"; }
    std::string_view operator()(const RerunNodes& /*command*/) const { return "rerun"; }
    std::string_view operator()(const PlanKernels& /*command*/) const { return "plan kernels"; }
    std::string_view operator()(const BuildKernel& /*command*/) const { return "build kernel"; }
    std::string_view operator()(const SuggestHooks& /*command*/) const { return "suggest hooks"; }
    std::string_view operator()(const CheckKernels& /*command*/) const { return "check kernels"; }
    std::string_view operator()(const ListDevices& /*command*/) const { return "devices"; }
    std::string_view operator()(const MatchTimeline& /*command*/) const { return "match"; }
};

} // namespace

Command::Command() = default;
Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

std::string_view commandName(const Command& command) {
    return std::visit(NameOf{}, command);
}

} // namespace aotscope::session
