#pragma once

#include "common/view_context.h"

#include <QWidget>

#include <cstddef>
#include <optional>
#include <string>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QTextBrowser;
class QTreeView;

namespace aotscope::views {

class AliveView;
class CodeView;
class EagerView;
class EmptyPage;
class StackCanvas;
class StepBar;
class ValueModel;
class VerdictLabel;

/// The Wrappers dock: the stack of runtime wrappers around the selected compile's graph, what the one at hand
/// does to the values that pass through it, the controls for calls, and how a call compares with eager.
class WrappersPanel : public QWidget {
    Q_OBJECT

public:
    explicit WrappersPanel(const ViewContext& context, QWidget* parent = nullptr);

    enum class Page { Wrappers, Eager, Values };
    void showPage(Page page);
    /// Calls the function with the options in the bar.
    void call(bool stepThrough);
    /// Sets or clears a breakpoint at the wrapper at hand.
    void toggleBreakpoint();
    [[nodiscard]] StepBar* bar() const { return m_bar; }
    [[nodiscard]] StackCanvas* stack() const { return m_stack; }
    [[nodiscard]] ValueModel* values() const { return m_model; }
    [[nodiscard]] EagerView* eager() const { return m_eager; }
    [[nodiscard]] AliveView* alive() const { return m_alive; }
    [[nodiscard]] QTextBrowser* details() const { return m_details; }
    [[nodiscard]] CodeView* source() const { return m_source; }
    [[nodiscard]] QComboBox* passages() const { return m_passages; }
    /// The last call beside eager, above the pages.
    [[nodiscard]] VerdictLabel* verdict() const { return m_verdict; }
    /// The wrapper at hand, as an index in the list of wrappers; nothing: none, or the compiled graph.
    [[nodiscard]] std::optional<std::size_t> step() const { return m_step; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void makeView();
    QWidget* makeStackPage();
    void makePages();
    void connectParts();
    void followFunction();
    void followWrappers();
    void followPoint();
    void showState();
    void showStack();
    void showStep(std::optional<std::size_t> step);
    void showPassages();
    void showValues();
    void showDetails();
    void showVerdict();
    void selectValue(const std::string& name);
    [[nodiscard]] std::size_t callOfPoint() const;
    [[nodiscard]] std::optional<std::size_t> passage() const;

    ViewContext m_context;
    StepBar* m_bar;
    QLabel* m_verdictTitle;
    VerdictLabel* m_verdict;
    QTabBar* m_tabs;
    QStackedWidget* m_shown;
    StackCanvas* m_stack;
    QComboBox* m_passages;
    ValueModel* m_model;
    QTreeView* m_view;
    EmptyPage* m_values;
    QTextBrowser* m_details;
    CodeView* m_source;
    EagerView* m_eager;
    EmptyPage* m_compared;
    AliveView* m_alive;
    EmptyPage* m_alivePage;
    EmptyPage* m_pages;
    std::optional<std::size_t> m_step;
};

} // namespace aotscope::views
