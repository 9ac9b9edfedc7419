#pragma once

#include "common/write_file.h"

#include <QByteArray>
#include <QImage>
#include <QString>

namespace aotscope::test {

/// Where pictures for people go; the folder is made.
[[nodiscard]] QString artifactPath(const QString& name);

/// Whether a picture shows one colour and nothing else.
[[nodiscard]] bool isBlank(const QImage& image);

/// What an export would write.
[[nodiscard]] QByteArray contentOf(const views::MakeFile& make);

} // namespace aotscope::test
