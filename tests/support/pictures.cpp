#include "support/pictures.h"

#include "base/progress.h"

#include <QBuffer>
#include <QDir>

namespace aotscope::test {

QString artifactPath(const QString& name) {
    const QString folder = qEnvironmentVariable("AOTSCOPE_ARTIFACTS", QDir::tempPath());
    QDir().mkpath(folder);
    return folder + QLatin1Char('/') + name;
}

bool isBlank(const QImage& image) {
    if (image.isNull()) {
        return true;
    }
    const QRgb first = image.pixel(image.width() / 2, image.height() / 2);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) != first) {
                return false;
            }
        }
    }
    return true;
}

QByteArray contentOf(const views::MakeFile& make) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    base::Progress progress;
    make(buffer, progress);
    return buffer.data();
}

} // namespace aotscope::test
