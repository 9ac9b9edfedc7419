#include "retrace/pause_view.h"

#include "common/elided_label.h"
#include "common/format.h"
#include "common/plain_words.h"
#include "common/theme.h"
#include "style/ink.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace aotscope::views {

using AnswerKind = session::PauseAnswer::Kind;

namespace {

QString phaseText(const session::TracePause& pause) {
    switch (pause.phase) {
    case session::TracePhase::Metadata:
        return QObject::tr("metadata pass");
    case session::TracePhase::Forward:
        return QObject::tr("forward");
    case session::TracePhase::Backward:
        return QObject::tr("backward");
    }
    return {};
}

QString placeText(const session::TracePause& pause) {
    QStringList parts;
    if (pause.source) {
        parts.append(
            text(pause.source->file) + QLatin1Char(':') + QString::number(pause.source->line) +
            (pause.source->code.empty() ? QString() : QStringLiteral("   ") + text(pause.source->code)));
    }
    if (!pause.programNode.empty()) {
        parts.append(QObject::tr("Dynamo's node %1").arg(text(pause.programNode)));
    }
    return parts.join(QStringLiteral("   ·   "));
}

QLabel* wordsLabel(Words words) {
    QLabel* label = plainLabel();
    setWords(label, words);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setMinimumWidth(1);
    return label;
}

} // namespace

PauseView::PauseView(QWidget* parent)
    : QWidget(parent),
      m_title(new ElidedLabel),
      m_place(wordsLabel(Words::Dim)),
      m_call(wordsLabel(Words::Plain)),
      m_refused(wordsLabel(Words::Warning)),
      m_facts(new QTreeWidget),
      m_field(new QLineEdit) {
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_call->setFont(codeFont());
    m_refused->setWordWrap(true);
    m_refused->hide();
    m_facts->setObjectName(QStringLiteral("pauseFacts"));
    m_facts->setAccessibleName(tr("What the trace knows about sizes"));
    m_facts->setHeaderLabels({tr("symbol or guard"), tr("value"), tr("from")});
    m_facts->setRootIsDecorated(false);
    m_facts->setUniformRowHeights(true);
    m_facts->header()->resizeSection(0, 280);
    m_facts->header()->resizeSection(1, 130);
    m_field->setPlaceholderText(tr("fact: Eq(s0, 8), s0 >= 2"));
    m_field->setAccessibleName(tr("A fact about sizes"));
    m_field->setToolTip(tr("A relation between symbols that holds for the log's sizes; the trace starts "
                           "again with it and stops here (Return)"));

    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    bar->addWidget(m_title, 1);
    addButton(tr("Resume"), tr("Go on to the next breakpoint (F5)"), AnswerKind::Resume);
    addButton(tr("Next node"), tr("To the next node that is recorded (F10)"), AnswerKind::NextOperator);
    addButton(tr("Dynamo's next"), tr("To the first node of the next node of Dynamo's graph (F8)"),
              AnswerKind::NextProgramNode);
    addButton(tr("Next line"), tr("To the first node of another source line (Shift+F8)"),
              AnswerKind::NextLine);
    addButton(tr("Abort"), tr("End this trace (Shift+F5)"), AnswerKind::Abort);
    for (QPushButton* button : findChildren<QPushButton*>()) {
        bar->addWidget(button);
    }
    m_graph = new QPushButton(tr("Show graph"));
    m_graph->setToolTip(tr("Show what is recorded so far in the Graph and Text panels"));
    bar->addWidget(m_graph);

    auto* factBar = new QHBoxLayout;
    factBar->setSpacing(8);
    auto* add = new QPushButton(tr("Add fact"));
    add->setToolTip(tr("Assume the relation (Return in the field)"));
    factBar->addWidget(m_field, 1);
    factBar->addWidget(add);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(4);
    layout->addLayout(bar);
    layout->addWidget(m_call);
    layout->addWidget(m_place);
    layout->addWidget(m_facts, 1);
    layout->addWidget(m_refused);
    layout->addLayout(factBar);

    connect(m_graph, &QPushButton::clicked, this, &PauseView::graphRequested);
    connect(add, &QPushButton::clicked, this, &PauseView::addFact);
    connect(m_field, &QLineEdit::returnPressed, this, &PauseView::addFact);
}

