#pragma once

class QIODevice;
class QImage;

namespace aotscope::base {
class Progress;
} // namespace aotscope::base

namespace aotscope::views {

/// Writes an opaque image as PNG. Unlike Qt's writer it reports the rows done, because a large image takes
/// seconds. Returns early when `progress` requests a stop. False: writing to `file` failed.
[[nodiscard]] bool writePng(const QImage& image, QIODevice& file, base::Progress& progress);

} // namespace aotscope::views
