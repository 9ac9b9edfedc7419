#include "hooks/inlining_bar.h"

#include "common/elided_label.h"
#include "common/format.h"
#include "common/giving_way.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/retry_button.h"
#include "hooks/choice_items.h"
#include "hooks/hook_choices.h"
#include "hooks/hook_measures.h"
#include "partition/current_partition.h"
#include "style/ink.h"

#include <QAction>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace aotscope::views {

namespace {

using passes::HookFilter;

constexpr int modeOfLog = -1;

QLabel* dimLabel(const QString& words, QWidget* buddy) {
    QLabel* label = plainLabel(words);
    setWords(label, Words::Dim);
    label->setBuddy(buddy);
    return label;
}

} // namespace

InliningBar::InliningBar(const ViewContext& context, HookMeasures* measures, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_measures(measures),
      m_hook(choiceBox(tr("Hook for all"), tr("The hook that every saved tensor gets, in place of all that "
                                              "was chosen for single ones"))),
      m_mode(choiceBox(tr("Mode"), tr("saved_tensors_hooks_filtering_mode: which saved tensors hooks apply "
                                      "to. donated: those that nothing else keeps; no_static: all but "
                                      "parameters and buffers"))),
      m_measure(new QPushButton(tr("Measure"))),
      m_progress(new QProgressBar),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_compare(new QPushButton(tr("Compare"))),
      m_python(new QPushButton(tr("Python"))),
      m_compareForward(new QAction(tr("Forward: before and with hooks"), this)),
      m_compareBackward(new QAction(tr("Backward: before and with hooks"), this)),
      m_copyPython(new QAction(tr("Copy as Python"), this)),
      m_savePython(new QAction(tr("Save as Python…"), this)),
      m_summary(new ElidedLabel) {
    makeChoices();
    makeMenus();
    setWords(m_summary, Words::Dim);
    auto* row = controlRow(this);
    auto* hookLabel = dimLabel(tr("hook for all"), m_hook);
    auto* modeLabel = dimLabel(tr("mode"), m_mode);
    for (QWidget* widget : std::initializer_list<QWidget*>{hookLabel, m_hook, modeLabel, m_mode}) {
        row->addWidget(widget);
    }
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_measure, m_progress, m_cancel, m_compare, m_python}) {
        row->addWidget(widget);
    }
    row->addWidget(m_summary, 1);
    row->addWidget(new RetryButton(measures->request()));
    row->addWidget(new RetryButton(context.partition->request()));
    giveWay(this, {modeLabel, hookLabel});
    CurrentPartition* partition = context.partition;
    connect(m_hook, &QComboBox::activated, this, &InliningBar::chooseHook);
    connect(m_mode, &QComboBox::activated, this, &InliningBar::chooseMode);
    connect(m_measure, &QPushButton::clicked, measures, &HookMeasures::measure);
    connect(m_cancel, &QPushButton::clicked, measures, &HookMeasures::cancel);
    connect(measures, &HookMeasures::changed, this, &InliningBar::followMeasures);
    connect(measures, &HookMeasures::progressed, this, &InliningBar::followMeasures);
    connect(partition, &CurrentPartition::choicesChanged, this, &InliningBar::follow);
    connect(partition, &CurrentPartition::partitionChanged, this, &InliningBar::follow);
    follow();
}

void InliningBar::makeChoices() {
    m_hook->setObjectName(QStringLiteral("hookForAll"));
    m_mode->setObjectName(QStringLiteral("hookMode"));
    m_mode->addItem(tr("as logged"), modeOfLog);
    for (const HookFilter filter : {HookFilter::Donated, HookFilter::NoStatic, HookFilter::All}) {
        m_mode->addItem(QString::fromStdString(std::string(base::wordOf(filter))), static_cast<int>(filter));
    }
    m_measure->setObjectName(QStringLiteral("measureHooks"));
    m_measure->setToolTip(
        tr("Run forward and backward on synthetic inputs, and measure the error of each round "
           "trip and of every gradient"));
    m_cancel->setToolTip(tr("Stop measuring"));
    m_progress->setFixedSize(96, 8);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of measuring"));
}

void InliningBar::makeMenus() {
    const auto fill = [](QPushButton* button, std::initializer_list<QAction*> actions) {
        auto* menu = new QMenu(button);
        menu->setToolTipsVisible(true);
        menu->addActions(actions);
        button->setMenu(menu);
    };
    m_compareForward->setToolTip(tr("Show the forward without hooks and with them in the Compare panel"));
    m_compareBackward->setToolTip(tr("Show the backward without hooks and with them in the Compare panel"));
    m_copyPython->setToolTip(tr("The hooks as Python for torch.autograd.graph.saved_tensors_hooks"));
    m_savePython->setToolTip(m_copyPython->toolTip());
    m_compare->setToolTip(tr("Compare the graphs without hooks and with them"));
    m_python->setToolTip(tr("Take the hooks along as Python"));
    fill(m_compare, {m_compareForward, m_compareBackward});
    fill(m_python, {m_copyPython, m_savePython});
}

QString InliningBar::summary() const {
    return m_summary->text();
}

void InliningBar::say(const QString& message) {
    m_said = message;
    showTotals();
}

QStringList InliningBar::hookNames() const {
    QStringList names;
    for (int i = 0; i + 1 < m_hook->count(); ++i) {
        names.append(m_hook->itemText(i));
    }
    return names;
}

