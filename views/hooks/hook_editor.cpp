#include "hooks/hook_editor.h"

#include "common/code_edit.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "hooks/choice_items.h"
#include "hooks/hook_choices.h"
#include "hooks/hook_library.h"
#include "partition/current_partition.h"
#include "style/ink.h"

#include <QLabel>
#include <QPushButton>
#include <QTimer>

#include <map>
#include <utility>

namespace aotscope::views {

namespace {

/// Keys that arrive together are one change. What an earlier key began ends with the next one.
constexpr int typingPause = 0;

} // namespace

HookEditor::HookEditor(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_names(choiceBox(tr("Hook to show"), tr("The library's hooks, and your own"))),
      m_copy(new QPushButton(tr("Edit a copy"))),
      m_remove(new QPushButton(tr("Remove"))),
      m_edit(new CodeEdit(context.theme, CodeLanguage::Python)),
      m_said(plainLabel()),
      m_typing(new QTimer(this)) {
    m_copy->setObjectName(QStringLiteral("editCopy"));
    m_remove->setObjectName(QStringLiteral("removeOwn"));
    m_copy->setToolTip(tr("Make a hook of your own from this one; it takes its place wherever it is chosen"));
    m_remove->setToolTip(tr("Remove your hook, also where it is chosen"));
    m_edit->setObjectName(QStringLiteral("hookText"));
    m_edit->setAccessibleName(tr("Text of the hook"));
    m_said->setWordWrap(true);
    m_said->setContentsMargins(8, 2, 8, 4);
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* bar = controlRow();
    bar->addWidget(m_names);
    bar->addWidget(m_copy);
    bar->addWidget(m_remove);
    bar->addStretch(1);
    auto* column = flushColumn(this);
    column->addLayout(bar);
    column->addWidget(m_edit, 1);
    column->addWidget(m_said);
    m_typing->setSingleShot(true);
    m_typing->setInterval(typingPause);
    connect(m_typing, &QTimer::timeout, this, &HookEditor::type);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        if (!m_following && isOwn()) {
            m_typing->start();
        }
    });
    connect(m_edit, &CodeEdit::left, this, [this] {
        if (m_typing->isActive()) {
            type();
        }
        m_context.partition->endDrag();
    });
    connect(m_names, &QComboBox::activated, this, [this] { showHook(m_names->currentText().toStdString()); });
    connect(m_copy, &QPushButton::clicked, this, &HookEditor::editCopy);
    connect(m_remove, &QPushButton::clicked, this, &HookEditor::removeOwn);
    connect(context.partition, &CurrentPartition::choicesChanged, this, &HookEditor::followChoices);
    connect(context.partition, &CurrentPartition::partitionChanged, this, &HookEditor::followErrors);
    m_name = std::string(hooks::hookLibrary().front().name);
    followChoices();
}

bool HookEditor::isOwn() const {
    const auto& plan = m_context.partition->choices().hooks;
    return plan && plan->own.contains(m_name);
}

void HookEditor::showHook(const std::string& name, int line) {
    if (m_typing->isActive()) {
        m_typing->stop();
        type();
    }
    m_name = name;
    followChoices();
    if (line > 0) {
        m_edit->goToLine(line);
        m_edit->setFocus(Qt::OtherFocusReason);
    }
}

void HookEditor::editCopy() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (!split) {
        return;
    }
    hooks::HookPlan plan = planOf(*split, m_context.partition->choices());
    const std::string name = ownName(plan, m_name);
    plan = withOwnCopy(std::move(plan), m_name, name);
    m_name = name;
    m_context.partition->setHooks(std::move(plan));
    m_edit->setFocus(Qt::OtherFocusReason);
}

void HookEditor::removeOwn() {
    if (isOwn()) {
        m_typing->stop();
        hooks::HookPlan plan = withoutOwn(*m_context.partition->choices().hooks, m_name);
        m_name = std::string(hooks::hookLibrary().front().name);
        m_context.partition->setHooks(std::move(plan));
    }
}

void HookEditor::type() {
    if (isOwn()) {
        m_context.partition->typeHooks(
            withText(*m_context.partition->choices().hooks, m_name, m_edit->toPlainText().toStdString()));
    }
}

void HookEditor::followChoices() {
    const session::PartitionChoices& choices = m_context.partition->choices();
    const hooks::HookPlan plan = choices.hooks.value_or(hooks::HookPlan());
    if (!plan.tryText(m_name)) {
        // It was removed, or another compile is shown.
        m_name = std::string(hooks::hookLibrary().front().name);
        m_typing->stop();
    }
    QStringList names;
    for (const std::string& name : namesOfHooks(plan)) {
        names.append(text(name));
    }
    m_following = true;
    setItems(m_names, names);
    m_names->setCurrentText(text(m_name));
    const QString words = QString::fromStdString(std::string(*plan.tryText(m_name)));
    if (!m_typing->isActive() && m_edit->toPlainText() != words) {
        m_edit->setPlainText(words);
    }
    m_following = false;
    m_edit->setReadOnly(!isOwn());
    m_copy->setEnabled(m_context.partition->snapshot() != nullptr);
    m_remove->setVisible(isOwn());
    followErrors();
}

void HookEditor::followErrors() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    m_copy->setEnabled(split != nullptr);
    std::map<int, QString> errors;
    QString wrong;
    if (split && split->hooks) {
        for (const hooks::BrokenHook& broken : split->hooks->broken) {
            if (broken.hook == m_name) {
                const QString message = text(broken.error.message);
                const auto line = static_cast<int>(broken.error.place.line);
                errors.emplace(line, message);
                wrong = line > 0 ? tr("Line %1: %2 %3").arg(line).arg(message, text(broken.error.hint))
                                 : QStringLiteral("%1 %2").arg(message, text(broken.error.hint));
            }
        }
    }
    m_edit->setErrors(std::move(errors));
    setWords(m_said, wrong.isEmpty() ? Words::Dim : Words::Bad);
    m_said->setText(!wrong.isEmpty() ? wrong.trimmed()
                    : isOwn()        ? tr("Your own hook: graphs, bytes and curves follow what you type.")
                              : tr("A hook of the library. “Edit a copy” makes one of your own from it."));
    m_edit->setAccessibleDescription(m_said->text());
}

QString HookEditor::said() const {
    return m_said->text();
}

} // namespace aotscope::views
