#include "common/find_bar.h"

#include "common/code_view.h"
#include "common/plain_words.h"
#include "style/ink.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>

namespace aotscope::views {

FindBar::FindBar(CodeView* view, QWidget* parent)
    : QWidget(parent),
      m_view(view),
      m_input(new QLineEdit),
      m_regular(new QToolButton),
      m_result(plainLabel()),
      m_progress(new QProgressBar),
      m_cancel(new QToolButton),
      m_timer(new QTimer(this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(4);
    m_input->setPlaceholderText(tr("Find in the text"));
    m_input->setAccessibleName(tr("Find in the text"));
    m_input->setClearButtonEnabled(true);
    m_regular->setText(QStringLiteral(".*"));
    m_regular->setCheckable(true);
    m_regular->setToolTip(tr("Regular expression"));
    setWords(m_result, Words::Dim);
    auto* previous = new QToolButton;
    previous->setText(QStringLiteral("↑"));
    previous->setToolTip(tr("Previous match (Shift+Enter)"));
    auto* next = new QToolButton;
    next->setText(QStringLiteral("↓"));
    next->setToolTip(tr("Next match (Enter)"));
    auto* close = new QToolButton;
    close->setText(QStringLiteral("✕"));
    close->setToolTip(tr("Close (Esc)"));
    layout->addWidget(m_input, 1);
    m_progress->setRange(0, 100);
    m_progress->setFixedSize(120, 8);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Progress of the search"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop the search (Esc)"));
    m_timer->setInterval(100);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_result), static_cast<QWidget*>(m_progress), static_cast<QWidget*>(m_cancel),
          static_cast<QWidget*>(m_regular), static_cast<QWidget*>(previous), static_cast<QWidget*>(next),
          static_cast<QWidget*>(close)}) {
        layout->addWidget(widget);
    }
    connect(m_input, &QLineEdit::textEdited, this, [this] { step(false); });
    connect(m_regular, &QToolButton::toggled, this, [this] { step(false); });
    connect(previous, &QToolButton::clicked, this, [this] { step(true); });
    connect(next, &QToolButton::clicked, this, [this] { step(false); });
    connect(close, &QToolButton::clicked, this, [this] {
        m_view->stopFinding();
        showProgress();
        hide();
    });
    connect(view, &CodeView::findRequested, this, &FindBar::open);
    connect(view, &CodeView::found, this, [this](bool any) {
        m_result->setText(any ? QString() : tr("no match"));
        showProgress();
    });
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        m_view->stopFinding();
        showProgress();
    });
    connect(m_timer, &QTimer::timeout, this, &FindBar::showProgress);
    showProgress();
    hide();
}

void FindBar::open() {
    constexpr std::size_t longestPattern = 1'000;
    const QString selected = m_view->selectedSize() <= longestPattern ? m_view->selectedText() : QString();
    if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n'))) {
        m_input->setText(selected);
    }
    show();
    m_input->setFocus(Qt::ShortcutFocusReason);
    m_input->selectAll();
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        step(event->modifiers() & Qt::ShiftModifier);
    } else if (event->key() == Qt::Key_Escape) {
        m_view->stopFinding();
        showProgress();
        hide();
        m_view->setFocus(Qt::ShortcutFocusReason);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void FindBar::step(bool backwards) {
    const QString wanted = m_input->text();
    if (wanted.isEmpty()) {
        m_view->stopFinding();
        m_result->clear();
        showProgress();
        return;
    }
    const QRegularExpression pattern(m_regular->isChecked() ? wanted : QRegularExpression::escape(wanted),
                                     QRegularExpression::CaseInsensitiveOption);
    if (!pattern.isValid()) {
        m_result->setText(pattern.errorString());
        return;
    }
    m_since.start();
    m_timer->start();
    m_view->find(pattern, backwards);
    showProgress();
}

void FindBar::showProgress() {
    constexpr qint64 patienceMilliseconds = 300;
    const std::optional<double> progress = m_view->findingProgress();
    if (!progress) {
        m_timer->stop();
    }
    const bool takesLong = progress && m_since.elapsed() >= patienceMilliseconds;
    m_progress->setVisible(takesLong);
    m_cancel->setVisible(takesLong);
    if (takesLong) {
        m_progress->setValue(static_cast<int>(*progress * 100));
    }
}

} // namespace aotscope::views
