#pragma once

#include "common/theme.h"
#include "timeline/timeline_scene.h"

#include <QFont>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace aotscope::views {

/// Everything that determines how a timeline looks.
struct TimelineLook {
    Theme theme;
    QFont font;
    TimelineScenePtr scene;
    /// The visible time in nanoseconds. Not whole ones, so that zooming in steps returns to where it began.
    double from = 0;
    double to = 1;
    /// Pixels that are scrolled away at the top.
    int scrolled = 0;
    std::optional<timeline::EventId> selected;
    std::optional<timeline::EventId> hovered;
    /// Marked ranges of time.
    std::vector<std::pair<std::int64_t, std::int64_t>> marks;
    /// What a person drags.
    std::optional<std::pair<std::int64_t, std::int64_t>> picked;
    /// By Row::names; empty: nobody searches. What is not found is faded.
    std::vector<bool> found;
    /// Changes with `found`, for the cached picture.
    int search = 0;
    /// Changes with the folded rows.
    int folds = 0;
};

} // namespace aotscope::views
