#include "common/theme.h"

namespace aotscope::views {

namespace {

/// Calm and dense: a 4-pixel grid, shades instead of borders. Names in @…@ are the theme's colours.
constexpr const char* sheet = R"(
QMainWindow, QMainWindow::separator { background: @background@; }
QMainWindow::separator { width: 4px; height: 4px; }
QMainWindow::separator:hover { background: @accent@; }
QWidget { color: @text@; }
QDialog, QMessageBox { background: @panel@; }

QMenuBar { background: @raised@; padding: 0 4px; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @selection@; }
QMenu { background: @raised@; border: 1px solid @line@; padding: 4px; }
QMenu::item { padding: 4px 24px 4px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selection@; }
QMenu::item:disabled { color: @dimText@; }
QMenu::separator { height: 1px; background: @line@; margin: 4px 8px; }
QMenu::icon { left: 6px; }
QMenu::indicator { width: 12px; height: 12px; left: 6px; }
QMenu::indicator:checked { image: url(:/aotscope/icons/check_@onPanel@.svg); }

QToolBar { background: @raised@; border: none; padding: 2px 4px; spacing: 2px; }
QToolBar::separator { width: 1px; background: @line@; margin: 4px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 3px 6px; }
QToolButton:hover { background: @hover@; }
QToolButton:pressed, QToolButton:checked { background: @selection@; }
QToolButton:focus { border-color: @accent@; }
QToolButton:disabled { color: @dimText@; }
QToolButton::menu-indicator { image: none; }
QFrame#quickPick { background: @raised@; border: 1px solid @line@; border-radius: 6px; }
QToolButton#goToField { background: @background@; border: 1px solid @line@; color: @dimText@; padding: 3px 8px; }
QToolButton#goToField:hover, QToolButton#goToField:focus { border-color: @accent@; }
QPushButton { outline: none; background: @raised@; border: 1px solid @line@; border-radius: 4px; padding: 4px 12px; }
QPushButton:hover { background: @hover@; }
QPushButton:pressed { background: @selection@; }
QPushButton:focus { border-color: @accent@; }
QPushButton:disabled { color: @dimText@; background: @panel@; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; }
QPushButton[flat="true"]:hover { background: @hover@; }
QPushButton[flat="true"]:focus { border-color: @accent@; }

QLineEdit, QSpinBox, QComboBox, QDoubleSpinBox {
    background: @background@; border: 1px solid @line@; border-radius: 4px; padding: 3px 6px;
    selection-background-color: @selection@; selection-color: @text@; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: @accent@; }
QComboBox { background: @raised@; padding-right: 16px; }
QComboBox::drop-down { border: none; width: 16px; }
QComboBox::down-arrow { image: url(:/aotscope/icons/down_@onPanel@.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @raised@; border: 1px solid @line@;
    selection-background-color: @selection@; selection-color: @text@; }

QDockWidget { font-weight: bold; titlebar-close-icon: url(:/aotscope/icons/close_@onPanel@.svg);
    titlebar-normal-icon: url(:/aotscope/icons/float_@onPanel@.svg); }
QDockWidget::close-button, QDockWidget::float-button { background: transparent; border: none; padding: 0; }
QDockWidget::close-button:hover, QDockWidget::float-button:hover { background: @hover@; border-radius: 3px; }
QDockWidget::title { background: @raised@; padding: 5px 8px; text-align: left; }
QDockWidget > QWidget { background: @panel@; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @dimText@; padding: 5px 12px; border: none;
    border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text@; border-bottom: 2px solid @accent@; }
QTabBar::tab:hover { color: @text@; background: @hover@; }
QTabBar::tab:focus { color: @accent@; }
QMainWindow > QTabBar { background: @raised@; }

QTreeView, QTableView, QListView, QAbstractScrollArea {
    background: @panel@; border: 1px solid transparent; alternate-background-color: @panel@;
    selection-background-color: @selection@; selection-color: @text@; }
QTreeView, QTableView, QListView { outline: none; }
QTreeView::item, QListView::item { padding: 2px 4px; border: none; }
QTableView::item { padding: 0 6px; border: none; }
QTreeView::item:hover, QListView::item:hover { background: @hover@; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {
    background: @selection@; color: @text@; }
QTreeView:focus, QTableView:focus, QListView:focus, QTextBrowser:focus, aotscope--views--CodeView:focus,
QWidget#emptyPage:focus { border: 1px solid @accent@; }
QLabel:focus { background: @selection@; border-radius: 3px; }
QHeaderView { background: @panel@; }
QHeaderView::section { background: @panel@; color: @dimText@; border: none;
    border-bottom: 1px solid @line@; padding: 5px 6px 3px 6px; }
QHeaderView::section:hover { color: @text@; }
QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: border; subcontrol-position: top center;
    width: 8px; height: 8px; }
QHeaderView::up-arrow { image: url(:/aotscope/icons/up_@onPanel@.svg); }
QHeaderView::down-arrow { image: url(:/aotscope/icons/down_@onPanel@.svg); }
QTableCornerButton::section { background: @panel@; border: none; }

QScrollBar { background: transparent; border: none; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: @line@; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 24px; }
QScrollBar::handle:horizontal { min-width: 24px; }
QScrollBar::handle:hover { background: @dimText@; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: @panel@; }

QStatusBar { background: @raised@; color: @dimText@; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @dimText@; padding: 0 4px; }
QProgressBar { background: @background@; border: none; border-radius: 3px; height: 6px; text-align: center; }
QProgressBar::chunk { background: @accent@; border-radius: 3px; }
QToolTip { background: @raised@; color: @text@; border: 1px solid @line@; padding: 4px; }
QSplitter::handle { background: @background@; }
QSplitter::handle:hover { background: @accent@; }
QCheckBox { spacing: 6px; }
QCheckBox::indicator, QTreeView::indicator { width: 12px; height: 12px; border: 1px solid @dimText@;
    border-radius: 3px; background: @background@; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent@; }
QCheckBox::indicator:checked, QTreeView::indicator:checked { background: @accent@; border-color: @accent@;
    image: url(:/aotscope/icons/check_@onAccent@.svg); }
QCheckBox::indicator:disabled { border-color: @line@; }
QCheckBox:focus, QRadioButton:focus { color: @accent@; }
QLabel[role="dim"] { color: @dimText@; }
QLabel[role="title"] { font-weight: bold; }
QLabel[role="bad"] { color: @bad@; }
QLabel[role="warning"] { color: @warning@; }
)";

} // namespace

QString Theme::styleSheet() const {
    QString result = QString::fromLatin1(sheet);
    const std::pair<const char*, QColor> names[] = {
        {"@background@", background},
        {"@panel@", panel},
        {"@raised@", raised},
        {"@line@", line},
        {"@text@", text},
        {"@dimText@", dimText},
        {"@accent@", accent},
        {"@selection@", selection},
        {"@hover@", hover},
        {"@good@", good},
        {"@warning@", warning},
        {"@bad@", bad},
    };
    // Drawings on the accent and on panels: light ink where the ground is dark.
    result.replace(QLatin1String("@onAccent@"), dark ? QLatin1String("dark") : QLatin1String("light"));
    result.replace(QLatin1String("@onPanel@"), dark ? QLatin1String("light") : QLatin1String("dark"));
    for (const auto& [name, color] : names) {
        result.replace(QLatin1String(name), color.name());
    }
    return result;
}

} // namespace aotscope::views
