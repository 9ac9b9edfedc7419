#pragma once

#include <QAbstractItemView>
#include <QItemSelection>
#include <QItemSelectionModel>

namespace aotscope::views {

/// Calls `chosen` with the row that gets selected, by mouse, key or program. The current row does not count:
/// a view makes its first row current when it gets the focus, and that must not select another node.
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
