#pragma once

#include "common/give_keyboard.h"

#include <QVBoxLayout>
#include <QWidget>

namespace aotscope::views {

/// The widget in a dock: shows the panel, and hides it while the dock is behind another tab. Qt keeps such a
/// dock visible outside of the window, so that its panel would lay out and send requests for nothing. The
/// panel is hidden inside this widget because a dock with a hidden widget loses its size.
class DockContent : public QWidget {
    Q_OBJECT

public:
    explicit DockContent(QWidget* panel) : m_panel(panel) {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(panel);
        setKeyboardPlace(this, panel);
        for (QWidget* widget : {panel, static_cast<QWidget*>(this)}) {
            widget->setMinimumSize(120, 60);
        }
        setAttribute(Qt::WA_StyledBackground);
    }

    [[nodiscard]] QSize sizeHint() const override { return m_panel->sizeHint(); }
    void setInSight(bool inSight) { m_panel->setVisible(inSight); }

private:
    QWidget* m_panel;
};

} // namespace aotscope::views
