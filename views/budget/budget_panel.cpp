#include "budget/budget_panel.h"

#include "budget/budget_canvas.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/html.h"
#include "common/icons.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/retry_button.h"
#include "common/theme.h"
#include "partition/current_partition.h"
#include "partition/why_text.h"
#include "style/ink.h"

#include "base/describe.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace aotscope::views {

namespace {

constexpr std::size_t usualSteps = 20;

using html::colored;

} // namespace

BudgetPanel::BudgetPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_sweeps(new BudgetSweeps(context.engine, context.logs, this)),
      m_canvas(new BudgetCanvas(*context.theme)),
      m_solver(
          choiceBox(tr("Solver"), tr("activation_memory_budget_solver: how the values to save are chosen "
                                     "within the budget"))),
      m_runtime(choiceBox(
          tr("Runtime"),
          tr("activation_memory_budget_runtime_estimator: cost of computing a value again. profile "
             "measures the time of each node here, by running the joint graph on synthetic inputs"))),
      m_steps(choiceBox(tr("Steps"), tr("Number of budgets between 0 and 1 to try"))),
      m_inputs(new QCheckBox(tr("inputs"))),
      m_progress(new QProgressBar),
      m_cancelButton(new QToolButton),
      m_sweepButton(new QToolButton),
      m_cancel(new QAction(tr("Cancel"), this)),
      m_sweep(new QAction(tr("Sweep"), this)),
      m_summary(new ElidedLabel),
      m_legend(new QLabel) {
    auto* content = new QWidget;
    auto* parts = flushColumn(content);
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setContentsMargins(8, 2, 8, 4);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    parts->addWidget(makeBar());
    parts->addWidget(m_canvas, 1);
    parts->addWidget(m_legend);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_pages = new EmptyPage(content);
    layout->addWidget(m_pages);
    setKeyboardPlace(this, m_canvas);
    fillChoices();
    connectParts();
    follow();
    refreshLegend();
}

QWidget* BudgetPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = controlRow(bar);
    m_inputs->setChecked(true);
    m_inputs->setToolTip(tr("Count parameters, buffers and other inputs in the peak"));
    m_progress->setFixedSize(120, 8);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the sweep"));
    m_cancel->setShortcut(Qt::Key_Escape);
    m_cancel->setToolTip(tr("Stop trying budgets (Esc)"));
    m_sweep->setShortcut(Qt::Key_R);
    m_sweep->setToolTip(tr("Try the budgets from 0 to 1 (R)"));
    m_cancel->setIcon(themedIcon(QStringLiteral("cancel"), *m_context.theme));
    m_sweep->setIcon(themedIcon(QStringLiteral("run"), *m_context.theme));
    for (QAction* action : {m_cancel, m_sweep}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    m_cancelButton->setDefaultAction(m_cancel);
    m_sweepButton->setDefaultAction(m_sweep);
    for (QToolButton* button : {m_cancelButton, m_sweepButton}) {
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize({12, 12});
    }
    setWords(m_summary, Words::Dim);
    auto* solver = plainLabel(tr("solver"));
    setWords(solver, Words::Dim);
    solver->setBuddy(m_solver);
    auto* runtime = plainLabel(tr("runtime"));
    setWords(runtime, Words::Dim);
    runtime->setBuddy(m_runtime);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{solver, m_solver, runtime, m_runtime, m_steps, m_inputs,
                                         m_sweepButton, m_progress, m_cancelButton}) {
        layout->addWidget(widget);
    }
    layout->addWidget(m_summary, 1);
    layout->addWidget(new RetryButton(m_context.partition->request()));
    return bar;
}

void BudgetPanel::fillChoices() {
    const auto fill = [](QComboBox* box, std::span<const std::string_view> words) {
        for (const std::string_view word : words) {
            box->addItem(QLatin1String(word.data(), qsizetype(word.size())), box->count());
        }
    };
    fill(m_solver, base::words<passes::BudgetSolver>());
    fill(m_runtime, base::words<session::RuntimeSource>());
    for (const std::size_t steps : {std::size_t{10}, usualSteps, std::size_t{50}, std::size_t{100}}) {
        m_steps->addItem(tr("%1 steps").arg(steps), qulonglong(steps));
    }
    m_steps->setCurrentIndex(m_steps->findData(qulonglong(usualSteps)));
}

