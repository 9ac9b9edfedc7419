#pragma once

class QToolBar;

namespace aotscope::views {

class CommandList;
class ThemeSource;

/// What is done most often, under the menus; go-to-anything in the middle, where people look for a search.
/// Both outlive the bar.
[[nodiscard]] QToolBar* makeToolBar(const CommandList& commands, const ThemeSource& themes);

} // namespace aotscope::views
