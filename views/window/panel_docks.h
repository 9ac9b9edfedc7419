#pragma once

#include "window/panel_spec.h"

#include <QMainWindow>

#include <span>
#include <vector>

class QDockWidget;

namespace aotscope::views {

/// The docks of the window: one for each panel of a list, each where a person put it. There is no central
/// widget: the areas share the window, the bottom one in full width.
class PanelDocks : public QMainWindow {
    Q_OBJECT

public:
    /// Makes the panels. `specs` and what is in `context` outlive the docks.
    PanelDocks(std::span<const PanelSpec> specs, const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] std::span<const PanelSpec> specs() const { return m_specs; }
    /// Null: no panel has this id.
    [[nodiscard]] QDockWidget* dock(const QString& id) const;
    /// The panel of this class; null: there is none in the list.
    template<typename Panel>
    [[nodiscard]] Panel* panel() const {
        for (QWidget* each : m_panels) {
            if (auto* found = qobject_cast<Panel*>(each)) {
                return found;
            }
        }
        return nullptr;
    }

    /// Brings a panel to the front; the keyboard stays where it is.
    void raisePanel(const QString& id);
    /// Brings a panel to the front and puts the keyboard into it. Nothing while the docks are not shown.
    void focusPanel(const QString& id);
    /// The panel that somebody asked for last; empty: none since the arrangement was reset.
    [[nodiscard]] const QString& askedFor() const { return m_askedFor; }
    /// Puts the keyboard into the next panel in sight, or the one before: what lies behind another tab has
    /// keys of its own.
    void movePanel(int step);
    /// Of the panel that has the keyboard. Its key, or the menu View, brings a closed one back.
    void closePanel();
    void floatPanel();

    /// What `restoreArrangement` takes, in a later version of this program with other panels too.
    [[nodiscard]] QByteArray arrangement() const;
    /// Puts the panels that the arrangement names where they were, and others, which are new since, to those
    /// of their place. False: it is no arrangement, and nothing was moved.
    bool restoreArrangement(const QByteArray& arrangement);
    /// All panels as in a window that was never used.
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
    /// The arrangement to be applied once more when the docks are first shown; empty: shares of the window.
    QByteArray m_remembered;
    bool m_isSettled = false;
};

} // namespace aotscope::views