void InliningBar::chooseHook() {
    if (m_hook->currentIndex() == m_hook->count() - 1) {
        follow(); // The last entry is no hook.
        Q_EMIT ownTextAsked();
        return;
    }
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (split) {
        m_context.partition->setHooks(withHookForAll(planOf(*split, m_context.partition->choices()),
                                                     m_hook->currentText().toStdString()));
    }
}

void InliningBar::chooseMode() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (split) {
        hooks::HookPlan plan = planOf(*split, m_context.partition->choices());
        const int mode = m_mode->currentData().toInt();
        plan.filter = mode == modeOfLog ? std::nullopt : std::optional(static_cast<HookFilter>(mode));
        m_context.partition->setHooks(std::move(plan));
    }
}

void InliningBar::follow() {
    const CurrentPartition& current = *m_context.partition;
    const session::PartitionSnapshotPtr& split = current.snapshot();
    if (!current.isCurrent()) {
        m_said.clear();
    }
    const bool isThere = split != nullptr;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_hook, m_mode}) {
        widget->setEnabled(isThere);
    }
    const bool hasHooks = isThere && split->hooks;
    for (QAction* action : {m_compareForward, m_compareBackward, m_copyPython, m_savePython}) {
        action->setEnabled(hasHooks);
    }
    m_compare->setEnabled(hasHooks);
    m_python->setEnabled(hasHooks);
    if (isThere) {
        const hooks::HookPlan plan = planOf(*split, current.choices());
        QStringList names{QString::fromUtf8(hooks::noHook.data())};
        if (hasLoggedHooks(*split)) {
            names.append(QString::fromUtf8(hooks::loggedHook.data()));
        }
        names.append(QString::fromUtf8(hooks::recomputeHook.data()));
        for (const std::string& name : namesOfHooks(plan)) {
            names.append(text(name));
        }
        names.append(tr("own text…"));
        setItems(m_hook, names);
        m_hook->setCurrentIndex(m_hook->findText(text(hookForAll(plan))));
        m_mode->setCurrentIndex(m_mode->findData(plan.filter ? static_cast<int>(*plan.filter) : modeOfLog));
    }
    followMeasures();
}

void InliningBar::followMeasures() {
    const RequestBase& request = *m_measures->request();
    const bool isRunning = request.isUnderWay();
    // The keyboard stays with the button that takes the other one's place.
    const bool hasKeyboard = m_measure->hasFocus() || m_cancel->hasFocus();
    QPushButton* const shown = isRunning ? m_cancel : m_measure;
    QPushButton* const hidden = isRunning ? m_measure : m_cancel;
    m_measure->setEnabled(m_measures->canMeasure());
    shown->setVisible(true);
    if (hasKeyboard && shown->isEnabled()) {
        shown->setFocus(Qt::OtherFocusReason);
    }
    hidden->setVisible(false);
    m_progress->setVisible(isRunning);
    m_progress->setRange(0, static_cast<int>(request.progress().total));
    m_progress->setValue(static_cast<int>(request.progress().done));
    showTotals();
}

/// The worst gradient, and what is measured meanwhile.
void InliningBar::addMeasured(QStringList& parts) const {
    const session::HookErrorsSnapshotPtr gradients = m_measures->withGradients();
    const bool isCurrent = m_measures->isCurrent(gradients);
    if (gradients) {
        const QString worst = formatNumber(session::worstError(gradients->errors.together));
        parts.append(isCurrent ? tr("worst gradient %1").arg(worst) : tr("worst gradient was %1").arg(worst));
    }
    if (!m_measures->request()->isUnderWay()) {
        return;
    }
    parts.append(isCurrent                                     ? tr("measuring each hook alone …")
                 : m_measures->isCurrent(m_measures->latest()) ? tr("values measured, measuring gradients …")
                                                               : tr("measuring values …"));
}

void InliningBar::showTotals() {
    const CurrentPartition& current = *m_context.partition;
    const session::PartitionSnapshotPtr& split = current.snapshot();
    QStringList parts;
    if (current.error()) {
        parts.append(tr("▲ Not possible: %1").arg(text(current.error()->message)));
    }
    if (m_measures->request()->error()) {
        parts.append(tr("▲ Not measured: %1").arg(text(m_measures->request()->error()->message)));
    } else if (m_measures->request()->state() == RequestBase::State::Canceled) {
        parts.append(tr("▲ Measuring was canceled"));
    }
    if (split && split->hooks) {
        const session::InlinedHooks& hooks = *split->hooks;
        parts.append(
            tr("stored %1 of %2").arg(formatBytes(hooks.bytesAfter), formatBytes(hooks.bytesBefore)));
        parts.append(
            tr("peak %1, before %2")
                .arg(formatBytes(split->profile->peak.bytes), formatBytes(hooks.profileBefore->peak.bytes)));
    } else if (split) {
        parts.append(tr("no hooks, %1 saved").arg(formatBytes(split->savedBytes)));
    }
    if (split && split->hooks) {
        addMeasured(parts);
    }
    if (split && !current.isCurrent() && !current.error()) {
        parts.append(tr("inlining …"));
    }
    m_summary->setText(m_said.isEmpty() ? parts.join(QStringLiteral("  ·  ")) : m_said);
}

} // namespace aotscope::views
