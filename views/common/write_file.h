#pragma once

#include <QByteArray>
#include <QString>

namespace aotscope::views {

/// Writes the file, or leaves the one that was there as it is. Empty when it is written, else what a person
/// is told: "Could not write PATH: why.". Takes no widget: any thread may call it.
[[nodiscard]] QString writeFile(const QString& path, const QByteArray& bytes);

} // namespace aotscope::views