QPushButton* PauseView::addButton(const QString& title, const QString& tip, AnswerKind kind) {
    auto* button = new QPushButton(title, this);
    button->setToolTip(tip);
    connect(button, &QPushButton::clicked, this, [this, kind] { Q_EMIT answered({kind}); });
    return button;
}

void PauseView::addFact() {
    if (!m_field->text().trimmed().isEmpty()) {
        Q_EMIT answered({AnswerKind::AddFact, m_field->text().trimmed().toStdString()});
    }
}

void PauseView::showPause(const session::TracePausePtr& pause) {
    const QString nodes = pause->graph ? formatCount(pause->graph->size(), "node", "nodes") + tr(" so far")
                                       : tr("nothing is recorded yet");
    m_title->setText(tr("Paused in %1: %2   ·   %3   ·   %4")
                         .arg(text(pause->name), text(pause->reason), phaseText(*pause), nodes));
    m_title->setToolTip(plainToolTip(m_title->text()));
    m_call->setText(pause->node.empty()
                        ? QString()
                        : tr("next   ") + text(pause->node) + QStringLiteral(" = ") + text(pause->call));
    m_call->setVisible(!pause->node.empty());
    m_place->setText(placeText(*pause));
    m_place->setVisible(!m_place->text().isEmpty());
    m_refused->setText(text(pause->refused));
    m_refused->setVisible(!pause->refused.empty());
    if (pause->refused.empty()) {
        m_field->clear();
    }
    m_field->setEnabled(!pause->symbols.empty());
    if (!pause->symbols.empty()) {
        const session::TraceSymbol& symbol = pause->symbols.front();
        m_field->setPlaceholderText(tr("fact: Eq(%1, %2), %1 >= 2").arg(text(symbol.name)).arg(symbol.hint));
    }
    m_graph->setEnabled(pause->partial != nullptr);
    showFacts(*pause);
}

void PauseView::takeKeyboard() {
    QWidget* first = m_field->isEnabled() ? static_cast<QWidget*>(m_field) : findChild<QPushButton*>();
    first->setFocus(Qt::OtherFocusReason);
}

void PauseView::showFacts(const session::TracePause& pause) {
    m_facts->clear();
    for (const session::TraceSymbol& symbol : pause.symbols) {
        const bool isReplaced = !symbol.replacedBy.empty();
        new QTreeWidgetItem(m_facts, {text(symbol.name),
                                      isReplaced ? text(symbol.replacedBy) : QString::number(symbol.hint),
                                      isReplaced ? tr("a fact") : tr("from log (symbolic)")});
    }
    for (const aot::RetraceGuard& guard : pause.guards) {
        QString from = guard.byUser         ? tr("a fact")
                       : guard.node.empty() ? tr("the inputs")
                                            : tr("needed by %1").arg(text(guard.node));
        if (guard.source) {
            from += QStringLiteral("   ") + text(guard.source->file) + QLatin1Char(':') +
                    QString::number(guard.source->line);
        }
        new QTreeWidgetItem(m_facts, {text(guard.expression.text()), tr("assumed"), from});
    }
    if (m_facts->topLevelItemCount() == 0) {
        auto* none = new QTreeWidgetItem(m_facts, {tr("no symbols: every size is a number")});
        none->setFirstColumnSpanned(true);
        none->setFlags(Qt::NoItemFlags);
    }
}

QString PauseView::said() const {
    return QStringList{m_title->text(), m_call->text(), m_place->text(), m_refused->text()}.join(
        QLatin1Char('\n'));
}

} // namespace aotscope::views
