#pragma once

#include "common/give_keyboard.h"

#include <QVBoxLayout>
#include <QWidget>

namespace aotscope::views {

/// What a dock holds: its panel, or nothing while the dock lies behind another tab. Qt keeps such a dock
/// shown, outside the window, and its panel would go on to lay out and to ask for what nobody sees. A dock
/// whose panel is hidden loses its size, so this takes the panel's place.
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
