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

/// A panel's content, or, while there is none, a page that says what would be here and how to get it. The
/// keyboard stays in the panel when one takes the place of the other.
class EmptyPage : public QStackedWidget {
    Q_OBJECT

public:
    explicit EmptyPage(QWidget* content, QWidget* parent = nullptr);

    void showContent();
    void showMessage(const QString& title, const QString& howTo);
    /// Says how it stands with the request, now and whenever that changes, until something else is shown:
    /// what it waits for, how far it is, with a Cancel when that takes long; that it was canceled, or why it
    /// failed, with a Retry.
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
    /// Until it is over, what is under way offers no Cancel: most of it ends before a person could press it.
    QTimer* m_silence;
    QPointer<RequestBase> m_request;
    std::array<QMetaObject::Connection, 2> m_following;
    RequestWords m_words;
    bool m_wasUnderWay = false;
};

/// Lays a panel out as all are: a bar on top, the parts below it, of which the last takes what room is left,
/// and in place of it all a page of words while there is nothing to show. The panel owns everything given.
[[nodiscard]] EmptyPage* layOutPanel(QWidget* panel, QLayout* bar, std::initializer_list<QWidget*> parts);

} // namespace aotscope::views
