#pragma once

namespace aotscope::views {

/// Gives every CodeView an accessible interface: text, cursor and selection. A very long text exposes only
/// the lines around the current one. Call once per program.
void describeCode();

class CodeView;
/// Tells a screen reader that the cursor moved or another text is shown.
void codeCursorMoved(CodeView* view);

} // namespace aotscope::views
