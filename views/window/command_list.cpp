#include "window/command_list.h"

#include "common/icons.h"

#include <QAction>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

void setTip(QAction* action, const QString& tip) {
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(key.isEmpty() ? tip : tip + QStringLiteral(" (") + key + QLatin1Char(')'));
    action->setStatusTip(tip);
}

} // namespace

CommandList::CommandList(QWidget* window, const ThemeSource* theme)
    : QObject(window), m_window(window), m_theme(theme) {}

QAction* CommandList::add(QMenu* menu, Command command) {
    QAction* action = menu->addAction(command.title);
    action->setObjectName(command.name);
    action->setShortcuts(command.keys);
    setTip(action, command.tip);
    if (command.icon != nullptr) {
        action->setIcon(themedIcon(QLatin1String(command.icon), *m_theme));
    }
    connect(action, &QAction::triggered, this, [run = std::move(command.run)] { run(); });
    m_entries.push_back({action, std::move(command.isPossible)});
    menu->setToolTipsVisible(true);
    // Makes the key work while the menu is closed and wherever the focus is.
    m_window->addAction(action);
    return action;
}

QAction* CommandList::action(const QString& name) const {
    const auto found = std::ranges::find_if(
        m_entries, [&](const Entry& entry) { return entry.action->objectName() == name; });
    return found == m_entries.end() ? nullptr : found->action;
}

std::vector<QAction*> CommandList::actions() const {
    std::vector<QAction*> actions;
    std::ranges::transform(m_entries, std::back_inserter(actions), &Entry::action);
    return actions;
}

void CommandList::update() {
    for (const Entry& entry : m_entries) {
        if (entry.isPossible) {
            entry.action->setEnabled(entry.isPossible());
        }
    }
}

void CommandList::setWords(const QString& name, const QString& title, const QString& tip) {
    if (QAction* found = action(name)) {
        found->setText(title);
        setTip(found, tip);
    }
}

} // namespace aotscope::views
