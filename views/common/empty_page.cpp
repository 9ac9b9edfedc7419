#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/retry_button.h"
#include "style/ink.h"

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace aotscope::views {

namespace {

/// "Waits for the run to end", "Placing nodes · 40 %"
QString howFar(const RequestBase& request) {
    if (request.waitsFor()) {
        return waitText(*request.waitsFor());
    }
    const base::ProgressState& state = request.progress();
    QStringList parts;
    for (const std::string& words : {state.stage, state.detail}) {
        if (!words.empty()) {
            parts.append(text(words));
        }
    }
    if (state.total > 0) {
        parts.append(QStringLiteral("%1 %").arg(100.0 * double(state.done) / double(state.total), 0, 'f', 0));
    }
    return parts.join(QStringLiteral("  ·  "));
}

} // namespace

EmptyPage::EmptyPage(QWidget* content, QWidget* parent)
    : QStackedWidget(parent),
      m_title(plainLabel()),
      m_howTo(plainLabel()),
      m_retry(new QPushButton(tr("Retry"))),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_silence(new QTimer(this)) {
    addWidget(content);
    auto* page = new QFrame;
    page->setObjectName(QLatin1String(emptyPageName));
    page->setFrameShape(QFrame::StyledPanel);
    // Focusable, so that keyboard users and screen readers reach the page.
    page->setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(4);
    layout->addStretch(2);
    setWords(m_title, Words::Title);
    setWords(m_howTo, Words::Dim);
    for (QLabel* label : {m_title, m_howTo}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
        label->setMinimumWidth(1);
        layout->addWidget(label);
    }
    m_retry->setObjectName(QStringLiteral("retryRequest"));
    m_retry->setToolTip(tr("Try again"));
    m_cancel->setObjectName(QStringLiteral("cancelRequest"));
    m_cancel->setToolTip(tr("Stop this (Shift+F5 stops everything)"));
    for (QPushButton* button : {m_retry, m_cancel}) {
        button->hide();
        layout->addWidget(button, 0, Qt::AlignHCenter);
    }
    layout->addStretch(3);
    addWidget(page);
    constexpr int silentMilliseconds = 300;
    m_silence->setSingleShot(true);
    m_silence->setInterval(silentMilliseconds);
    connect(m_silence, &QTimer::timeout, this, &EmptyPage::drawRequest);
    connect(m_retry, &QPushButton::clicked, this, [this] {
        if (m_request) {
            m_request->retry();
        }
    });
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        if (m_request) {
            m_request->cancel();
        }
    });
}

void EmptyPage::showContent() {
    leaveRequest();
    turnTo(0);
}

void EmptyPage::turnTo(int index) {
    // The window's focus widget, because this widget's own is the one that had the focus last.
    const QWidget* focused = window()->focusWidget();
    const bool hasKeyboard = currentWidget() == focused || currentWidget()->isAncestorOf(focused);
    if (index == currentIndex()) {
        return;
    }
    setCurrentIndex(index);
    if (QWidget* panel = panelAround(parentWidget()); hasKeyboard && panel != nullptr) {
        giveKeyboard(panel, Qt::OtherFocusReason);
    }
}

void EmptyPage::setWordsOfPage(const QString& title, const QString& howTo) {
    m_title->setText(title);
    m_howTo->setText(howTo);
    widget(1)->setAccessibleName(title);
    widget(1)->setAccessibleDescription(howTo);
}

void EmptyPage::showMessage(const QString& title, const QString& howTo) {
    leaveRequest();
    setWordsOfPage(title, howTo);
    turnTo(1);
}

void EmptyPage::leaveRequest() {
    for (QMetaObject::Connection& connection : m_following) {
        disconnect(connection);
    }
    m_request = nullptr;
    m_wasUnderWay = false;
    offer(m_retry, false);
    offer(m_cancel, false);
}

void EmptyPage::showRequest(RequestBase* request, const RequestWords& words) {
    if (m_request != request) {
        leaveRequest();
        m_request = request;
        m_following = {connect(request, &RequestBase::changed, this, &EmptyPage::drawRequest),
                       connect(request, &RequestBase::progressed, this, &EmptyPage::drawRequest)};
    }
    m_words = words;
    drawRequest();
    turnTo(1);
}

void EmptyPage::drawRequest() {
    if (!m_request) {
        return;
    }
    const bool underWay = m_request->isUnderWay();
    if (underWay && !m_wasUnderWay) {
        m_silence->start();
    }
    m_wasUnderWay = underWay;
    switch (m_request->state()) {
    case RequestBase::State::Waiting:
    case RequestBase::State::Running:
        setWordsOfPage(m_words.running, m_silence->isActive() ? QString() : howFar(*m_request));
        break;
    case RequestBase::State::Canceled:
        setWordsOfPage(m_words.canceled, m_words.howTo);
        break;
    case RequestBase::State::Failed: {
        QString why = text(m_request->error()->text());
        if (!m_words.howTo.isEmpty()) {
            why += QStringLiteral("\n\n") + m_words.howTo;
        }
        setWordsOfPage(m_words.failed, why);
        m_retry->setProperty(shownFailure, text(m_request->error()->message));
        break;
    }
    case RequestBase::State::Idle:
    case RequestBase::State::Ready:
        // The panel decides what replaces the page.
        break;
    }
    offer(m_retry, m_request->gaveUp());
    offer(m_cancel, underWay && !m_silence->isActive());
}

void EmptyPage::offer(QPushButton* button, bool offered) {
    // Hiding a focused button would move the focus to the next widget of the window.
    if (!offered && window()->focusWidget() == button) {
        widget(1)->setFocus(Qt::OtherFocusReason);
    }
    button->setVisible(offered);
}

QString EmptyPage::message() const {
    return isEmpty() ? m_title->text() : QString();
}

EmptyPage* layOutPanel(QWidget* panel, QLayout* bar, std::initializer_list<QWidget*> parts) {
    auto* content = new QWidget;
    auto* layout = flushColumn(content);
    layout->addLayout(bar);
    for (QWidget* part : parts) {
        layout->addWidget(part, part == *(parts.end() - 1) ? 1 : 0);
    }
    auto* pages = new EmptyPage(content, panel);
    auto* outer = new QVBoxLayout(panel);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(pages);
    return pages;
}

} // namespace aotscope::views
