#include "hooks/inlining_panel.h"

#include "common/background.h"
#include "common/clipboard.h"
#include "common/current_graph.h"
#include "common/empty_page.h"
#include "common/file_jobs.h"
#include "common/format.h"
#include "common/selection_hub.h"
#include "explore/inlined_hooks.h"
#include "hooks/capsule_model.h"
#include "hooks/capsule_view.h"
#include "hooks/choice_items.h"
#include "hooks/gradient_view.h"
#include "hooks/hook_choices.h"
#include "hooks/hook_curves.h"
#include "hooks/hook_editor.h"
#include "hooks/hook_measures.h"
#include "hooks/hook_scatter.h"
#include "hooks/inlining_bar.h"
#include "hooks/program_hooks.h"
#include "hooks/suggest_form.h"
#include "partition/current_partition.h"

#include <QComboBox>
#include <QFileDialog>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QTreeView>

#include <algorithm>
#include <memory>

namespace aotscope::views {

bool InliningPanel::showsFailuresOf(const QString& tag) {
    return tag == HookMeasures::tag() || tag == SuggestForm::tag() || tag == ProgramHooks::tag() ||
           CapsuleView::isTag(tag);
}

void InliningPanel::followPartition() {
    m_curves->setPartition(m_context.partition->snapshot());
    showRows();
    showPage();
    showNotice();
}

/// Resets the rows only if there are others: the measuring's progress changes none.
void InliningPanel::showRows() {
    const CapsuleSource source{m_context.partition->snapshot(), m_measures->latest(),
                               m_measures->withGradients(), m_measures->whole()};
    m_scatter->setWords(tr("What each hook saves, over the error it causes.\n%1").arg(howToMeasure()));
    if (source != m_model->source()) {
        m_model->setSource(source);
        m_scatter->setCapsules(m_model->all());
        m_gainBox->setVisible(m_scatter->itemCount() > 0);
    } else {
        showDetails();
    }
}

QString InliningPanel::howToMeasure() const {
    if (m_measures->request()->isUnderWay()) {
        return tr("Measuring …");
    }
    return m_measures->canMeasure()
               ? tr("Press Measure to run the step on synthetic inputs.")
               : tr("Choose a hook, then press Measure to run the step on synthetic inputs.");
}

void InliningPanel::showPage() {
    const CurrentPartition& split = *m_context.partition;
    if (!split.snapshot()) {
        if (split.joint()) {
            m_pages->showRequest(m_context.partition->request(), split.requestWords());
        } else {
            const QString words =
                tr("Shows how each saved tensor is packed between forward and backward.\n"
                   "Select a compile that has a joint graph: one whose inputs need gradients.");
            const QString runTime = runTimeHooksOfGraph();
            m_pages->showMessage(tr("No joint graph"),
                                 runTime.isEmpty() ? words : runTime + QStringLiteral("\n\n") + words);
        }
    } else if (m_model->all().empty()) {
        m_pages->showMessage(tr("Nothing is saved"),
                             tr("The forward of this graph saves no tensor for the backward, so there is "
                                "nothing to pack."));
    } else {
        m_pages->showContent();
    }
}

/// The table, or why it is empty.
void InliningPanel::restoreSelection() {
    if (m_model->rowCount() == 0 && !m_model->all().empty()) {
        m_tablePages->showMessage(tr("No tensor matches the filter"),
                                  tr("%1 are saved. Clear the filter to see them.")
                                      .arg(formatCount(m_model->all().size(), "tensor", "tensors")));
    } else {
        m_tablePages->showContent();
    }
    QItemSelection rows;
    for (const std::string& name : m_kept) {
        if (const int row = m_model->rowOf(name); row >= 0) {
            rows.select(m_model->index(row, 0), m_model->index(row, CapsuleModel::ColumnCount - 1));
        }
    }
    const int current = m_model->rowOf(m_current);
    m_following = true;
    m_view->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (current >= 0) {
        m_view->selectionModel()->setCurrentIndex(m_model->index(current, 0), QItemSelectionModel::NoUpdate);
    }
    m_following = false;
    showDetails();
}

void InliningPanel::keepSelection() {
    m_following = true;
    if (const std::vector<std::string> names = chosenNames(); !names.empty()) {
        m_kept = names;
    }
}

std::vector<std::string> InliningPanel::chosenNames() const {
    std::vector<std::string> names;
    for (const QModelIndex& row : m_view->selectionModel()->selectedRows()) {
        if (const Capsule* capsule = m_model->tryRow(row.row())) {
            names.push_back(capsule->saved->name);
        }
    }
    return names;
}

/// A person chose other rows: the current one's node becomes the selection of all panels.
void InliningPanel::chooseRow() {
    if (m_following) {
        return;
    }
    m_kept = chosenNames();
    const Capsule* const capsule = m_model->tryRow(m_view->currentIndex().row());
    m_current = capsule && !m_kept.empty() ? capsule->saved->name : std::string();
    if (!m_current.empty()) {
        const session::GraphSnapshotPtr& graph = m_context.graph->graph();
        const bool isHere = graph && graph->graph && graph->graph->tryFind(m_current);
        m_context.selection->select({isHere ? graph->reference : *m_context.partition->joint(), m_current},
                                    this);
    }
    showDetails();
}

void InliningPanel::chooseTensor(const std::string& saved) {
    const int row = m_model->rowOf(saved);
    if (row >= 0) {
        m_view->setCurrentIndex(m_model->index(row, 0));
        m_view->scrollTo(m_model->index(row, 0));
    }
}

/// A node that is selected elsewhere is chosen here if it is saved.
void InliningPanel::followNode() {
    const auto& selected = m_context.selection->current();
    const int row = selected ? m_model->rowOf(selected->node) : -1;
    if (row >= 0 && selected->node != m_current) {
        m_following = true;
        m_view->setCurrentIndex(m_model->index(row, 0));
        m_following = false;
        m_kept = {selected->node};
        m_current = selected->node;
        showDetails();
    }
}

void InliningPanel::showDetails() {
    const Capsule* const capsule = m_model->tryRow(m_model->rowOf(m_current));
    showHookOfChosen();
    m_scatter->setChosen(capsule ? m_current : std::string());
    m_gradients->setMeasured(m_model->source(), capsule, howToMeasure());
    if (isVisible()) {
        m_capsule->setCapsule(m_model->source().split, capsule);
    }
}

void InliningPanel::showHookOfChosen() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    const Capsule* const capsule = m_model->tryRow(m_model->rowOf(m_current));
    m_hookOfChosen->setEnabled(split && capsule);
    if (!split || !capsule) {
        m_hookOfChosen->setCurrentIndex(-1);
        return;
    }
    const hooks::HookPlan plan = planOf(*split, m_context.partition->choices());
    setItems(m_hookOfChosen, m_bar->hookNames());
    m_hookOfChosen->setCurrentIndex(m_hookOfChosen->findText(text(hookByRule(plan, *capsule->saved))));
}

