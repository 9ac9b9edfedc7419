#pragma once

#include "session/reference.h"

#include <QObject>

#include <optional>
#include <vector>

namespace aotscope::views {

/// The window's one current point: which artifact of which compile, and which node in it. Every panel follows
/// it and sets it; panels know nothing of one another. Keeps the way back and forward.
class SelectionHub : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] const std::optional<session::Selection>& current() const { return m_current; }
    /// Selects and remembers; `source` is the panel that did it, so that it can ignore the echo. Selecting
    /// what is selected does nothing.
    void select(const session::Selection& selection, QObject* source = nullptr);
    /// Lights up the same node in other panels without moving anything; nullopt: nothing is hovered.
    void hover(const std::optional<session::Selection>& selection, QObject* source = nullptr);

    [[nodiscard]] bool canGoBack() const;
    [[nodiscard]] bool canGoForward() const;
    void goBack();
    void goForward();
    /// Forgets everything that points into a closed log.
    void forgetLog(quint32 log);

Q_SIGNALS:
    void selectionChanged(const aotscope::session::Selection& selection, QObject* source);
    void hoverChanged(const std::optional<aotscope::session::Selection>& selection, QObject* source);
    void historyChanged();

private:
    void showHistory(std::size_t position);

    std::optional<session::Selection> m_current;
    std::optional<session::Selection> m_hovered;
    std::vector<session::Selection> m_history;
    std::size_t m_position = 0;
};

} // namespace aotscope::views
