// The tool bar of MainWindow.
#include "window/main_window.h"

#include "common/icons.h"
#include "common/theme.h"
#include "style/ink.h"

#include <QAction>
#include <QMenu>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolBar>
#include <QToolButton>

namespace aotscope::views {

namespace {

/// Looks like the field that opens in its place, and is a button.
class GoToField : public QToolButton {
protected:
    void paintEvent(QPaintEvent*) override {
        QStyleOptionToolButton option;
        initStyleOption(&option);
        QStylePainter painter(this);
        const Ink ink(option.palette);
        const bool marked = (option.state & (QStyle::State_HasFocus | QStyle::State_MouseOver)) != 0;
        paintBox(painter, rect(), ink.background, marked ? ink.accent : ink.line);
        option.palette.setColor(QPalette::ButtonText, ink.dimText);
        painter.drawControl(QStyle::CE_ToolButtonLabel, option);
    }
};

} // namespace

void MainWindow::setIcons() {
    static constexpr std::pair<const char*, const char*> icons[] = {
        {"open", "open"},        {"openFolder", "folder"}, {"export", "export"}, {"resetLayout", "layout"},
        {"goBack", "back"},      {"goForward", "forward"}, {"goTo", "search"},   {"find", "search"},
        {"palette", "commands"}, {"run", "run"},           {"cancel", "cancel"}, {"compare", "compare"},
    };
    for (const auto& [name, icon] : icons) {
        action(QLatin1String(name))->setIcon(themedIcon(QLatin1String(icon), *m_theme));
    }
    m_recentMenu->setIcon(themedIcon(QStringLiteral("recent"), *m_theme));
}

/// What is done most often, under the menus; go-to-anything in the middle, where people look for a search.
void MainWindow::makeToolBar() {
    m_toolBar = new QToolBar(tr("Tools"));
    m_toolBar->setObjectName(QStringLiteral("tools"));
    m_toolBar->setMovable(false);
    m_toolBar->setIconSize({16, 16});
    QWidget::addAction(m_toolBar->toggleViewAction());
    const auto space = [this] {
        auto* widget = new QWidget;
        widget->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        m_toolBar->addWidget(widget);
    };
    const auto add = [this](std::initializer_list<const char*> names) {
        for (const char* name : names) {
            m_toolBar->addAction(action(QLatin1String(name)));
        }
    };
    add({"open", "openFolder"});
    m_toolBar->addSeparator();
    add({"goBack", "goForward"});
    space();
    auto* field = new GoToField;
    field->setObjectName(QStringLiteral("goToField"));
    field->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    QAction* goTo = action(QStringLiteral("goTo"));
    field->setIcon(goTo->icon());
    field->setToolTip(goTo->toolTip());
    field->setText(tr("Go to a compile, graph, @node, #line or >command   %1")
                       .arg(goTo->shortcut().toString(QKeySequence::NativeText)));
    connect(field, &QToolButton::clicked, goTo, &QAction::trigger);
    connect(goTo, &QAction::changed, field, [field, goTo] { field->setEnabled(goTo->isEnabled()); });
    field->setMinimumWidth(440);
    m_toolBar->addWidget(field);
    space();
    add({"run", "cancel"});
    m_toolBar->addSeparator();
    add({"compare", "export"});
    m_toolBar->addSeparator();
    add({"resetLayout"});
    auto* theme = new QToolButton;
    theme->setIcon(themedIcon(QStringLiteral("theme"), *m_theme));
    theme->setToolTip(tr("Switch between the light and the dark theme"));
    theme->setAccessibleName(tr("Light or dark"));
    connect(theme, &QToolButton::clicked, this, [this] {
        action(m_theme->theme().dark ? QStringLiteral("themeLight") : QStringLiteral("themeDark"))->trigger();
    });
    m_toolBar->addWidget(theme);
    for (QToolButton* each : m_toolBar->findChildren<QToolButton*>()) {
        each->setFocusPolicy(Qt::TabFocus);
    }
    QMainWindow::addToolBar(Qt::TopToolBarArea, m_toolBar);
}

} // namespace aotscope::views
