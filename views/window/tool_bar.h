#pragma once

class QToolBar;

namespace aotscope::views {

class CommandList;
class ThemeSource;

/// The most frequent commands, with go-to-anything in the middle, where people look for a search. `commands`
/// and `themes` must outlive the bar.
[[nodiscard]] QToolBar* makeToolBar(const CommandList& commands, const ThemeSource& themes);

} // namespace aotscope::views
