#pragma once

#include <QAbstractItemView>
#include <QItemSelection>
#include <QItemSelectionModel>

namespace aotscope::views {

/// Calls `chosen` with the row that is selected, by mouse, key or program. Not with one that is merely
/// current: a view that gets the keyboard makes its first row that, and must not lead the window to another
/// node.
template<typename Receiver, typename Chosen>
void whenChosen(const QAbstractItemView* view, Receiver* receiver, Chosen&& chosen) {
    QObject::connect(view->selectionModel(), &QItemSelectionModel::selectionChanged, receiver,
                     [chosen](const QItemSelection& selected) {
                         if (!selected.isEmpty()) {
                             chosen(selected.first().topLeft());
                         }
                     });
}

} // namespace aotscope::views
