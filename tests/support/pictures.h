#pragma once

#include <QDir>
#include <QImage>
#include <QString>

namespace aotscope::test {

/// Where pictures for people go; the folder is made.
inline QString artifactPath(const QString& name) {
    const QString folder = qEnvironmentVariable("AOTSCOPE_ARTIFACTS", QDir::tempPath());
    QDir().mkpath(folder);
    return folder + QLatin1Char('/') + name;
}

/// Whether a picture shows one colour and nothing else.
inline bool isBlank(const QImage& image) {
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

} // namespace aotscope::test
