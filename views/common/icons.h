#pragma once

#include <QIcon>

namespace aotscope::views {

class ThemeSource;

/// The icon resources/icons/`name`.svg in the text colour of the theme in force whenever it is painted, dim
/// while disabled. `theme` outlives the icon.
[[nodiscard]] QIcon themedIcon(const QString& name, const ThemeSource& theme);

} // namespace aotscope::views
