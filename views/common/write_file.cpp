#include "common/write_file.h"

#include <QCoreApplication>
#include <QSaveFile>

namespace aotscope::views {

QString writeFile(const QString& path, const QByteArray& bytes) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("writeFile", text); };
    if (bytes.isEmpty()) {
        return tr("There is nothing to write to %1.").arg(path);
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        return tr("Could not write %1: %2.").arg(path, file.errorString());
    }
    return {};
}

} // namespace aotscope::views
