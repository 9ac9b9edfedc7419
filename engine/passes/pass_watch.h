#pragma once

#include "passes/pass_run.h"

#include "base/result.h"

#include <chrono>
#include <functional>
#include <vector>

namespace aotscope::passes {

using MakeGraphs = std::function<std::vector<PassGraph>()>;

/// Times passes, verifies what they leave, and shows it to an observer. Graphs are only built for it where
/// there is an observer or a verification: while passes run they are flat arrays.
class PassWatch {
public:
    /// `graphs`: those before the first pass. With `verify` each pass must leave sound graphs, if these are
    /// sound. The observer must outlive the watch.
    PassWatch(const PassObserver& observer, bool verify, const MakeGraphs& graphs);

    /// After each pass. Errors: passes.broken_graph (names the pass, the graph and the broken rules).
    [[nodiscard]] base::Result<void> passed(PassKind pass, const MakeGraphs& graphs);

private:
    using Clock = std::chrono::steady_clock;

    const PassObserver& m_observer;
    bool m_verifies;
    std::vector<PassGraph> m_before;
    Clock::time_point m_start;
};

} // namespace aotscope::passes