void BudgetPanel::connectParts() {
    connect(m_solver, &QComboBox::activated, this, [this] {
        session::PartitionChoices choices = m_context.partition->choices();
        choices.solver = passes::BudgetSolver(m_solver->currentData().toInt());
        m_context.partition->setChoices(choices);
    });
    connect(m_runtime, &QComboBox::activated, this, [this] {
        session::PartitionChoices choices = m_context.partition->choices();
        choices.runtime = session::RuntimeSource(m_runtime->currentData().toInt());
        m_context.partition->setChoices(choices);
    });
    connect(m_steps, &QComboBox::activated, this, &BudgetPanel::follow);
    connect(m_inputs, &QCheckBox::toggled, this, [this](bool counted) {
        m_canvas->setInputs(counted);
        refreshPartition();
        refreshLegend();
    });
    connect(m_canvas, &BudgetCanvas::budgetChosen, m_context.partition, &CurrentPartition::setBudget);
    connect(m_canvas, &BudgetCanvas::letGo, m_context.partition, &CurrentPartition::endDrag);
    m_canvas->setDescribe([this](const session::BudgetSweepPoint& point) { return describe(point); });
    connect(m_cancel, &QAction::triggered, m_sweeps, &BudgetSweeps::cancel);
    connect(m_sweep, &QAction::triggered, this, [this] {
        if (m_context.partition->joint()) {
            m_sweeps->ask(question());
        }
    });
    connect(m_sweeps, &BudgetSweeps::changed, this, &BudgetPanel::follow);
    connect(m_sweeps, &BudgetSweeps::progressed, this, &BudgetPanel::refreshProgress);
    connect(m_context.partition, &CurrentPartition::jointChanged, this, &BudgetPanel::follow);
    connect(m_context.partition, &CurrentPartition::choicesChanged, this, &BudgetPanel::follow);
    connect(m_context.partition, &CurrentPartition::partitionChanged, this, &BudgetPanel::follow);
    connect(m_context.theme, &ThemeSource::changed, this, &BudgetPanel::refreshLegend);
}

BudgetSweeps::Question BudgetPanel::question() const {
    return BudgetSweeps::question(*m_context.partition->joint(), m_context.partition->choices(),
                                  std::size_t(m_steps->currentData().toULongLong()));
}

void BudgetPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follow();
}

void BudgetPanel::follow() {
    const CurrentPartition& split = *m_context.partition;
    if (!split.snapshot()) {
        showNothing();
        return;
    }
    // Without a choice the combo boxes show what the configuration says.
    const session::PartitionSnapshotPtr made = split.snapshot();
    const passes::PartitionOptions used = made ? made->options : passes::PartitionOptions();
    const auto estimated = used.estimator == passes::RuntimeEstimator::Testing
                               ? session::RuntimeSource::Testing
                               : session::RuntimeSource::Flops;
    m_solver->setCurrentIndex(m_solver->findData(int(split.choices().solver.value_or(used.solver))));
    m_runtime->setCurrentIndex(m_runtime->findData(int(split.choices().runtime.value_or(estimated))));
    ask();
    refreshCurves();
    refreshProgress();
    refreshPartition();
    m_pages->showContent();
}

void BudgetPanel::showNothing() {
    m_sweeps->leave();
    m_canvas->setSweep(nullptr, false);
    m_canvas->setPartition(nullptr);
    m_summary->clear();
    refreshProgress();
    if (m_context.partition->joint()) {
        m_pages->showRequest(m_context.partition->request(), m_context.partition->requestWords());
        return;
    }
    m_pages->showMessage(tr("No step to show"),
                         tr("What each activation-memory budget saves, needs and computes again appears "
                            "here.\nSelect a compile with a joint graph in the Compiles panel."));
}

/// Waits until the current partition is there, because that is what a person looks at first.
void BudgetPanel::ask() {
    if (isVisible() && m_context.partition->snapshot() && !m_sweeps->gaveUp(question())) {
        m_sweeps->ask(question());
    }
}