/// The text of the hook that is looked at, unless a person's own is being edited.
void InliningPanel::showTextOfChosen() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (m_tabs->currentWidget() != m_editor || !split || m_editor->isOwn()) {
        return;
    }
    const hooks::HookPlan plan = planOf(*split, m_context.partition->choices());
    const Capsule* const capsule = m_model->tryRow(m_model->rowOf(m_current));
    const std::string hook = capsule ? hookByRule(plan, *capsule->saved) : hookForAll(plan);
    if (plan.tryText(hook)) {
        m_editor->showHook(hook);
    }
}

/// A copy of the hook for all, or of one of the library, to begin with.
void InliningPanel::writeHookForAll() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (!split) {
        return;
    }
    hooks::HookPlan plan = planOf(*split, m_context.partition->choices());
    const std::string now = hookForAll(plan);
    const std::string original = plan.tryText(now) ? now : "bf16";
    const std::string name = ownName(plan, original);
    plan = withHookForAll(withOwnCopy(std::move(plan), original, name), name);
    m_context.partition->setHooks(std::move(plan));
    m_tabs->setCurrentWidget(m_editor);
    m_editor->showHook(name, 1);
}

void InliningPanel::chooseHookOfChosen() {
    setHookOf(chosenNames(), m_hookOfChosen->currentText().toStdString());
}

void InliningPanel::setHookOf(const std::vector<std::string>& saved, const std::string& hook) {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (split && !saved.empty()) {
        m_context.partition->setHooks(
            withHookFor(planOf(*split, m_context.partition->choices()), saved, hook));
    }
}

