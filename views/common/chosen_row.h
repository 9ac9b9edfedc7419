#pragma once

#include <QAbstractItemView>
#include <QItemSelectionModel>

namespace aotscope::views {

/// Whether the current row was chosen. A view that gets the keyboard makes its first row the current one
/// without selecting it; that must not lead the window to another node.
[[nodiscard]] inline bool isChosen(const QAbstractItemView& view, const QModelIndex& row) {
    return view.selectionModel()->isSelected(row);
}

} // namespace aotscope::views
