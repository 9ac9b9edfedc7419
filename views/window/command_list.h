#pragma once

#include <QKeySequence>
#include <QObject>

#include <functional>
#include <vector>

class QAction;
class QMenu;
class QWidget;

namespace aotscope::views {

class ThemeSource;

/// Something a person can have the window do.
struct Command {
    /// What tests and other code call it: "goBack".
    QString name;
    /// In the menu, with "&" before its letter.
    QString title;
    /// What it does, in a sentence.
    QString tip;
    QList<QKeySequence> keys;
    std::function<void()> run;
    /// Whether it can be done now; null: always.
    std::function<bool()> isPossible = {};
    /// Of resources/icons, without ".svg"; null: none.
    const char* icon = nullptr;
};

/// Every command of the window: actions in menus that work by their keys wherever the keyboard is, and that
/// the command palette and the list of keys show.
class CommandList : public QObject {
    Q_OBJECT

public:
    /// `window` and `theme` outlive the list.
    CommandList(QWidget* window, const ThemeSource* theme);

    QAction* add(QMenu* menu, Command command);
    /// Null: there is none of this name.
    [[nodiscard]] QAction* action(const QString& name) const;
    [[nodiscard]] std::vector<QAction*> actions() const;
    /// Asks of each whether it is possible now.
    void update();
    /// Says otherwise what a command does, which means another thing in this state.
    void setWords(const QString& name, const QString& title, const QString& tip);

private:
    struct Entry {
        QAction* action;
        std::function<bool()> isPossible;
    };

    QWidget* m_window;
    const ThemeSource* m_theme;
    std::vector<Entry> m_entries;
};

} // namespace aotscope::views
