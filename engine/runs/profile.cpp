#include "runs/profile.h"

#include "contract/snapshots.h"

#include "timeline/chrome_trace_read.h"

#include <utility>

namespace aotscope::session {

Profile matchedProfile(const timeline::TimelinePtr& timeline, std::vector<GraphSnapshotPtr> graphs) {
    std::vector<timeline::GraphToMatch> toMatch;
    toMatch.reserve(graphs.size());
    for (const GraphSnapshotPtr& graph : graphs) {
        toMatch.push_back({graph->reference.artifact, graph->graph});
    }
    Profile profile;
    profile.graphs = std::move(graphs);
    profile.matched = timeline::matchNodes(timeline, std::move(toMatch));
    profile.work = timeline::workOfNodes(profile.matched);
    return profile;
}

base::Result<ProfilePtr> profileOf(std::vector<GraphSnapshotPtr> graphs,
                                   std::vector<std::shared_ptr<const std::string>> traces,
                                   base::Progress progress) {
    AOTSCOPE_TRY(timeline, timeline::readChromeTraces(traces, std::move(progress)));
    Profile profile = matchedProfile(timeline, std::move(graphs));
    profile.traces = std::move(traces);
    return std::make_shared<const Profile>(std::move(profile));
}

base::Result<ProfilePtr> profileOfStep(const Profile& forward, const Profile& backward,
                                       base::Progress progress) {
    std::vector<GraphSnapshotPtr> graphs = forward.graphs;
    graphs.insert(graphs.end(), backward.graphs.begin(), backward.graphs.end());
    auto traces = forward.traces;
    traces.insert(traces.end(), backward.traces.begin(), backward.traces.end());
    auto joined = profileOf(std::move(graphs), std::move(traces), std::move(progress));
    if (!joined) {
        return joined;
    }
    Profile step = **joined;
    step.nanoseconds = forward.nanoseconds + backward.nanoseconds;
    if (forward.plainNanoseconds > 0 && backward.plainNanoseconds > 0) {
        step.plainNanoseconds = forward.plainNanoseconds + backward.plainNanoseconds;
    }
    return std::make_shared<const Profile>(std::move(step));
}

} // namespace aotscope::session
