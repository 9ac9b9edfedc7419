#pragma once

#include "common/write_file.h"

#include <QByteArray>
#include <QImage>
#include <QString>

namespace aotscope::test {

/// The path for a picture that people look at; creates its folder.
[[nodiscard]] QString artifactPath(const QString& name);

/// Whether a picture has only one colour.
[[nodiscard]] bool isBlank(const QImage& image);

/// The bytes that an export would write.
[[nodiscard]] QByteArray contentOf(const views::MakeFile& make);

} // namespace aotscope::test
