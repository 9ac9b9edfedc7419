#pragma once

#include "window/panel_spec.h"

#include <QMainWindow>

#include <span>
#include <vector>

class QDockWidget;

namespace aotscope::views {

/// The docks of the window, one for each panel of a list. There is no central widget: dock areas fill the
/// window, the bottom area over the full width.
class PanelDocks : public QMainWindow {
    Q_OBJECT

public:
    /// Creates the panels. `specs` and the objects in `context` must outlive the docks.
    PanelDocks(std::span<const PanelSpec> specs, const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] std::span<const PanelSpec> specs() const { return m_specs; }
    /// Null: no panel has this id.
    [[nodiscard]] QDockWidget* dock(const QString& id) const;
    /// The panel of class `Panel`; null: there is none in the list.
    template<typename Panel>
    [[nodiscard]] Panel* panel() const {
        for (QWidget* each : m_panels) {
            if (auto* found = qobject_cast<Panel*>(each)) {
                return found;
            }
        }
        return nullptr;
    }

    /// Raises a panel without moving the focus.
    void raisePanel(const QString& id);
    /// Raises a panel and moves the focus into it. Does nothing while the docks are hidden.
    void focusPanel(const QString& id);
    /// The panel that a person opened last; empty: none since the arrangement was reset.
    [[nodiscard]] const QString& askedFor() const { return m_askedFor; }
    /// Moves the focus to the next (1) or previous (-1) visible panel. Panels behind other tabs are skipped;
    /// their keys open them.
    void movePanel(int step);
    /// Closes the panel with the focus. Its key, or the menu View, opens it again.
    void closePanel();
    void floatPanel();

    /// For `restoreArrangement`, also of a later version with other panels.
    [[nodiscard]] QByteArray arrangement() const;
    /// Puts the panels that the arrangement names where they were, and new panels to their default places.
    /// False: it is not an arrangement, and nothing changed.
    bool restoreArrangement(const QByteArray& arrangement);
    /// Puts all panels where they are in a new window.
    void resetArrangement();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void addPanel(const PanelSpec& spec, QWidget* panel);
    void updateTitles();
    void arrange();
    void placeAtFirst(std::size_t place);
    void share();
    void settle();
    [[nodiscard]] QDockWidget* firstOf(PanelPlace place) const;
    void focusClickedTab(int tab);
    [[nodiscard]] QDockWidget* focusedDock() const;

    std::span<const PanelSpec> m_specs;
    /// In the order of the specs.
    std::vector<QWidget*> m_panels;
    std::vector<QDockWidget*> m_docks;
    QString m_askedFor;
    /// The arrangement to apply again when the docks are first shown; empty: use default sizes.
    QByteArray m_remembered;
    /// Whether the docks have their places, and the panel raised before that, which is raised again then.
    bool m_hasPlaces = false;
    QString m_raisedEarly;
    bool m_isSettled = false;
};

} // namespace aotscope::views
