#include "graph/breadcrumb_label.h"

#include "common/plain_words.h"

#include <utility>

namespace aotscope::views {

BreadcrumbLabel::BreadcrumbLabel(const ThemeSource& theme, QWidget* parent) : QLabel(parent), m_theme(theme) {
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0/0 › Backward")));
    connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
        if (const std::optional<Breadcrumb::Target> target = Breadcrumb::follow(link); target && m_crumb) {
            Q_EMIT followed(*target);
        }
    });
    connect(&theme, &ThemeSource::changed, this, &BreadcrumbLabel::refresh);
}

void BreadcrumbLabel::setCrumb(std::optional<Breadcrumb> crumb) {
    m_crumb = std::move(crumb);
    refresh();
}

void BreadcrumbLabel::refresh() {
    if (!m_crumb) {
        clear();
        return;
    }
    setText(m_crumb->html(m_theme.theme(), fontMetrics(), contentsRect().width()));
    setToolTip(plainToolTip(m_crumb->plain()));
}

void BreadcrumbLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    refresh();
}

} // namespace aotscope::views
