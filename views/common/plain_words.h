#pragma once

#include <QLabel>
#include <QString>

/// Words of a file, shown as the characters they are. Labels and tooltips of Qt take what looks like HTML for
/// HTML, and fetch the pictures it names: a log could have any file of the machine read by its names.
namespace aotscope::views {

/// A label for such words.
[[nodiscard]] inline QLabel* plainLabel(const QString& words = {}) {
    auto* label = new QLabel(words);
    label->setTextFormat(Qt::PlainText);
    return label;
}

/// Such words as a tooltip, which is a label that decides for itself.
[[nodiscard]] QString plainToolTip(const QString& words);

} // namespace aotscope::views
