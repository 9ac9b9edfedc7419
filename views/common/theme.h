#pragma once

#include "layout/category.h"

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>

namespace aotscope::views {

using layout::Category;

/// The named colours of the window, light or dark. Text has a contrast of at least 4.5:1 on background, panel
/// and raised.
struct Theme {
    bool dark = true;
    QColor background;
    QColor panel;
    QColor raised;
    QColor line;
    QColor text;
    QColor dimText;
    QColor accent;
    QColor selection;
    QColor hover;
    QColor good;
    QColor warning;
    QColor bad;

    [[nodiscard]] QColor category(Category category) const;
    /// The palette of all widgets, which are painted with it (style/ink.h). Some roles have other meanings
    /// than in Qt: Button is `raised`, Mid `line`, Shadow `background`, Midlight `hover`, Highlight
    /// `selection`, Link `accent`, PlaceholderText `dimText`, BrightText `bad`. LinkVisited is `warning`,
    /// because visited links are not shown differently.
    [[nodiscard]] QPalette palette() const;

    [[nodiscard]] static Theme darkTheme();
    [[nodiscard]] static Theme lightTheme();
};

/// "parameter", for legends and tooltips.
[[nodiscard]] QString categoryText(Category category);
/// The monospaced font for code and numbers.
[[nodiscard]] QFont codeFont();

/// The current theme: the system's, also when it changes, or the one a person chose.
class ThemeSource : public QObject {
    Q_OBJECT

public:
    enum class Choice { System, Light, Dark };
    explicit ThemeSource(QObject* parent = nullptr);

    [[nodiscard]] const Theme& theme() const { return m_theme; }
    [[nodiscard]] Choice choice() const { return m_choice; }
    void choose(Choice choice);

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void update();

    Theme m_theme;
    Choice m_choice = Choice::System;
};

} // namespace aotscope::views
