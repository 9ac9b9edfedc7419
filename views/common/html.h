#pragma once

#include "common/theme.h"

#include <QString>

#include <string>

/// What the rich texts of the window are put together from. Words of a file are escaped, so that they are
/// shown as the characters they are.
namespace aotscope::views::html {

[[nodiscard]] QString escaped(const std::string& words);
/// "node:relu" to be followed, shown as `title`, which is HTML. The name may hold anything.
[[nodiscard]] QString link(const QString& scheme, const QString& name, const QString& title);
[[nodiscard]] QString colored(const QColor& color, const QString& html);
[[nodiscard]] QString heading(const QString& title);
/// In the colour of what is to be noticed, above a table.
[[nodiscard]] QString section(const QString& title, const Theme& theme);
/// Cells beside each other.
[[nodiscard]] QString row(const QStringList& cells);

/// A table of names, which are dim, and what they have. What is empty is left out.
class Facts {
public:
    /// `theme` outlives it.
    explicit Facts(const Theme& theme) : m_theme(theme) {}

    void add(const QString& name, const QString& html);
    /// In the font of code.
    void addCode(const QString& name, const QString& html);
    [[nodiscard]] bool empty() const { return m_rows.isEmpty(); }
    /// Empty where nothing was added.
    [[nodiscard]] QString html() const;

private:
    const Theme& m_theme;
    QString m_rows;
};

} // namespace aotscope::views::html
