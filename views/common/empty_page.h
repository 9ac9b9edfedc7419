#pragma once

#include "common/request.h"

#include <QMetaObject>
#include <QPointer>
#include <QStackedWidget>

#include <array>
#include <initializer_list>

class QLabel;
class QLayout;
class QPushButton;
class QTimer;

namespace aotscope::views {

/// A panel's content, or a page that says what will be here and how to get it. The keyboard focus stays in
/// the panel when one replaces the other.
class EmptyPage : public QStackedWidget {
    Q_OBJECT

public:
    explicit EmptyPage(QWidget* content, QWidget* parent = nullptr);

    void showContent();
    void showMessage(const QString& title, const QString& howTo);
    /// Shows the state of a request until something else is shown: what it waits for, its progress, with
    /// Cancel if it takes long; that it was canceled or why it failed, with Retry.
    void showRequest(RequestBase* request, const RequestWords& words);
    [[nodiscard]] bool isEmpty() const { return currentIndex() == 1; }
    [[nodiscard]] QString message() const;

private:
    void turnTo(int index);
    void setWordsOfPage(const QString& title, const QString& howTo);
    void leaveRequest();
    void drawRequest();
    void offer(QPushButton* button, bool offered);

    QLabel* m_title;
    QLabel* m_howTo;
    QPushButton* m_retry;
    QPushButton* m_cancel;
    /// Until it expires there is no Cancel button: most requests end before a person could press it.
    QTimer* m_silence;
    QPointer<RequestBase> m_request;
    std::array<QMetaObject::Connection, 2> m_following;
    RequestWords m_words;
    bool m_wasUnderWay = false;
};

/// The common layout of panels: a bar on top, then the parts, the last of which takes the remaining space.
/// The page of words replaces the parts while there is nothing to show. The panel takes ownership.
[[nodiscard]] EmptyPage* layOutPanel(QWidget* panel, QLayout* bar, std::initializer_list<QWidget*> parts);

} // namespace aotscope::views
