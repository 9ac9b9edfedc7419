#pragma once

#include "timeline/node_match.h"
#include "timeline/node_work.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::session {

struct GraphSnapshot;

/// Graphs that ran under LibTorch's profiler, or another program's trace beside the graphs of a log: what
/// happened when, and for which node.
struct Profile {
    /// In the order of NodeMatches::graphs.
    std::vector<std::shared_ptr<const GraphSnapshot>> graphs;
    timeline::MatchedTimeline matched;
    std::vector<timeline::NodeWork> work;
    /// Time of the run under the profiler, and of the same run without it; 0: unknown.
    std::int64_t nanoseconds = 0;
    std::int64_t plainNanoseconds = 0;

    /// The text of Kineto's trace of each graph, in order; empty for another program's trace.
    std::vector<std::shared_ptr<const std::string>> traces = {};
};
using ProfilePtr = std::shared_ptr<const Profile>;

/// Reads the traces of runs, one per graph, one after the other, and matches them. Errors: those of
/// timeline::readChromeTraces.
[[nodiscard]] base::Result<ProfilePtr> profileOf(std::vector<std::shared_ptr<const GraphSnapshot>> graphs,
                                                 std::vector<std::shared_ptr<const std::string>> traces,
                                                 base::Progress progress);

/// Matches a timeline that is there with graphs.
[[nodiscard]] Profile matchedProfile(const timeline::TimelinePtr& timeline,
                                     std::vector<std::shared_ptr<const GraphSnapshot>> graphs);

/// Profiles of the forward and the backward as one of the step. Errors as above.
[[nodiscard]] base::Result<ProfilePtr> profileOfStep(const Profile& forward, const Profile& backward,
                                                     base::Progress progress);

} // namespace aotscope::session
