#pragma once

#include "window/menus.h"
#include "window/panel_docks.h"

#include <QMainWindow>

#include <memory>

class QStackedWidget;

namespace aotscope::base {
struct Error;
}

namespace aotscope::views {

class QuickPick;
class WelcomePage;

/// The window: a welcome page while nothing is open, else the docks. Owns what the panels share and connects
/// the parts.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `engine` and `theme` must outlive the window.
    MainWindow(EngineClient* engine, ThemeSource* theme, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openPaths(const QStringList& paths);

    [[nodiscard]] SelectionHub* selection() const { return m_parts.context.selection; }
    [[nodiscard]] LogList* logs() const { return m_parts.context.logs; }
    [[nodiscard]] CurrentGraph* currentGraph() const { return m_parts.context.graph; }
    [[nodiscard]] CurrentPartition* currentPartition() const { return m_parts.context.partition; }
    [[nodiscard]] BreakpointList* breakpoints() const { return m_parts.context.breakpoints; }
    /// The panel of class `Panel`.
    template<typename Panel>
    [[nodiscard]] Panel* panel() const {
        return m_parts.docks->panel<Panel>();
    }
    [[nodiscard]] PanelDocks* docks() const { return m_parts.docks; }
    /// Null: no panel has this id.
    [[nodiscard]] QDockWidget* dock(const QString& id) const { return m_parts.docks->dock(id); }
    /// The action of a command ("open", "goBack", …); null: no command has this name.
    [[nodiscard]] QAction* action(const QString& name) const;
    [[nodiscard]] const WindowParts& parts() const { return m_parts; }
    [[nodiscard]] QuickPick* quickPick() const { return m_quickPick; }
    /// Whether the docks are shown and not the welcome page.
    [[nodiscard]] bool showsDocks() const;

public Q_SLOTS:
    void resetLayout();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void makePages();
    void makeParts();
    void connectParts();
    void showDocks();
    void restoreSettings();
    void applyTheme();
    void refresh();
    void updateTitle();
    void say(const QString& message);
    void tellFailure(const base::Error& error);
    /// Whether a panel in sight offers to try again what failed.
    [[nodiscard]] bool showsFailure(const QString& message) const;

    /// The objects that the panels share.
    struct Services;
    std::unique_ptr<Services> m_services;
    WindowParts m_parts;
    QStackedWidget* m_pages = nullptr;
    WelcomePage* m_welcome = nullptr;
    QuickPick* m_quickPick = nullptr;
    CommandList* m_commands = nullptr;
    bool m_docksShown = false;
};

} // namespace aotscope::views
