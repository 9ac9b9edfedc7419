#pragma once

#include "common/view_context.h"
#include "contract/reference.h"

#include <QWidget>

#include <cstddef>
#include <optional>
#include <set>

class QLabel;
class QLineEdit;
class QModelIndex;
class QTreeView;

namespace aotscope::views {

class ElidedLabel;
struct CalledFunction;
class EmptyPage;
class EventModel;

/// The Events dock: what happens in a call of the selected compile's function, by phase, with the current
/// point and breakpoints. A click or Enter goes there.
class EventsPanel : public QWidget {
    Q_OBJECT

public:
    explicit EventsPanel(const ViewContext& context, QWidget* parent = nullptr);

    /// Sets or clears a breakpoint at the chosen row. Emits noPlaceToPause if a call cannot pause there.
    void toggleBreakpoint();
    /// Goes to the chosen row.
    void runToCursor();
    /// The event of the chosen row; nothing: none is chosen, or a heading.
    [[nodiscard]] std::optional<std::size_t> chosenEvent() const;
    [[nodiscard]] EventModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }
    [[nodiscard]] QLineEdit* filterField() const { return m_filter; }
    [[nodiscard]] QLineEdit* breakpointField() const { return m_breakpoints; }
    /// The line below the tree.
    [[nodiscard]] QString said() const;

Q_SIGNALS:
    void noPlaceToPause();

private:
    void makeView();
    void followCall();
    void followPoint();
    void followSelection(const session::Selection& selection, const QObject* source);
    void followBreakpoints();
    void showEvents();
    void fold(const QModelIndex& row, bool folded);
    void showState();
    void applyFilter();
    void applyBreakpoints();
    void goTo(const QModelIndex& row);
    void choose(std::size_t event);

    ViewContext m_context;
    EventModel* m_model;
    QTreeView* m_view;
    QLineEdit* m_filter;
    QLineEdit* m_breakpoints;
    QLabel* m_problem;
    ElidedLabel* m_footer;
    EmptyPage* m_pages;
    /// Whose events are shown, and its wrappers that a person closed, by their entries.
    const CalledFunction* m_shown = nullptr;
    std::set<std::size_t> m_folded;
    /// The row is being chosen by the panel, not by a person.
    bool m_following = false;
};

} // namespace aotscope::views