/// Curves of earlier choices stay, faded, until the new ones arrive.
void BudgetPanel::refreshCurves() {
    const session::BudgetSweepSnapshotPtr answer = m_sweeps->answerTo(question());
    const session::BudgetSweepSnapshotPtr& shown = m_canvas->look().sweep;
    if (answer) {
        m_canvas->setSweep(answer, false);
    } else {
        const bool related = shown && shown->joint == *m_context.partition->joint();
        m_canvas->setSweep(related ? shown : nullptr, related);
    }
}

void BudgetPanel::refreshProgress() {
    const bool running = m_sweeps->running();
    const bool has = m_context.partition->joint().has_value();
    const bool answered = has && m_sweeps->answerTo(question()) != nullptr;
    const base::ProgressState& progress = m_sweeps->progress();
    m_progress->setRange(0, int(progress.total));
    m_progress->setValue(int(progress.done));
    m_progress->setVisible(running);
    m_cancelButton->setVisible(running);
    m_cancel->setEnabled(running);
    m_sweepButton->setVisible(!running && !answered);
    m_sweep->setEnabled(has && !running && !answered);
}

QString BudgetPanel::summary() const {
    return m_summary->text();
}

void BudgetPanel::refreshPartition() {
    const CurrentPartition& current = *m_context.partition;
    const session::PartitionSnapshotPtr split = current.isCurrent() ? current.snapshot() : nullptr;
    m_canvas->setBudget(current.budget());
    m_canvas->setPartition(split);
    QStringList parts{tr("budget %1").arg(current.budget(), 0, 'f', 2)};
    if (split) {
        parts.append(tr("%1 saved").arg(formatBytes(split->savedBytes)));
        parts.append(tr("peak %1").arg(formatBytes(peakOf(*split, m_inputs->isChecked()))));
        parts.append(tr("%1 recomputed").arg(formatFlops(split->recomputedFlops)));
        if (split->partitionerSource == session::PartitionerSource::Assumed) {
            parts.append(text(session::partitionerText(*split)));
        }
        if (split->options.partitioner == passes::Partitioner::Default) {
            parts.append(tr("default partition, which does not use the budget"));
        }
    } else if (!current.error()) {
        parts.append(current.wasCanceled() ? tr("⚠ the split with these choices was canceled")
                                           : tr("splitting …"));
    }
    if (current.error()) {
        parts.prepend(tr("⚠ %1").arg(text(current.error()->message)));
    }
    if (m_sweeps->error()) {
        parts.prepend(tr("⚠ %1").arg(text(m_sweeps->error()->message)));
    }
    m_summary->setText(parts.join(QStringLiteral("  ·  ")));
    m_summary->setToolTip(m_summary->text());
}

void BudgetPanel::refreshLegend() {
    const Theme& theme = m_context.theme->theme();
    const auto entry = [&](BudgetCurve curve, const char* line, const QString& words) {
        return colored(BudgetPlot::curvePen(theme, curve).color(), QString::fromUtf8(line)) +
               QStringLiteral("&nbsp;") + words;
    };
    m_legend->setText(QStringList{
        entry(BudgetCurve::Saved, "━●━", tr("saved for the backward")),
        entry(BudgetCurve::Peak, "– ● –",
              m_inputs->isChecked() ? tr("peak of the step") : tr("peak of the step without inputs")),
        entry(BudgetCurve::Flops, "·●·", tr("recomputed (right)")),
        colored(theme.dimText, tr("▲ the chosen budget"))}
                          .join(QStringLiteral("&nbsp;&nbsp;&nbsp; ")));
}

QString BudgetPanel::describe(const session::BudgetSweepPoint& point) const {
    return tr("Budget %1: %2\n%3 saved, %4\npeak %5, %6 without inputs\n%7 recomputed, %8\nClick to "
              "choose it")
        .arg(QString::number(point.budget, 'f', 2), text(point.stage),
             formatCount(point.saved, "value", "values"), formatBytes(point.savedBytes),
             formatBytes(point.peakBytes), formatBytes(point.intermediatePeakBytes),
             formatCount(point.recomputed, "value", "values"), formatFlops(point.recomputedFlops));
}

} // namespace aotscope::views
