#include "session/stage_layouts.h"

#include "layout/stages.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

namespace {

/// People switch between few groupings.
constexpr std::size_t mostLayouts = 3;

base::Result<std::vector<layout::LayoutPtr>>
makeLayouts(const RetraceSnapshot& traced, const layout::LayoutOptions& options, base::Progress progress) {
    std::vector<layout::Stage> shown;
    for (const RetraceStage& stage : traced.stages) {
        if (stage.graph) {
            shown.push_back({stage.graph->graph, stage.graph->modules,
                             stage.diff ? stage.diff->partnerOfRight : std::vector<ir::NodeId>()});
        }
    }
    AOTSCOPE_TRY(made, layout::layOutStages(shown, options, std::move(progress)));
    std::vector<layout::LayoutPtr> layouts;
    auto next = made.begin();
    for (const RetraceStage& stage : traced.stages) {
        layouts.push_back(stage.graph ? *next++ : nullptr);
    }
    return layouts;
}

} // namespace

base::Result<std::vector<layout::LayoutPtr>> StageLayouts::of(const RetraceSnapshotPtr& traced,
                                                              const layout::LayoutOptions& options,
                                                              base::Progress progress) {
    {
        const std::lock_guard lock(m_mutex);
        const auto known = std::ranges::find_if(
            m_made, [&](const Made& made) { return made.traced == traced && made.options == options; });
        if (known != m_made.end()) {
            m_made.splice(m_made.begin(), m_made, known);
            return m_made.front().layouts;
        }
    }
    auto layouts = makeLayouts(*traced, options, std::move(progress));
    if (layouts) {
        const std::lock_guard lock(m_mutex);
        m_made.push_front({traced, options, *layouts});
        m_made.resize(std::min(m_made.size(), mostLayouts));
    }
    return layouts;
}

void StageLayouts::eraseLog(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    m_made.remove_if([log](const Made& made) { return made.traced->log == log; });
}

} // namespace aotscope::session
