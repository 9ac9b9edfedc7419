#include "common/giving_way.h"

#include <QEvent>
#include <QLayout>
#include <QWidget>

#include <algorithm>

namespace aotscope::views {

namespace {

class GivingWay : public QObject {
public:
    GivingWay(QWidget* row, std::vector<QWidget*> leastFirst)
        : QObject(row), m_row(row), m_leastFirst(std::move(leastFirst)) {
        // The row accepts any width.
        row->setSizePolicy(QSizePolicy::Ignored, row->sizePolicy().verticalPolicy());
        row->installEventFilter(this);
        fit();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) {
            fit();
        }
        return QObject::eventFilter(watched, event);
    }

private:
    [[nodiscard]] static int wanted(const QWidget* widget) {
        const bool hasWidth = widget->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored;
        return std::max(widget->minimumWidth(), hasWidth ? widget->sizeHint().width() : 0);
    }

    void fit() {
        const QLayout* layout = m_row->layout();
        const QMargins margins = layout->contentsMargins();
        int needed = margins.left() + margins.right() - layout->spacing();
        for (int i = 0; i < layout->count(); ++i) {
            if (const QWidget* widget = layout->itemAt(i)->widget()) {
                needed += wanted(widget) + layout->spacing();
            }
        }
        for (QWidget* widget : m_leastFirst) {
            const bool gives = needed > m_row->width();
            widget->setVisible(!gives);
            if (gives) {
                needed -= wanted(widget) + layout->spacing();
            }
        }
    }

    QWidget* m_row;
    std::vector<QWidget*> m_leastFirst;
};

} // namespace

void giveWay(QWidget* row, std::vector<QWidget*> leastFirst) {
    new GivingWay(row, std::move(leastFirst));
}

} // namespace aotscope::views
