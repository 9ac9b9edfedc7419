#include "kernels/kernel_source.h"

#include "common/code_edit.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "kernels/kernel_variants.h"
#include "style/ink.h"

#include <QLabel>
#include <QPushButton>
#include <QTextBlock>
#include <QTimer>

#include <initializer_list>
#include <map>

namespace aotscope::views {

namespace {

/// How long after the last key the text is compiled.
constexpr int compilePause = 400;

QString bodyOf(const kernels::FusedKernel& kernel) {
    return text(kernel.bodyKey);
}

} // namespace

KernelSource::KernelSource(const ThemeSource* theme, KernelVariants* variants, QWidget* parent)
    : QWidget(parent),
      m_variants(variants),
      m_choices(choiceBox(tr("Text of the kernel"), tr("As it is generated, or a variant that you kept"))),
      m_revert(new QPushButton(tr("Revert"))),
      m_keep(new QPushButton(tr("Keep as variant"))),
      m_said(plainLabel()),
      m_edit(new CodeEdit(theme, CodeLanguage::Cpp)),
      m_typing(new QTimer(this)) {
    m_edit->setObjectName(QStringLiteral("kernelText"));
    m_edit->setAccessibleName(tr("Text of the kernel"));
    // Tab indents here: Shift+Tab and F6 lead out.
    m_edit->setTabChangesFocus(false);
    m_edit->setTabStopDistance(4 * m_edit->fontMetrics().horizontalAdvance(QLatin1Char(' ')));
    m_revert->setToolTip(tr("Go back to the text as it is generated"));
    m_keep->setToolTip(tr("Keep this text beside the generated one, also for the next window"));
    m_said->setWordWrap(true);
    m_said->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_said->setContentsMargins(8, 0, 8, 0);
    m_typing->setSingleShot(true);
    m_typing->setInterval(compilePause);
    auto* bar = controlRow();
    bar->addWidget(m_choices);
    bar->addWidget(m_revert);
    bar->addWidget(m_keep);
    // Beside the buttons, so that the text has the height: the dock is low.
    bar->addWidget(m_said, 1);
    auto* column = flushColumn(this);
    column->addLayout(bar);
    column->addWidget(m_edit, 1);

    connect(m_typing, &QTimer::timeout, this, &KernelSource::sourceChanged);
    connect(m_edit, &QPlainTextEdit::textChanged, this, [this] {
        updateButtons();
        markLines();
        if (!m_setting) {
            m_typing->start();
        }
    });
    connect(m_edit, &QPlainTextEdit::cursorPositionChanged, this,
            [this] { Q_EMIT lineChanged(m_edit->textCursor().block().blockNumber() + 1); });
    connect(m_choices, &QComboBox::activated, this, &KernelSource::choose);
    connect(m_revert, &QPushButton::clicked, this, &KernelSource::revert);
    connect(m_keep, &QPushButton::clicked, this, &KernelSource::keepVariant);
    connect(m_variants, &KernelVariants::changed, this, &KernelSource::fillChoices);
    m_edit->setEnabled(false);
    showControls();
    fillChoices();
}

/// Without a kernel there is only the hint.
void KernelSource::showControls() {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_choices, m_revert, m_keep, m_edit}) {
        widget->setVisible(m_kernel.has_value());
    }
}

QString KernelSource::said() const {
    return m_said->text();
}

void KernelSource::showKernel(const std::optional<kernels::FusedKernel>& kernel) {
    const bool isSame = m_kernel && kernel ? m_kernel->source == kernel->source : !m_kernel && !kernel;
    if (isSame) {
        return; // What a person is changing stays.
    }
    m_kernel = kernel;
    m_edit->setEnabled(kernel.has_value());
    showControls();
    fillChoices();
    revert();
}

std::string KernelSource::source() const {
    return m_edit->toPlainText().toStdString();
}

bool KernelSource::isChanged() const {
    return m_kernel && source() != m_kernel->source;
}

