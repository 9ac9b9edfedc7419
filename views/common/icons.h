#pragma once

#include <QIcon>

namespace aotscope::views {

class ThemeSource;

/// The icon resources/icons/`name`.svg in the current theme's text colour, dimmed while disabled. `theme`
/// must outlive the icon.
[[nodiscard]] QIcon themedIcon(const QString& name, const ThemeSource& theme);

} // namespace aotscope::views
