#pragma once

class QTreeView;

namespace aotscope::views {

/// From now on this column takes the room that the others leave, but never less than `least` pixels: then the
/// table scrolls. (A section that QHeaderView stretches ends as three dots.)
void fitColumn(QTreeView* view, int column, int least);

} // namespace aotscope::views
