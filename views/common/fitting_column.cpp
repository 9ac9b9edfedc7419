#include "common/fitting_column.h"

#include <QEvent>
#include <QHeaderView>
#include <QTreeView>

#include <algorithm>

namespace aotscope::views {

namespace {

class FittingColumn : public QObject {
public:
    FittingColumn(QTreeView* view, int column, int least)
        : QObject(view), m_view(view), m_column(column), m_least(least) {
        view->header()->setStretchLastSection(false);
        view->viewport()->installEventFilter(this);
        fit();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize) {
            fit();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void fit() {
        QHeaderView* header = m_view->header();
        const int others = header->length() - header->sectionSize(m_column);
        header->resizeSection(m_column, std::max(m_least, m_view->viewport()->width() - others));
    }

    QTreeView* m_view;
    int m_column;
    int m_least;
};

} // namespace

void fitColumn(QTreeView* view, int column, int least) {
    new FittingColumn(view, column, least);
}

} // namespace aotscope::views
