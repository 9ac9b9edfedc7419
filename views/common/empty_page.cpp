#include "common/empty_page.h"
#include "common/panel_layout.h"

#include <QLabel>
#include <QVBoxLayout>

namespace aotscope::views {

EmptyPage::EmptyPage(QWidget* content, QWidget* parent)
    : QStackedWidget(parent), m_title(new QLabel), m_howTo(new QLabel) {
    addWidget(content);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(4);
    layout->addStretch(2);
    m_title->setProperty("role", QStringLiteral("title"));
    m_howTo->setProperty("role", QStringLiteral("dim"));
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
    setCurrentIndex(0);
}

void EmptyPage::showMessage(const QString& title, const QString& howTo) {
    m_title->setText(title);
    m_howTo->setText(howTo);
    setCurrentIndex(1);
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
