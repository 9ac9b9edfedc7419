#include "retrace/retrace_files.h"

#include "base/progress.h"
#include "common/format.h"
#include "explore/split_retraced.h"
#include "recompile/retraced_files.h"
#include "retrace/html_parts.h"
#include "retrace/retrace_text.h"

#include <QDir>
#include <QFile>

#include <algorithm>

namespace aotscope::views {

namespace {

base::Result<void> writeText(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.flush()) {
        return {};
    }
    return base::Error{
        .code = "window.write",
        .message = QStringLiteral("%1 (%2)").arg(file.errorString(), QDir(path).dirName()).toStdString()};
}

QByteArray bytesOf(const std::string& content) {
    return QByteArray::fromRawData(content.data(), static_cast<qsizetype>(content.size()));
}

QByteArray reportOf(const std::vector<RetracedCompile>& compiles) {
    QString body;
    for (const RetracedCompile& compile : compiles) {
        body += QStringLiteral("<p>%1</p>%2<hr>")
                    .arg(html::escaped(compile.log->path.string()), retraceHtml(*compile.retraced));
    }
    return QStringLiteral("<!DOCTYPE html><meta charset='utf-8'><title>%1</title><body>%2</body>\n")
        .arg(html::tr("Traced again"), body)
        .toUtf8();
}

/// Writes the graphs of one compile. If the joint graph cannot be partitioned, writes the rest and the
/// reason.
base::Result<void> writeCompile(const RetracedCompile& compile, const QDir& folder,
                                base::Progress& progress) {
    auto function = session::splitRetraced(*compile.retraced, *compile.log, progress);
    if (!function && base::isCanceled(function.error())) {
        return std::move(function).error();
    }
    std::vector<session::NamedText> files = session::retracedFiles(
        *compile.retraced, function ? *function : session::functionOf(*compile.retraced));
    if (!function) {
        files.push_back({"not_split.txt", function.error().text() + "\n"});
    }
    for (const session::NamedText& file : files) {
        AOTSCOPE_CHECK(progress.checkStop());
        AOTSCOPE_CHECK(writeText(folder.filePath(text(file.name)), bytesOf(file.text)));
    }
    return {};
}

} // namespace

MakeFolder retracedFolder(std::vector<RetracedCompile> compiles) {
    return [compiles = std::move(compiles)](const QDir& folder,
                                            base::Progress& progress) -> base::Result<void> {
        const bool severalLogs = std::ranges::any_of(
            compiles, [&](const RetracedCompile& compile) { return compile.log != compiles.front().log; });
        session::CompileFolders folders(severalLogs);
        for (std::size_t i = 0; i < compiles.size(); ++i) {
            progress.report(compiles[i].retraced->target.name, i, compiles.size());
            const QString place =
                text(folders.next(compiles[i].log->path, compiles[i].retraced->target.name).string());
            if (!compiles[i].retraced->made) {
                continue; // The report has the reason.
            }
            if (!folder.mkpath(place)) {
                return base::Error{.code = "window.write", .message = "a folder could not be made"};
            }
            if (auto written = writeCompile(compiles[i], QDir(folder.filePath(place)), progress); !written) {
                return written;
            }
        }
        return writeText(folder.filePath(QStringLiteral("report.html")), reportOf(compiles));
    };
}

} // namespace aotscope::views
