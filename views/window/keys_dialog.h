#pragma once

#include <QString>

#include <vector>

class QAction;
class QWidget;

namespace aotscope::views {

class ThemeSource;

/// Every command with its key, menu by menu, then the keys of the pictures: a page of HTML.
[[nodiscard]] QString keysHtml(const std::vector<QAction*>& actions, const ThemeSource& theme);

/// Shows it in a window of its own, which stays beside the one it belongs to.
void showKeys(const std::vector<QAction*>& actions, const ThemeSource& theme, QWidget* window);

} // namespace aotscope::views
