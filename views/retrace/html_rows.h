#pragma once

#include "common/format.h"
#include "retrace/html_parts.h"

#include <QStringList>

namespace aotscope::views::html {

/// Table rows. Laying out thousands of rows would block the window, so of a long table only the first rows
/// are shown, and those that are marked.
class Rows {
public:
    void add(const QStringList& cells, bool isNotable = false) {
        std::size_t& listed = isNotable ? m_notable : m_plain;
        if (listed < mostListed) {
            ++listed;
            m_rows.append(row(cells));
        } else {
            ++m_leftOut;
        }
    }
    [[nodiscard]] bool empty() const { return m_rows.isEmpty(); }
    /// `where`: where all rows can be read if some are left out.
    [[nodiscard]] QString html(const QString& where = tr("“Save…” writes all (metadata.json)")) const {
        const QString rest =
            m_leftOut == 0
                ? QString()
                : QStringLiteral("<p>%1</p>").arg(tr("and %1 more; %2").arg(formatCount(m_leftOut), where));
        return QStringLiteral("<table>") + m_rows.join(QString()) + QStringLiteral("</table>") + rest;
    }
    [[nodiscard]] QString under(const QString& title) const {
        return empty() ? QString() : heading(title) + html();
    }

private:
    static constexpr std::size_t mostListed = 40;

    QStringList m_rows;
    std::size_t m_plain = 0;
    std::size_t m_notable = 0;
    std::size_t m_leftOut = 0;
};

} // namespace aotscope::views::html
