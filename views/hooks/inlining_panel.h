#pragma once

#include "common/view_context.h"
#include "contract/reference.h"
#include "hooks/inline_plan.h"

#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QModelIndex;
class QSplitter;
class QTabWidget;
class QTreeView;

namespace aotscope::views {

class CapsuleModel;
class CapsuleView;
class EmptyPage;
class GradientView;
class HookCurves;
class HookEditor;
class HookMeasures;
class HookScatter;
class InliningBar;
class NoticeStrip;
class ProgramHooks;
class SuggestForm;

/// The Inlining dock: saved-tensors hooks inlined into the halves. Every saved tensor is a capsule from the
/// forward to the backward, with what is stored in its place and the error that costs; hooks are chosen,
/// switched off, edited, measured and suggested here, and all other panels follow.
class InliningPanel : public QWidget {
    Q_OBJECT

public:
    explicit InliningPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] InliningBar* bar() const { return m_bar; }
    [[nodiscard]] CapsuleModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* view() const { return m_view; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    [[nodiscard]] QComboBox* hookOfChosen() const { return m_hookOfChosen; }
    [[nodiscard]] HookMeasures* measures() const { return m_measures; }
    [[nodiscard]] CapsuleView* capsuleView() const { return m_capsule; }
    [[nodiscard]] GradientView* gradientView() const { return m_gradients; }
    [[nodiscard]] HookCurves* curves() const { return m_curves; }
    [[nodiscard]] HookScatter* scatter() const { return m_scatter; }
    [[nodiscard]] HookEditor* editor() const { return m_editor; }
    [[nodiscard]] SuggestForm* suggestForm() const { return m_suggest; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] EmptyPage* pages() const { return m_pages; }
    [[nodiscard]] EmptyPage* tablePages() const { return m_tablePages; }
    /// The line about a hook that could not be applied, or about hooks of the program that are missing here.
    [[nodiscard]] NoticeStrip* notice() const { return m_notice; }
    /// The line about hooks that compiled autograd calls when the backward runs.
    [[nodiscard]] NoticeStrip* runTimeHooks() const { return m_runTime; }
    /// The line about tensors that are recomputed and so have no row.
    [[nodiscard]] NoticeStrip* recomputed() const { return m_recomputed; }

    /// Chooses a tensor's row, and selects its node for all panels.
    void chooseTensor(const std::string& saved);
    void copyPython();
    void savePythonDialog();
    /// Writes on another thread. `done` gets an empty text, or the reason for a failure.
    void savePythonTo(const QString& path, std::function<void(const QString&)> done = {});

    /// Whether the panel shows failures of commands with this tag itself.
    [[nodiscard]] static bool showsFailuresOf(const QString& tag);

Q_SIGNALS:
    /// A person wants to see these graphs beside each other.
    void compareRequested(const aotscope::session::ArtifactReference& left,
                          const aotscope::session::ArtifactReference& right);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeTable();
    QWidget* makeEffects();
    void makeTabs();
    void connectParts();
    void followPartition();
    void showRows();
    void showPage();
    void showNotice();
    void showBroken(const std::vector<hooks::BrokenHook>& all);
    void showMissing();
    void showRecomputed();
    void showRunTimeHooks();
    void goToRunTimeHook();
    [[nodiscard]] QString runTimeHooksOfGraph() const;
    void pressNotice();
    void showDetails();
    void applyFilter();
    void followNode();
    void keepSelection();
    void restoreSelection();
    void chooseRow();
    void switchRow(const std::string& saved, bool on);
    void toggleChosen();
    void chooseHookOfChosen();
    void showHookOfChosen();
    void showTextOfChosen();
    void writeHookForAll();
    void showMenu(const QPoint& place);
    void setHookOf(const std::vector<std::string>& saved, const std::string& hook);
    [[nodiscard]] std::vector<std::string> chosenNames() const;
    [[nodiscard]] QString howToMeasure() const;

    ViewContext m_context;
    HookMeasures* m_measures;
    ProgramHooks* m_programHooks;
    InliningBar* m_bar;
    CapsuleModel* m_model;
    QTreeView* m_view;
    QLineEdit* m_filter;
    QLabel* m_filterProblem;
    QComboBox* m_hookOfChosen;
    NoticeStrip* m_notice;
    NoticeStrip* m_runTime;
    NoticeStrip* m_recomputed;
    CapsuleView* m_capsule;
    GradientView* m_gradients;
    HookCurves* m_curves;
    HookScatter* m_scatter;
    QWidget* m_gainBox;
    HookEditor* m_editor;
    SuggestForm* m_suggest;
    QTabWidget* m_tabs;
    QSplitter* m_parts;
    EmptyPage* m_tablePages;
    EmptyPage* m_pages;
    /// The chosen rows by name while the model is being reset, and the current one among them.
    std::vector<std::string> m_kept;
    std::string m_current;
    /// The rows are being chosen by the panel, not by a person.
    bool m_following = false;
};

} // namespace aotscope::views
