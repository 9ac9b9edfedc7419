#pragma once

#include <QStackedWidget>

#include <initializer_list>

class QLabel;
class QLayout;

namespace aotscope::views {

/// A panel's content, or, while there is none, a page that says what would be here and how to get it. The
/// keyboard stays in the panel when one takes the place of the other.
class EmptyPage : public QStackedWidget {
    Q_OBJECT

public:
    explicit EmptyPage(QWidget* content, QWidget* parent = nullptr);

    void showContent();
    void showMessage(const QString& title, const QString& howTo);
    [[nodiscard]] bool isEmpty() const { return currentIndex() == 1; }
    [[nodiscard]] QString message() const;

private:
    void turnTo(int index);

    QLabel* m_title;
    QLabel* m_howTo;
};

/// Lays a panel out as all are: a bar on top, the parts below it, of which the last takes what room is left,
/// and in place of it all a page of words while there is nothing to show. The panel owns everything given.
[[nodiscard]] EmptyPage* layOutPanel(QWidget* panel, QLayout* bar, std::initializer_list<QWidget*> parts);

} // namespace aotscope::views
