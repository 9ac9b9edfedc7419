#pragma once

#include "answer.h"

#include "contract/snapshots.h"
#include "runs/profile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A profiled run, or a profiler's trace beside graphs.
struct ProfileAnswer {
    std::string title;
    session::ProfilePtr profile;
    /// Set for a profiler's trace from another program.
    session::LogSnapshotPtr trace;
    /// "LibTorch 2.11.0 (CPU)"; empty for a trace.
    std::string backend;
    std::vector<std::string> notes;
};

struct KernelAnswer : timeline::KernelFacts {
    std::string fullName = {};
    /// In the trace.
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
};
AOTSCOPE_MORE_MEMBERS(KernelAnswer, timeline::KernelFacts, fullName, startNs, durationNs)

struct ProfiledNode {
    std::string graph = {};
    std::string node = {};
    std::string target = {};
    timeline::MatchedBy foundBy = timeline::MatchedBy::Mark;
    std::int64_t startNs = 0;
    std::int64_t durationNs = 0;
    /// Of all nodes' durations; 0 to 1.
    double share = 0;
    std::vector<std::string> operators = {};
    /// With those that operators called.
    std::size_t operatorCalls = 0;
    std::vector<KernelAnswer> kernels = {};
    /// The sum over its kernels.
    std::int64_t kernelNs = 0;
    /// Changes of the processor's memory; nothing: not recorded.
    std::optional<std::size_t> memoryEvents = {};
    std::optional<double> memoryChangeBytes = {};
    std::optional<ir::SourceLocation> source = {};
    std::vector<std::string> forwardNodes = {};
};
AOTSCOPE_MEMBERS(ProfiledNode, graph, node, target, foundBy, startNs, durationNs, share, operators,
                 operatorCalls, kernels, kernelNs, memoryEvents, memoryChangeBytes, source, forwardNodes)

struct TraceRow {
    std::string process;
    std::string name;
    /// A stream of a GPU; else a thread.
    bool stream = false;
    bool predicted = false;
    std::size_t events = 0;
    std::size_t depth = 0;
};
AOTSCOPE_MEMBERS(TraceRow, process, name, stream, predicted, events, depth)

struct TraceCounter {
    std::string name;
    /// Their number.
    std::size_t values = 0;
    std::optional<double> highest;
};
AOTSCOPE_MEMBERS(TraceCounter, name, values, highest)

struct TraceAnswer {
    std::size_t events = 0;
    std::int64_t durationNs = 0;
    /// Its begin since 1970; 0: unknown.
    std::int64_t epochNs = 0;
    /// In memory.
    std::size_t columnBytes = 0;
    std::vector<TraceRow> rows = {};
    std::vector<TraceCounter> counters = {};
    std::size_t flows = 0;
    std::vector<timeline::Problem> problems = {};
    /// With those that are not kept.
    std::uint64_t problemCount = 0;
    /// Kind of event → their number.
    std::map<std::string, std::uint64_t> leftOut = {};
};
AOTSCOPE_MEMBERS(TraceAnswer, events, durationNs, epochNs, columnBytes, rows, counters, flows, problems,
                 problemCount, leftOut)

struct ProfileReport {
    std::string title = {};
    TraceAnswer trace = {};
    /// These three are of the run; empty and 0 for a trace from a file.
    std::string backend = {};
    std::int64_t nanoseconds = 0;
    std::int64_t nanosecondsWithoutProfiler = 0;
    std::vector<ProfiledNode> nodes = {};
    std::map<std::string, std::vector<std::string>> nodesNotFound = {};
    std::vector<timeline::UnmatchedEvents> eventsOfNoNode = {};
};
AOTSCOPE_MEMBERS(ProfileReport, title, trace, backend, nanoseconds, nanosecondsWithoutProfiler, nodes,
                 nodesNotFound, eventsOfNoNode)
AOTSCOPE_ANSWER(ProfileReport, "aotscope.profile/2")

/// The nodes in the order they ran, at most `top` of them (the longest; 0: all).
[[nodiscard]] std::string profileTable(const ProfileAnswer& answer, std::size_t top);
/// What the trace holds: rows, categories, counters, and what could not be read.
[[nodiscard]] std::string traceSummary(const ProfileAnswer& answer);
[[nodiscard]] ProfileReport profileReport(const ProfileAnswer& answer);

} // namespace aotscope::cli
