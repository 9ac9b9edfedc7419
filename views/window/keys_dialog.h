#pragma once

#include <QString>

#include <vector>

class QAction;
class QWidget;

namespace aotscope::views {

class ThemeSource;

/// Every command with its key, by menu, then the keys of the pictures, as HTML.
[[nodiscard]] QString keysHtml(const std::vector<QAction*>& actions, const ThemeSource& theme);

/// Shows the keys in a separate window that does not block `window`.
void showKeys(const std::vector<QAction*>& actions, const ThemeSource& theme, QWidget* window);

} // namespace aotscope::views
