#pragma once

#include "rerun/region_values.h"

#include "contract/rerun_request.h"

#include "base/progress.h"
#include "base/result.h"

#include <functional>
#include <memory>
#include <mutex>

namespace aotscope::torch {

/// The values that some nodes had in a run, for the next rerun of the same nodes. A person who changes a
/// kernel's text reruns it again and again, and the run up to there takes longer than all the rest.
class KeptValues {
public:
    /// The result of `make` from the last request if graph, nodes and run are the same, else a new one;
    /// `context` becomes as `make` leaves it. The values are copies, because an edited kernel can write to
    /// any of them.
    [[nodiscard]] RegionValues valuesOf(const session::RerunRequest& request, RunContext& context,
                                        const std::function<RegionValues()>& make);

private:
    struct Kept;
    std::mutex m_mutex;
    std::shared_ptr<const Kept> m_kept;
};

/// Answers RerunRequest. What a kernel's nodes had in the run is taken from `kept`, or put there. All
/// failures are returned as errors.
[[nodiscard]] base::Result<session::RerunResult> rerunNodes(const session::RerunRequest& request,
                                                            KeptValues& kept, base::Progress progress);

} // namespace aotscope::torch
