#pragma once

class QTreeView;

namespace aotscope::views {

/// Gives a column the space that the others leave, but at least `least` pixels; below that the table scrolls.
/// (QHeaderView's own stretch shrinks a section to "…".)
void fitColumn(QTreeView* view, int column, int least);

} // namespace aotscope::views
