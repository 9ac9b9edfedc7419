#pragma once

#include <QImage>
#include <QString>

namespace aotscope::test {

/// Where pictures for people go; the folder is made.
[[nodiscard]] QString artifactPath(const QString& name);

/// Whether a picture shows one colour and nothing else.
[[nodiscard]] bool isBlank(const QImage& image);

} // namespace aotscope::test
