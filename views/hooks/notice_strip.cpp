#include "hooks/notice_strip.h"

#include "common/elided_label.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"

#include <QPushButton>

namespace aotscope::views {

NoticeStrip::NoticeStrip(QWidget* parent)
    : QWidget(parent), m_words(new ElidedLabel), m_button(new QPushButton) {
    auto* row = controlRow(this);
    row->addWidget(m_words, 1);
    row->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, &NoticeStrip::pressed);
    hide();
}

void NoticeStrip::say(const QString& words, Words kind, const QString& details) {
    setWords(m_words, kind);
    m_words->setText(words);
    m_words->setToolTip(details.isEmpty() ? QString() : plainToolTip(words + QLatin1Char('\n') + details));
    show();
}

void NoticeStrip::offer(const QString& action, const QString& tip) {
    m_button->setVisible(!action.isEmpty());
    m_button->setText(action);
    m_button->setToolTip(tip);
}

void NoticeStrip::clear() {
    hide();
}

QString NoticeStrip::words() const {
    return isHidden() ? QString() : m_words->text();
}

} // namespace aotscope::views
