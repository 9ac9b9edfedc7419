#pragma once

class QIODevice;
class QImage;

namespace aotscope::base {
class Progress;
} // namespace aotscope::base

namespace aotscope::views {

/// Writes an opaque image as PNG, telling how many of its rows are packed, which Qt's own writer does not:
/// a large one takes seconds. Ends early when `progress` says stop. False: `file` did not take it.
[[nodiscard]] bool writePng(const QImage& image, QIODevice& file, base::Progress& progress);

} // namespace aotscope::views
