#pragma once

#include <QLabel>
#include <QString>

/// Text from files must not be shown as HTML. Qt's labels and tooltips treat text that looks like HTML as
/// HTML and load the images it names, so a log could make them read any file.
namespace aotscope::views {

/// A label that shows such text literally.
[[nodiscard]] inline QLabel* plainLabel(const QString& words = {}) {
    auto* label = new QLabel(words);
    label->setTextFormat(Qt::PlainText);
    return label;
}

/// Such text for a tooltip. Tooltips detect HTML by themselves, so the text is escaped if necessary.
[[nodiscard]] QString plainToolTip(const QString& words);

} // namespace aotscope::views
