#pragma once

#include "common/theme.h"

#include <QString>

#include <string>

/// Building blocks of the window's rich texts. Text from files is escaped, so that markup in it has no
/// effect.
namespace aotscope::views::html {

[[nodiscard]] QString escaped(const std::string& words);
/// A link such as "node:relu", shown as `title` (HTML). The name may contain any characters.
[[nodiscard]] QString link(const QString& scheme, const QString& name, const QString& title);
[[nodiscard]] QString colored(const QColor& color, const QString& html);
[[nodiscard]] QString heading(const QString& title);
/// A heading above a table, in the warning colour.
[[nodiscard]] QString section(const QString& title, const Theme& theme);
/// A table row.
[[nodiscard]] QString row(const QStringList& cells);

/// A table with a dim name and a value in each row. Empty values are left out.
class Facts {
public:
    /// `theme` must outlive it.
    explicit Facts(const Theme& theme) : m_theme(theme) {}

    void add(const QString& name, const QString& html);
    /// In the code font.
    void addCode(const QString& name, const QString& html);
    [[nodiscard]] bool empty() const { return m_rows.isEmpty(); }
    /// Empty if nothing was added.
    [[nodiscard]] QString html() const;

private:
    const Theme& m_theme;
    QString m_rows;
};

} // namespace aotscope::views::html