void InliningPanel::switchRow(const std::string& saved, bool on) {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    const Capsule* const capsule = m_model->tryRow(m_model->rowOf(saved));
    if (!split || !capsule) {
        return;
    }
    const hooks::HookPlan plan = planOf(*split, m_context.partition->choices());
    if (!on) {
        m_context.partition->setHooks(switchedOff(plan, saved));
        return;
    }
    const hooks::HookPlan without = switchedOn(plan, saved);
    if (hookByRule(without, *capsule->saved) != hooks::noHook) {
        m_context.partition->setHooks(without);
        return;
    }
    // Nothing says which hook: a person does.
    chooseTensor(saved);
    m_hookOfChosen->setFocus(Qt::OtherFocusReason);
    m_hookOfChosen->showPopup();
}

void InliningPanel::toggleChosen() {
    if (const Capsule* const capsule = m_model->tryRow(m_view->currentIndex().row())) {
        switchRow(capsule->saved->name, !capsule->hasHook());
    }
}

/// Hooks for the chosen rows.
void InliningPanel::showMenu(const QPoint& place) {
    const std::vector<std::string> names = chosenNames();
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (names.empty() || !split) {
        return;
    }
    auto* menu = new QMenu(m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QMenu* hooks = menu->addMenu(tr("Hook"));
    for (int i = 0; i < m_hookOfChosen->count(); ++i) {
        const QString hook = m_hookOfChosen->itemText(i);
        connect(hooks->addAction(hook), &QAction::triggered, this,
                [this, names, hook] { setHookOf(names, hook.toStdString()); });
    }
    const Capsule* const capsule = m_model->tryRow(m_view->currentIndex().row());
    if (capsule && capsule->hasHook()) {
        const std::string name = capsule->saved->name;
        const std::string hook = capsule->hooked->hook;
        connect(menu->addAction(tr("Without this hook")), &QAction::triggered, this,
                [this, name] { switchRow(name, false); });
        if (planOf(*split, m_context.partition->choices()).tryText(hook)) {
            connect(menu->addAction(tr("Show the text of %1").arg(text(hook))), &QAction::triggered, this,
                    [this, hook] {
                        m_editor->showHook(hook);
                        m_tabs->setCurrentWidget(m_editor);
                    });
        }
    }
    menu->popup(m_view->viewport()->mapToGlobal(place));
}

void InliningPanel::applyFilter() {
    const auto filter = session::SavedFilter::parse(m_filter->text().toStdString());
    m_filterProblem->setVisible(!filter.ok());
    if (!filter) {
        // While a person types an invalid filter, the rows stay.
        m_filterProblem->setText(tr("Column %1: %2 %3")
                                     .arg(filter.error().place.column)
                                     .arg(text(filter.error().message), text(filter.error().hint)));
        return;
    }
    m_model->setFilter(*filter);
}

void InliningPanel::copyPython() {
    const session::PartitionSnapshotPtr split = m_context.partition->snapshot();
    if (!split) {
        return;
    }
    using Text = std::shared_ptr<const std::string>;
    runInBackground<Text>(
        this, [split] { return std::make_shared<const std::string>(session::pythonHooks(*split)); },
        [this](const Text& python) {
            copyToClipboard(this, python, *python);
            m_bar->say(tr("Copied the hooks as Python."));
        });
}

void InliningPanel::savePythonDialog() {
    auto* dialog = new QFileDialog(this, tr("Save the hooks as Python"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("py"));
    dialog->setNameFilter(tr("Python (*.py)"));
    dialog->selectFile(QStringLiteral("saved_tensors_hooks.py"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { savePythonTo(path); });
    dialog->open();
}

void InliningPanel::savePythonTo(const QString& path, std::function<void(const QString&)> done) {
    const session::PartitionSnapshotPtr split = m_context.partition->snapshot();
    if (!split) {
        return;
    }
    m_context.files->write(
        path,
        [split](QIODevice& file, base::Progress&) {
            file.write(QByteArray::fromStdString(session::pythonHooks(*split)));
            return QString();
        },
        this,
        [this, done = std::move(done)](const FileResult& result) {
            m_bar->say(result.message());
            if (done) {
                done(result.written() ? QString() : result.message());
            }
        });
}

} // namespace aotscope::views
