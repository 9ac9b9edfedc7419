#include "common/write_file.h"

#include "base/progress.h"
#include "common/format.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QSaveFile>
#include <QStorageInfo>
#include <QTemporaryDir>

#include <exception>
#include <new>

namespace aotscope::views {

namespace {

QString tr(const char* sentence) {
    return QCoreApplication::translate("writeFile", sentence);
}

/// What to do if a path cannot be written.
QString advice(const QString& path) {
    const QFileInfo target(path);
    const QFileInfo folder(target.absolutePath());
    if (target.isDir()) {
        return tr("A folder has this name: choose another name.");
    }
    if (!folder.exists()) {
        return tr("The folder %1 no longer exists: choose another, or create it.").arg(folder.filePath());
    }
    if (!folder.isDir()) {
        return tr("%1 is not a folder: choose another place.").arg(folder.filePath());
    }
    const QStorageInfo disk(folder.filePath());
    if (disk.isReadOnly()) {
        return tr("The disk at %1 cannot be written to: choose another place.").arg(disk.rootPath());
    }
    if (!folder.isWritable()) {
        return tr("You have no permission to write to the folder %1: choose another, or change its "
                  "permissions.")
            .arg(folder.filePath());
    }
    return tr("The disk at %1 has %2 left: make room, or choose another place.")
        .arg(disk.rootPath(), formatBytes(disk.bytesAvailable()));
}

FileResult failure(const QString& path, const QString& why, const QString& hint) {
    FileResult result{path};
    result.error = base::Error{.code = "window.write",
                               .message = tr("Could not write %1: %2.").arg(path, why).toStdString(),
                               .place = {path.toStdString(), 0, 0, {}},
                               .hint = hint.toStdString()};
    return result;
}

FileResult canceled(const QString& path) {
    FileResult result{path};
    result.error = base::canceledError();
    return result;
}

FileResult outOfMemory(const QString& path) {
    return failure(path, tr("there is not enough memory"),
                   tr("Export the selection alone, or close other logs."));
}

/// Passes data on to a file, and refuses it after a stop request, so that writers without a cancel function
/// stop too.
class StoppableFile : public QIODevice {
public:
    StoppableFile(QSaveFile& file, const base::Progress& progress) : m_file(file), m_progress(progress) {
        open(QIODevice::WriteOnly | QIODevice::Unbuffered);
    }

protected:
    qint64 readData(char* /*data*/, qint64 /*most*/) override { return -1; }
    qint64 writeData(const char* data, qint64 length) override {
        constexpr qint64 piece = 1 << 20;
        for (qint64 done = 0; done < length;) {
            if (m_progress.stopRequested()) {
                return -1;
            }
            const qint64 written = m_file.write(data + done, std::min(piece, length - done));
            if (written <= 0) {
                return -1;
            }
            done += written;
        }
        return length;
    }

private:
    QSaveFile& m_file;
    const base::Progress& m_progress;
};

qint64 bytesIn(const QString& folder) {
    qint64 bytes = 0;
    QDirIterator files(folder, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        files.next();
        bytes += files.fileInfo().size();
    }
    return bytes;
}

} // namespace

QString FileResult::message() const {
    if (!error) {
        return tr("Wrote %1 (%2)").arg(path, formatBytes(bytes)) + remark;
    }
    return base::isCanceled(*error) ? tr("Canceled: %1 was not written.").arg(path)
                                    : text(error->message) + QLatin1Char(' ') + text(error->hint);
}

FileResult writeFile(const QString& path, const MakeFile& make, base::Progress progress) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return failure(path, file.errorString(), advice(path));
    }
    FileResult result{path};
    try {
        StoppableFile device(file, progress);
        result.remark = make(device, progress);
    } catch (const std::bad_alloc&) {
        return outOfMemory(path);
    } catch (const std::exception& thrown) {
        return failure(path, QString::fromUtf8(thrown.what()), {});
    }
    result.bytes = file.size();
    if (progress.stopRequested()) {
        return canceled(path);
    }
    if (file.error() != QFileDevice::NoError) {
        return failure(path, file.errorString(), advice(path));
    }
    if (result.bytes == 0) {
        return failure(path, tr("there is nothing to write"), tr("Select a graph, or a node of it, first."));
    }
    if (!file.commit()) {
        return failure(path, file.errorString(), advice(path));
    }
    return result;
}

FileResult writeFolder(const QString& path, const MakeFolder& make, base::Progress progress) {
    const QFileInfo target(path);
    if (target.exists()) {
        return failure(path, tr("it already exists"), tr("Choose another name."));
    }
    QTemporaryDir made(target.absolutePath() + QStringLiteral("/.") + target.fileName() +
                       QStringLiteral("-XXXXXX"));
    if (!made.isValid()) {
        return failure(path, made.errorString(), advice(path));
    }
    // A subfolder, because the temporary folder itself is readable by its owner only.
    const QDir within(made.path());
    if (!within.mkdir(target.fileName())) {
        return failure(path, tr("its folder could not be created"), advice(path));
    }
    FileResult result{path};
    try {
        const auto filled = make(QDir(within.filePath(target.fileName())), progress);
        if (progress.stopRequested() || (!filled.ok() && base::isCanceled(filled.error()))) {
            return canceled(path);
        }
        if (!filled.ok()) {
            return failure(path, text(filled.error().message), advice(path));
        }
    } catch (const std::bad_alloc&) {
        return outOfMemory(path);
    } catch (const std::exception& thrown) {
        return failure(path, QString::fromUtf8(thrown.what()), {});
    }
    result.bytes = bytesIn(made.path());
    if (!QDir().rename(within.filePath(target.fileName()), path)) {
        return failure(path, tr("it could not be moved into place"), advice(path));
    }
    return result;
}

} // namespace aotscope::views
