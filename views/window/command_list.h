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

/// A command of the window.
struct Command {
    /// Its id in code and tests: "goBack".
    QString name;
    /// The menu text, with "&" before its access key.
    QString title;
    /// A sentence that explains it.
    QString tip;
    QList<QKeySequence> keys;
    std::function<void()> run;
    /// Whether it can be executed now; null: always.
    std::function<bool()> isPossible = {};
    /// Name in resources/icons without ".svg"; null: no icon.
    const char* icon = nullptr;
};

/// All commands of the window, as menu actions whose keys work wherever the focus is. The command palette and
/// the list of keys show them too.
class CommandList : public QObject {
    Q_OBJECT

public:
    /// `window` and `theme` must outlive the list.
    CommandList(QWidget* window, const ThemeSource* theme);

    QAction* add(QMenu* menu, Command command);
    /// Null: no command has this name.
    [[nodiscard]] QAction* action(const QString& name) const;
    [[nodiscard]] std::vector<QAction*> actions() const;
    /// Enables each action according to isPossible.
    void update();
    /// Changes a command's texts, for a state in which it does something else.
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
