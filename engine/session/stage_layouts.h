#pragma once

#include "contract/retrace_snapshot.h"

#include "layout/layout.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

namespace aotscope::session {

/// Pictures of a trace's stages. All stages are laid out together and kept, so that switching between them
/// takes no time. Thread-safe.
class StageLayouts {
public:
    /// One picture per stage, null for a stage without a graph. Errors: session.canceled.
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
    /// Most recent first.
    std::list<Made> m_made;
};

} // namespace aotscope::session
