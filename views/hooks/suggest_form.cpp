#include "hooks/suggest_form.h"

#include "common/format.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/retry_button.h"
#include "common/run_device.h"
#include "common/theme.h"
#include "hooks/byte_amount.h"
#include "hooks/hook_choices.h"
#include "partition/current_partition.h"
#include "style/ink.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace aotscope::views {

SuggestForm::SuggestForm(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_request(context.engine, tag()),
      m_bytes(new QLineEdit),
      m_error(new QLineEdit),
      m_suggest(new QPushButton(tr("Suggest"))),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_apply(new QPushButton(tr("Apply"))),
      m_progress(new QProgressBar),
      m_said(plainLabel()),
      m_rules(new QListWidget) {
    makeFields();
    auto* fields = controlRow();
    const auto field = [&](const QString& words, QLineEdit* edit) {
        auto* label = plainLabel(words);
        setWords(label, Words::Dim);
        label->setBuddy(edit);
        fields->addWidget(label);
        fields->addWidget(edit);
    };
    field(tr("store at most"), m_bytes);
    field(tr("error at most"), m_error);
    fields->addWidget(m_suggest);
    fields->addWidget(m_progress);
    fields->addWidget(m_cancel);
    fields->addWidget(new RetryButton(&m_request));
    fields->addStretch(1);
    m_said->setWordWrap(true);
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* result = controlRow();
    result->addWidget(m_said, 1);
    result->addWidget(m_apply, 0, Qt::AlignTop);
    auto* column = flushColumn(this);
    column->addLayout(fields);
    column->addLayout(result);
    column->addWidget(m_rules, 1);
    // While there are none.
    column->addStretch(0);
    connect(m_suggest, &QPushButton::clicked, this, &SuggestForm::suggest);
    connect(m_cancel, &QPushButton::clicked, &m_request, &RequestBase::cancel);
    connect(m_apply, &QPushButton::clicked, this, &SuggestForm::apply);
    connect(m_bytes, &QLineEdit::returnPressed, this, &SuggestForm::suggest);
    connect(m_error, &QLineEdit::returnPressed, this, &SuggestForm::suggest);
    connect(&m_request, &RequestBase::answered, this, &SuggestForm::take);
    connect(&m_request, &RequestBase::changed, this, &SuggestForm::followState);
    connect(&m_request, &RequestBase::progressed, this, &SuggestForm::followState);
    connect(context.partition, &CurrentPartition::jointChanged, this, &SuggestForm::followJoint);
    connect(context.partition, &CurrentPartition::partitionChanged, this, &SuggestForm::followState);
    connect(context.partition, &CurrentPartition::choicesChanged, this, &SuggestForm::followChoices);
    followJoint();
}

void SuggestForm::makeFields() {
    m_bytes->setPlaceholderText(tr("200kB, 25%"));
    m_bytes->setAccessibleName(tr("Stored bytes at most"));
    m_bytes->setToolTip(tr("What the forward may store for the backward: 200kB, 1.5 MiB, or 25% of now"));
    m_error->setPlaceholderText(tr("0.01"));
    m_error->setAccessibleName(tr("Error at most"));
    m_error->setToolTip(tr("The relative error of the gradient with the largest one may be at most this"));
    for (QLineEdit* edit : {m_bytes, m_error}) {
        edit->setFixedWidth(96);
    }
    m_suggest->setObjectName(QStringLiteral("suggest"));
    m_suggest->setToolTip(tr("Try the library's hooks and your own on every saved tensor, measure them, and "
                             "find those that reach the goal at the least error"));
    m_cancel->setToolTip(tr("Stop looking"));
    m_apply->setObjectName(QStringLiteral("applySuggestion"));
    m_apply->setToolTip(tr("Use these hooks (Ctrl+Z takes it back)"));
    m_progress->setFixedSize(120, 8);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the suggestion"));
    m_rules->setObjectName(QStringLiteral("suggestedRules"));
    m_rules->setAccessibleName(tr("Suggested hooks"));
    m_rules->setFont(codeFont());
    m_rules->setUniformItemSizes(true);
}

QString SuggestForm::said() const {
    return m_said->text();
}

void SuggestForm::say(const QString& words, bool isWrong) {
    setWords(m_said, isWrong ? Words::Warning : Words::Plain);
    m_said->setText(words);
}

/// Nothing if a field cannot be read, or both are empty.
std::optional<session::HookGoal> SuggestForm::goal() const {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    session::HookGoal goal;
    if (!m_bytes->text().trimmed().isEmpty()) {
        goal.storedBytes = readByteAmount(m_bytes->text(), split ? split->savedBytes : 0);
        if (!goal.storedBytes) {
            return std::nullopt;
        }
    }
    if (!m_error->text().trimmed().isEmpty()) {
        bool isNumber = false;
        goal.error = m_error->text().trimmed().toDouble(&isNumber);
        if (!isNumber || *goal.error < 0) {
            return std::nullopt;
        }
    }
    return goal.storedBytes || goal.error ? std::optional(goal) : std::nullopt;
}

void SuggestForm::suggest() {
    const auto& joint = m_context.partition->joint();
    if (!joint || !m_context.partition->snapshot() || m_request.isUnderWay()) {
        return;
    }
    const auto wanted = goal();
    if (!wanted) {
        say(tr("Write the bytes that may be stored (200kB, 25%), the largest error (0.01), or both."), true);
        return;
    }
    m_found = nullptr;
    m_isStopped = false;
    session::SuggestHooks command{*joint, m_context.partition->choices(), {}, *wanted, {}};
    command.options.device = chosenDevice(m_context);
    if (command.choices.hooks && !command.choices.hooks->own.empty()) {
        // Without names the engine tries the library alone.
        command.candidates = namesOfHooks(*command.choices.hooks);
    }
    m_request.ask(std::move(command));
}

void SuggestForm::take() {
    m_found = m_request.takeAnswer();
}

void SuggestForm::apply() {
    if (m_found) {
        hooks::HookPlan plan = m_found->plan;
        if (const auto& now = m_context.partition->choices().hooks) {
            plan.own.insert(now->own.begin(), now->own.end());
        }
        m_context.partition->setHooks(std::move(plan));
    }
}

void SuggestForm::followJoint() {
    m_request.forget();
    m_found = nullptr;
    m_isStopped = false;
    followState();
}

/// Other choices need other suggestions, and new hooks can only be traced when measuring has ended.
void SuggestForm::followChoices() {
    const auto* asked = m_request.askedFor<session::SuggestHooks>();
    m_isStopped = m_request.isUnderWay() && asked->choices != m_context.partition->choices();
    if (m_isStopped) {
        m_request.forget();
    }
    followState();
}

void SuggestForm::followState() {
    const bool isRunning = m_request.isUnderWay();
    m_progress->setVisible(isRunning);
    m_progress->setRange(0, static_cast<int>(m_request.progress().total));
    m_progress->setValue(static_cast<int>(m_request.progress().done));
    m_cancel->setVisible(isRunning);
    m_suggest->setEnabled(!isRunning && m_context.partition->snapshot() != nullptr);
    if (isRunning) {
        say(tr("Measuring hooks on every saved tensor …"), false);
    } else if (m_request.error()) {
        say(tr("%1 %2").arg(text(m_request.error()->message), text(m_request.error()->hint)), true);
    } else if (m_request.state() == RequestBase::State::Canceled) {
        say(tr("Canceled."), false);
    } else if (m_isStopped) {
        say(tr("Stopped because the choices changed; press Suggest to look again."), true);
    } else if (!m_found) {
        say(tr("Finds which hooks for which tensors reach a goal, by measuring them."), false);
    }
    showFound();
}

void SuggestForm::showFound() {
    m_rules->clear();
    m_rules->setVisible(m_found != nullptr);
    m_apply->setVisible(m_found != nullptr);
    if (!m_found) {
        return;
    }
    const session::InlinedHooks& hooks = *m_found->split->hooks;
    const auto& now = m_context.partition->choices().hooks;
    const bool isApplied = now && now->rules == m_found->plan.rules;
    m_apply->setEnabled(!isApplied);
    m_apply->setText(isApplied ? tr("Applied") : tr("Apply"));
    QString words = m_found->isReached ? tr("✓ Reached: ") : tr("▲ Not reached; the closest is: ");
    words += tr("%1 stored of %2, peak %3, before %4, relative error of the worst gradient %5, with %6.")
                 .arg(formatBytes(hooks.bytesAfter), formatBytes(hooks.bytesBefore),
                      formatBytes(m_found->split->profile->peak.bytes),
                      formatBytes(hooks.profileBefore->peak.bytes), formatNumber(m_found->error),
                      formatCount(m_found->plan.rules.size(), "hook", "hooks"));
    session::PartitionChoices then = m_found->split->choices;
    session::PartitionChoices present = m_context.partition->choices();
    then.hooks = present.hooks = std::nullopt;
    if (then != present) {
        words += tr(" Found for earlier choices.");
    }
    say(words, !m_found->isReached);
    qsizetype nameWidth = 0;
    qsizetype hookWidth = 0;
    for (const session::HookedTensor& tensor : hooks.tensors) {
        nameWidth = std::max(nameWidth, text(tensor.saved).size());
        hookWidth = std::max(hookWidth, text(tensor.hook).size());
    }
    for (const session::HookedTensor& tensor : hooks.tensors) {
        if (!tensor.hook.empty()) {
            m_rules->addItem(QStringLiteral("%1  %2  %3 → %4")
                                 .arg(text(tensor.saved), -static_cast<int>(nameWidth))
                                 .arg(text(tensor.hook), -static_cast<int>(hookWidth))
                                 .arg(formatBytes(tensor.bytes), 10)
                                 .arg(formatBytes(tensor.storedBytes)));
        }
    }
    for (const std::string& note : m_found->notes) {
        m_rules->addItem(text(note));
    }
}

} // namespace aotscope::views
