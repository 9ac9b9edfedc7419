#pragma once

#include "session/retrace_snapshot.h"

#include "layout/layout.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

namespace aotscope::session {

/// Pictures of a trace's stages. They are made together, so the last ones are kept: going to the next stage
/// then takes no time. Thread-safe.
class StageLayouts {
public:
    /// The pictures of the stages, null where a stage has no graph. Errors: session.canceled.
    [[nodiscard]] base::Result<std::vector<layout::LayoutPtr>>
    of(const RetraceSnapshotPtr& traced, const layout::LayoutOptions& options, base::Progress progress);
    void eraseLog(std::uint32_t log);

private:
    struct Made {
        RetraceSnapshotPtr traced;
        layout::LayoutOptions options;
        std::vector<layout::LayoutPtr> layouts;
    };

    std::mutex m_mutex;
    /// The latest first.
    std::list<Made> m_made;
};

} // namespace aotscope::session