void KernelSource::markNode(ir::NodeId node) {
    m_node = node;
    markLines();
    if (!isChanged() && !m_edit->relatedLines().empty()) {
        m_edit->goToLine(m_edit->relatedLines().back());
    }
}

/// In a text that a person changed, lines are known again by their words.
void KernelSource::markLines() {
    std::vector<int> marked;
    const QStringList generated = m_kernel ? text(m_kernel->source).split(QLatin1Char('\n')) : QStringList();
    QStringList wanted;
    for (const kernels::KernelLine& line : m_kernel ? m_kernel->lines : std::vector<kernels::KernelLine>()) {
        if (line.node == m_node) {
            marked.push_back(static_cast<int>(line.line));
            wanted.append(generated.value(static_cast<qsizetype>(line.line) - 1));
        }
    }
    if (isChanged()) {
        marked.clear();
        for (QTextBlock block = m_edit->document()->begin(); block.isValid(); block = block.next()) {
            if (wanted.contains(block.text())) {
                marked.push_back(block.blockNumber() + 1);
            }
        }
    }
    m_edit->setRelatedLines(std::move(marked));
}

void KernelSource::fillChoices() {
    const QString chosen = m_choices->currentText();
    m_choices->clear();
    m_choices->addItem(tr("as generated"));
    for (const KernelVariant& variant :
         m_kernel ? m_variants->of(bodyOf(*m_kernel)) : std::vector<KernelVariant>()) {
        m_choices->addItem(variant.name, variant.source);
    }
    m_choices->setCurrentIndex(std::max(0, m_choices->findText(chosen)));
    updateButtons();
}

void KernelSource::choose(int index) {
    m_setting = true;
    m_edit->setPlainText(index > 0  ? m_choices->itemData(index).toString()
                         : m_kernel ? text(m_kernel->source)
                                    : QString());
    m_setting = false;
    m_typing->stop();
    m_edit->setErrors({});
    updateButtons();
    Q_EMIT sourceChanged();
}

void KernelSource::revert() {
    m_choices->setCurrentIndex(0);
    choose(0);
}

void KernelSource::keepVariant() {
    if (m_kernel && isChanged()) {
        const QString name = m_variants->add(bodyOf(*m_kernel), m_edit->toPlainText());
        m_choices->setCurrentIndex(m_choices->findText(name));
    }
}

void KernelSource::updateButtons() {
    const bool changed = isChanged();
    m_revert->setEnabled(changed);
    m_keep->setEnabled(changed);
    m_choices->setEnabled(m_kernel.has_value());
}

void KernelSource::setMessages(const std::vector<kernels::CompileMessage>& messages, const QString& summary) {
    std::map<int, QString> errors;
    QStringList lines;
    const std::string file = m_kernel ? kernels::kernelFileName(m_kernel->name) : std::string();
    for (const kernels::CompileMessage& message : messages) {
        const bool isOurs = message.file == file && message.line > 0;
        if (message.severity == kernels::CompileMessage::Severity::Error) {
            lines.append((isOurs ? tr("line %1: ").arg(message.line) : QString()) + text(message.text));
        }
        if (isOurs && message.severity != kernels::CompileMessage::Severity::Remark) {
            QString& words = errors[static_cast<int>(message.line)];
            words += (words.isEmpty() ? QString() : QStringLiteral("\n")) + text(message.text);
        }
    }
    m_edit->setErrors(std::move(errors));
    constexpr qsizetype mostShown = 3;
    m_said->setText(lines.isEmpty() ? summary : lines.mid(0, mostShown).join(QLatin1Char('\n')));
    setWords(m_said, lines.isEmpty() ? Words::Dim : Words::Bad);
}

void KernelSource::setHint(const QString& words) {
    m_edit->setErrors({});
    m_said->setText(words);
    setWords(m_said, Words::Dim);
}

void KernelSource::setTrouble(const QString& words) {
    m_edit->setErrors({});
    m_said->setText(words);
    setWords(m_said, Words::Warning);
}

} // namespace aotscope::views
