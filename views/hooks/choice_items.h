#pragma once

#include <QComboBox>
#include <QSignalBlocker>

namespace aotscope::views {

/// Gives a combo box other entries, unless it has them already, so that an open list stays open. Emits
/// nothing; the chosen text stays if it is still there.
inline void setItems(QComboBox* box, const QStringList& items) {
    QStringList shown;
    for (int i = 0; i < box->count(); ++i) {
        shown.append(box->itemText(i));
    }
    if (shown != items) {
        const QSignalBlocker quiet(box);
        const QString chosen = box->currentText();
        box->clear();
        box->addItems(items);
        box->setCurrentIndex(box->findText(chosen));
    }
}

} // namespace aotscope::views
