#pragma once

#include "style/ink.h"

#include <QWidget>

class QPushButton;

namespace aotscope::views {

class ElidedLabel;

/// A line that says something about all rows, with a button for what can be done about it. Hidden while there
/// is nothing to say.
class NoticeStrip : public QWidget {
    Q_OBJECT

public:
    explicit NoticeStrip(QWidget* parent = nullptr);

    /// `details` are shown with the words when the pointer rests on them.
    void say(const QString& words, Words kind, const QString& details = {});
    /// An empty text: no button.
    void offer(const QString& action, const QString& tip = {});
    void clear();

    /// Empty while it is hidden.
    [[nodiscard]] QString words() const;
    [[nodiscard]] QPushButton* button() const { return m_button; }

Q_SIGNALS:
    void pressed();

private:
    ElidedLabel* m_words;
    QPushButton* m_button;
};

} // namespace aotscope::views
