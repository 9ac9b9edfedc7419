#pragma once

#include "timeline/timeline.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Traces as PyTorch's profiler (Kineto) and other programs write them for chrome://tracing and Perfetto:
/// JSON with a list of events, plain or packed. Of an event only what is drawn is kept; the rest is read
/// again from the file when somebody asks, so a file of gigabytes needs a small part of its size in memory.
///
/// Read in one pass by functions of our own and not by simdjson: its streams of documents cannot be cut into
/// windows where commas stand between the documents, and a raw control character, which old versions of
/// Kineto wrote, ends them.
namespace aotscope::timeline {

/// Whether a file that begins so is such a trace.
[[nodiscard]] bool isChromeTrace(std::string_view start);

/// Reads a file. What is malformed or cut off loses only itself, and is among the timeline's problems.
/// Errors: load.open, load.decompress, timeline.not_a_trace (there is no list of events), session.canceled.
[[nodiscard]] base::Result<TimelinePtr> readChromeTrace(const std::filesystem::path& path,
                                                        base::Progress progress = {});

/// Reads texts that belong to one program, such as the forward's trace and the backward's. Times are shifted
/// so that each begins where the one before it ended. Errors: timeline.not_a_trace, session.canceled.
[[nodiscard]] base::Result<TimelinePtr>
readChromeTraces(const std::vector<std::shared_ptr<const std::string>>& texts, base::Progress progress = {});

} // namespace aotscope::timeline
