#pragma once

#include "base/result.h"

#include <QString>

#include <functional>
#include <optional>

namespace aotscope::base {
class Progress;
struct ProgressState;
} // namespace aotscope::base

class QDir;
class QIODevice;

namespace aotscope::views {

/// The result of writing a file or folder.
struct FileResult {
    QString path;
    qint64 bytes = 0;
    /// A remark about what was written, usually empty: " (scaled to 61 % …)".
    QString remark = {};
    /// Where and why it failed, and what to do. A canceled job leaves no files.
    std::optional<base::Error> error = {};

    [[nodiscard]] bool written() const { return !error.has_value(); }
    /// "Wrote PATH (1.2 MiB)", "Could not write PATH: …", "Canceled: PATH was not written."
    [[nodiscard]] QString message() const;
};

/// Writes a file's content to `file` piece by piece and reports progress. Returns early, with incomplete
/// content, when `progress` requests a stop. Returns a remark for people. Called on another thread.
using MakeFile = std::function<QString(QIODevice& file, base::Progress& progress)>;

/// Writes a temporary file beside `path` and moves it there when it is complete. Whatever happens (cancel,
/// exception, full disk), an existing file stays intact and no partial file is left. Any thread may call it.
[[nodiscard]] FileResult writeFile(const QString& path, const MakeFile& make, base::Progress progress);

/// Fills a folder with files; may return early like MakeFile. The error says what could not be written.
using MakeFolder = std::function<base::Result<void>(const QDir& folder, base::Progress& progress)>;

/// The same for a folder that does not exist yet.
[[nodiscard]] FileResult writeFolder(const QString& path, const MakeFolder& make, base::Progress progress);

} // namespace aotscope::views
