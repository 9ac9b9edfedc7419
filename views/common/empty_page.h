#pragma once

#include <QStackedWidget>

class QLabel;

namespace aotscope::views {

/// A panel's content, or, while there is none, a page that says what would be here and how to get it.
class EmptyPage : public QStackedWidget {
    Q_OBJECT

public:
    explicit EmptyPage(QWidget* content, QWidget* parent = nullptr);

    void showContent();
    void showMessage(const QString& title, const QString& howTo);
    [[nodiscard]] bool isEmpty() const { return currentIndex() == 1; }
    [[nodiscard]] QString message() const;

private:
    QLabel* m_title;
    QLabel* m_howTo;
};

} // namespace aotscope::views
