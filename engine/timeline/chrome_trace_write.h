#pragma once

#include "timeline/timeline.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <iosfwd>

namespace aotscope::timeline {

/// Writes a trace that Perfetto and chrome://tracing open: rows with their names and order, events with their
/// arguments, counters, flows. Reading it gives the same rows, events, counters and flows again. A predicted
/// row is called so in its name. Errors: timeline.not_written, session.canceled.
[[nodiscard]] base::Result<void> writeChromeTrace(const Timeline& timeline, std::ostream& out,
                                                  base::Progress progress = {});

/// The same into a file, which appears whole or not at all.
[[nodiscard]] base::Result<void> writeChromeTrace(const Timeline& timeline, const std::filesystem::path& path,
                                                  base::Progress progress = {});

} // namespace aotscope::timeline
