#pragma once

namespace aotscope::views {

/// From now on every CodeView has an accessible interface: its text, the cursor and what is selected. Of a
/// text too long to be handed out whole the lines around the current one are its text. Once for the program.
void describeCode();

class CodeView;
/// The cursor moved, or another text is shown: tells a screen reader.
void codeCursorMoved(CodeView* view);

} // namespace aotscope::views
