#pragma once

#include "graph/coloring.h"
#include "layout/layout.h"

#include <QWidget>

class QComboBox;
class QMenu;
class QToolButton;

namespace aotscope::views {

class BreadcrumbLabel;
class GraphCanvas;
class ThemeSource;

/// The Graph dock's toolbar: breadcrumb, grouping, colours, zoom, search, and a menu with what a narrow
/// toolbar hides.
class GraphToolbar : public QWidget {
    Q_OBJECT

public:
    GraphToolbar(GraphCanvas* canvas, const ThemeSource& theme, QWidget* parent = nullptr);

    [[nodiscard]] BreadcrumbLabel* breadcrumb() const { return m_breadcrumb; }
    [[nodiscard]] layout::Grouping grouping() const;
    void refreshZoom();

Q_SIGNALS:
    void groupingChosen();
    void colorByChosen(aotscope::views::ColorBy colorBy);
    void searchRequested();
    /// The menu is about to be shown; receivers add their actions.
    void menuFilled(QMenu& menu);

private:
    void makeChoices();
    QToolButton* makeMenu();

    GraphCanvas* m_canvas;
    const ThemeSource& m_theme;
    BreadcrumbLabel* m_breadcrumb;
    QComboBox* m_grouping;
    QComboBox* m_colorBy;
    QToolButton* m_zoom;
};

} // namespace aotscope::views
