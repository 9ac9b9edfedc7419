#include "common/html.h"

#include "common/format.h"

#include <QStringList>
#include <QUrl>

namespace aotscope::views::html {

QString escaped(const std::string& words) {
    return text(words).toHtmlEscaped();
}

QString link(const QString& scheme, const QString& name, const QString& title) {
    // Names may contain characters that mean something in a URL ("joint#2").
    return QStringLiteral("<a href=\"%1:%2\">%3</a>")
        .arg(scheme, QString::fromLatin1(QUrl::toPercentEncoding(name)), title);
}

QString colored(const QColor& color, const QString& html) {
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), html);
}

QString heading(const QString& title) {
    return QStringLiteral("<h4>%1</h4>").arg(title);
}

QString section(const QString& title, const Theme& theme) {
    return QStringLiteral("<p style='margin:10px 0 4px 0; color:%1'><b>%2</b></p>")
        .arg(theme.warning.name(), title);
}

QString row(const QStringList& cells) {
    return QStringLiteral("<tr><td>") + cells.join(QStringLiteral("&nbsp;&nbsp;</td><td>")) +
           QStringLiteral("</td></tr>");
}

void Facts::add(const QString& name, const QString& html) {
    if (!html.isEmpty()) {
        m_rows += QStringLiteral("<tr><td style='color:%1; padding-right:12px; padding-bottom:4px' "
                                 "valign='top'>%2</td><td style='padding-bottom:4px'>%3</td></tr>")
                      .arg(m_theme.dimText.name(), name, html);
    }
}

void Facts::addCode(const QString& name, const QString& html) {
    if (!html.isEmpty()) {
        add(name,
            QStringLiteral("<span style=\"font-family:'%1'\">%2</span>").arg(codeFont().family(), html));
    }
}

QString Facts::html() const {
    return m_rows.isEmpty() ? QString() : QStringLiteral("<table cellspacing='0'>%1</table>").arg(m_rows);
}

} // namespace aotscope::views::html
