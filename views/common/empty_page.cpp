#include "common/empty_page.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "style/ink.h"

#include <QLabel>
#include <QVBoxLayout>

namespace aotscope::views {

EmptyPage::EmptyPage(QWidget* content, QWidget* parent)
    : QStackedWidget(parent), m_title(plainLabel()), m_howTo(plainLabel()) {
    addWidget(content);
    auto* page = new QFrame;
    page->setObjectName(QLatin1String(emptyPageName));
    page->setFrameShape(QFrame::StyledPanel);
    // So that the panel can be gone to, and heard of, with the keyboard.
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
    layout->addStretch(3);
    addWidget(page);
}

void EmptyPage::showContent() {
    turnTo(0);
}

void EmptyPage::turnTo(int index) {
    // The window's, not this widget's own, which is what had the keyboard in here last.
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

void EmptyPage::showMessage(const QString& title, const QString& howTo) {
    m_title->setText(title);
    m_howTo->setText(howTo);
    widget(1)->setAccessibleName(title);
    widget(1)->setAccessibleDescription(howTo);
    turnTo(1);
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
