#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace aotscope::views {

class GraphSearch;
class ThemeSource;

/// A field for a regular expression, with the number of hits and buttons for the next and previous one.
class SearchBar : public QWidget {
    Q_OBJECT

public:
    SearchBar(GraphSearch* search, const ThemeSource& theme, QWidget* parent = nullptr);

    void open();
    void close();
    /// Index of the current hit, from 0 (-1: none), shown as "3 of 17".
    void setPosition(int position);

Q_SIGNALS:
    void step(int direction);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();

    GraphSearch* m_search;
    const ThemeSource& m_theme;
    QLineEdit* m_input;
    QLabel* m_state;
    QToolButton* m_previous;
    QToolButton* m_next;
    int m_position = -1;
};

} // namespace aotscope::views
