#include "window/tool_bar.h"

#include "common/icons.h"
#include "common/theme.h"
#include "style/ink.h"
#include "window/command_list.h"

#include <QAction>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolBar>
#include <QToolButton>

namespace aotscope::views {

namespace {

/// A button that looks like the field that it opens.
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

/// The most frequent commands, with go-to-anything in the middle.
QToolBar* makeToolBar(const CommandList& commands, const ThemeSource& themes) {
    auto* bar = new QToolBar(QObject::tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setIconSize({16, 16});
    const auto space = [bar] {
        auto* widget = new QWidget;
        widget->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        bar->addWidget(widget);
    };
    const auto add = [bar, &commands](std::initializer_list<const char*> names) {
        for (const char* name : names) {
            bar->addAction(commands.action(QLatin1String(name)));
        }
    };
    add({"open", "openFolder"});
    bar->addSeparator();
    add({"goBack", "goForward"});
    space();
    auto* field = new GoToField;
    field->setObjectName(QStringLiteral("goToField"));
    field->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    QAction* goTo = commands.action(QStringLiteral("goTo"));
    field->setIcon(goTo->icon());
    field->setToolTip(goTo->toolTip());
    field->setText(QObject::tr("Go to a compile, graph, @node, #line or >command   %1")
                       .arg(goTo->shortcut().toString(QKeySequence::NativeText)));
    QObject::connect(field, &QToolButton::clicked, goTo, &QAction::trigger);
    QObject::connect(goTo, &QAction::changed, field, [field, goTo] { field->setEnabled(goTo->isEnabled()); });
    field->setMinimumWidth(440);
    bar->addWidget(field);
    space();
    add({"run", "cancel"});
    bar->addSeparator();
    add({"compare", "export"});
    bar->addSeparator();
    add({"resetLayout"});
    auto* theme = new QToolButton;
    theme->setIcon(themedIcon(QStringLiteral("theme"), themes));
    theme->setToolTip(QObject::tr("Switch between the light and the dark theme"));
    theme->setAccessibleName(QObject::tr("Light or dark"));
    QObject::connect(theme, &QToolButton::clicked, bar,
                     [&themes, light = commands.action(QStringLiteral("themeLight")),
                      dark = commands.action(QStringLiteral("themeDark"))] {
                         (themes.theme().dark ? light : dark)->trigger();
                     });
    bar->addWidget(theme);
    for (QToolButton* each : bar->findChildren<QToolButton*>()) {
        each->setFocusPolicy(Qt::TabFocus);
    }
    return bar;
}

} // namespace aotscope::views
