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

/// What became of a file, or a folder of files, that was to be written.
struct FileResult {
    QString path;
    qint64 bytes = 0;
    /// What to tell of what was written: " (scaled to 61 % …)"; mostly empty.
    QString remark = {};
    /// Why there is nothing: where, and what to do. One that was canceled left nothing behind.
    std::optional<base::Error> error = {};

    [[nodiscard]] bool written() const { return !error.has_value(); }
    /// "Wrote PATH (1.2 MiB)", "Could not write PATH: …", "Canceled: PATH was not written."
    [[nodiscard]] QString message() const;
};

/// Makes a file's content: writes it to `file` as it goes, reports how far it is and ends early, with
/// anything, when `progress` says stop. Returns what to remark of it. Called on another thread.
using MakeFile = std::function<QString(QIODevice& file, base::Progress& progress)>;

/// Writes beside `path` and puts it in place once it is whole: whatever happens, a cancel, an exception, a
/// full disk, the file that was there stays as it is and no half of one is left. Any thread may call it.
[[nodiscard]] FileResult writeFile(const QString& path, const MakeFile& make, base::Progress progress);

/// Fills a folder with files; ends early as MakeFile does. What it could not write is its answer.
using MakeFolder = std::function<base::Result<void>(const QDir& folder, base::Progress& progress)>;

/// The same for a folder that is not there yet.
[[nodiscard]] FileResult writeFolder(const QString& path, const MakeFolder& make, base::Progress progress);

} // namespace aotscope::views
