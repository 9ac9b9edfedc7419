#include "style/window_style.h"

#include "style/ink.h"
#include "style/parts.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QPainter>
#include <QStyleOption>
#include <QTabBar>
#include <QTableView>

namespace aotscope::views {

namespace {

/// Casts the option to the type that Qt documents for the element.
template<typename Option>
const Option* as(const QStyleOption* option) {
    return qstyleoption_cast<const Option*>(option);
}

} // namespace

WindowStyle::WindowStyle() : QProxyStyle(QStringLiteral("fusion")) {}

void WindowStyle::install() {
    QApplication::setStyle(new WindowStyle);
}

void WindowStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if ((widget->isWindow() && widget->parentWidget() != nullptr) || qobject_cast<QDockWidget*>(widget)) {
        // Menus, dialogs and floating docks take over the window's theme.
        widget->setAttribute(Qt::WA_WindowPropagation);
    }
    if (auto* view = qobject_cast<QAbstractItemView*>(widget)) {
        view->viewport()->setAttribute(Qt::WA_Hover);
        if (view->parentWidget() != nullptr && view->parentWidget()->inherits("QComboBoxPrivateContainer")) {
            view->viewport()->setBackgroundRole(QPalette::Button);
        }
    }
    if (qobject_cast<QTabBar*>(widget) != nullptr &&
        qobject_cast<QMainWindow*>(widget->parentWidget()) != nullptr) {
        // Tab bars of docks look like the titles of single docks.
        widget->setBackgroundRole(QPalette::Button);
        widget->setAutoFillBackground(true);
    }
}

void WindowStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
    const Ink ink(option->palette);
    switch (element) {
    case PE_PanelButtonCommand:
        if (const auto* button = as<QStyleOptionButton>(option)) {
            style::paintPushButton(*painter, *button);
        }
        return;
    case PE_PanelButtonTool:
        style::paintToolButton(*painter, *option);
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        style::paintCheckBox(*painter, *option);
        return;
    case PE_PanelLineEdit:
        if (const auto* field = as<QStyleOptionFrame>(option)) {
            style::paintLineEdit(*painter, *field);
        }
        return;
    case PE_PanelItemViewItem:
        style::paintItem(*painter, *option, widget);
        return;
    case PE_PanelItemViewRow:
        // The remaining part of a selected row's first cell in a tree.
        if ((option->state & State_Selected) != 0) {
            painter->fillRect(option->rect, ink.selection);
        }
        return;
    case PE_Frame:
        style::paintFrame(*painter, *option, widget);
        return;
    case PE_PanelMenu:
        painter->fillRect(option->rect, ink.raised);
        return;
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, option->palette.toolTipBase());
        [[fallthrough]];
    case PE_FrameMenu:
    case PE_FrameDockWidget:
        painter->setPen(ink.line);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    case PE_PanelStatusBar:
        painter->fillRect(option->rect, ink.raised);
        return;
    case PE_IndicatorToolBarSeparator:
        painter->fillRect(
            QRect(option->rect.center().x(), option->rect.top() + 4, 1, option->rect.height() - 8), ink.line);
        return;
    case PE_IndicatorDockWidgetResizeHandle:
        style::paintSeparator(*painter, *option);
        return;
    case PE_FrameFocusRect: // Fields and buttons show the focus with their border.
    case PE_FrameStatusBarItem:
    case PE_FrameTabBarBase:
    case PE_FrameTabWidget:
    case PE_PanelMenuBar:
    case PE_PanelScrollAreaCorner:
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void WindowStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const Ink ink(option->palette);
    switch (element) {
    case CE_PushButtonBevel:
        if (const auto* button = as<QStyleOptionButton>(option)) {
            style::paintPushButton(*painter, *button);
        }
        return;
    case CE_CheckBoxLabel:
    case CE_RadioButtonLabel:
        if (const auto* button = as<QStyleOptionButton>(option)) {
            QStyleOptionButton copy = *button;
            if ((copy.state & State_HasFocus) != 0) {
                copy.palette.setColor(QPalette::WindowText, ink.accent);
            }
            QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        return;
    case CE_ComboBoxLabel:
        if (const auto* box = as<QStyleOptionComboBox>(option)) {
            style::paintComboBoxLabel(*painter, *box, *proxy(), widget);
        }
        return;
    case CE_MenuBarItem:
        if (const auto* item = as<QStyleOptionMenuItem>(option)) {
            style::paintMenuBarItem(*painter, *item, *proxy(), widget);
        }
        return;
    case CE_MenuItem:
        if (const auto* item = as<QStyleOptionMenuItem>(option)) {
            style::paintMenuItem(*painter, *item, *proxy(), widget);
        }
        return;
    case CE_MenuBarEmptyArea:
    case CE_ToolBar:
        painter->fillRect(option->rect, ink.raised);
        return;
    case CE_ProgressBar:
        if (const auto* bar = as<QStyleOptionProgressBar>(option)) {
            style::paintProgress(*painter, *bar);
        }
        return;
    case CE_TabBarTabShape:
        if (const auto* tab = as<QStyleOptionTab>(option)) {
            style::paintTab(*painter, *tab);
        }
        return;
    case CE_TabBarTabLabel:
        if (const auto* tab = as<QStyleOptionTab>(option)) {
            QStyleOptionTab copy = *tab;
            copy.palette = style::tabPalette(*tab);
            QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        return;
    case CE_Header:
        if (const auto* header = as<QStyleOptionHeader>(option)) {
            style::paintHeader(*painter, *header, *baseStyle(), widget);
        }
        return;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, ink.panel);
        return;
    case CE_DockWidgetTitle:
        if (const auto* dock = as<QStyleOptionDockWidget>(option)) {
            style::paintDockTitle(*painter, *dock, *proxy(), widget);
        }
        return;
    case CE_Splitter:
        style::paintSeparator(*painter, *option);
        return;
    case CE_ShapedFrame:
        if (qobject_cast<const QLabel*>(widget) != nullptr && (option->state & State_HasFocus) != 0) {
            paintBox(*painter, option->rect, ink.selection, {}, 3);
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void WindowStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                     QPainter* painter, const QWidget* widget) const {
    if (const auto* box = as<QStyleOptionComboBox>(option); box != nullptr && control == CC_ComboBox) {
        style::paintComboBox(*painter, *box);
    } else if (const auto* bar = as<QStyleOptionSlider>(option); bar != nullptr && control == CC_ScrollBar) {
        style::paintScrollBar(*painter, *bar);
    } else if (const auto* button = as<QStyleOptionToolButton>(option);
               button != nullptr && control == CC_ToolButton) {
        // No menu arrow: the button's text or icon shows that it has a menu ("More", "⋯").
        style::paintToolButton(*painter, *button);
        proxy()->drawControl(CE_ToolButtonLabel, button, painter, widget);
    } else {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
    }
}

QSize WindowStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                    const QWidget* widget) const {
    switch (type) {
    case CT_PushButton:
        return contents + QSize(26, 10);
    case CT_ToolButton:
    case CT_LineEdit:
        return contents + QSize(14, 8);
    case CT_ComboBox:
        return contents + QSize(8 + 18 + 2, 8);
    case CT_MenuBarItem:
        return contents + QSize(16, 8);
    case CT_MenuItem:
        if (const auto* item = as<QStyleOptionMenuItem>(option)) {
            return style::menuItemSize(*item, contents);
        }
        break;
    case CT_ItemViewItem: {
        const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
        return qobject_cast<const QTableView*>(widget) != nullptr ? size : size + QSize(2, 4);
    }
    case CT_HeaderSection:
        if (const auto* header = as<QStyleOptionHeader>(option)) {
            return style::headerSize(*header);
        }
        break;
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, contents, widget);
}

QRect WindowStyle::subElementRect(SubElement element, const QStyleOption* option,
                                  const QWidget* widget) const {
    switch (element) {
    case SE_LineEditContents: {
        const auto* field = as<QStyleOptionFrame>(option);
        const bool framed = field != nullptr && field->lineWidth > 0;
        return framed ? option->rect.adjusted(5, 1, -5, -1) : option->rect;
    }
    default:
        return QProxyStyle::subElementRect(element, option, widget);
    }
}

QRect WindowStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                  const QWidget* widget) const {
    if (const auto* box = as<QStyleOptionComboBox>(option); box != nullptr && control == CC_ComboBox) {
        return style::comboBoxPart(*box, part);
    }
    if (const auto* bar = as<QStyleOptionSlider>(option); bar != nullptr && control == CC_ScrollBar) {
        return style::scrollBarPart(*bar, part);
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

int WindowStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_ScrollBarExtent:
        return 10;
    case PM_ScrollView_ScrollBarSpacing:
    case PM_ScrollView_ScrollBarOverlap:
    case PM_MenuBarPanelWidth:
    case PM_MenuBarItemSpacing:
    case PM_MenuBarVMargin:
    case PM_ToolBarFrameWidth:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarBaseHeight:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ButtonDefaultIndicator:
        return 0;
    case PM_MenuPanelWidth:
    case PM_DefaultFrameWidth:
    case PM_DockWidgetFrameWidth:
        return 1;
    case PM_ToolBarItemSpacing:
        return 2;
    case PM_MenuHMargin:
    case PM_MenuVMargin:
    case PM_MenuBarHMargin:
    case PM_ToolBarItemMargin:
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
        return 4;
    case PM_DockWidgetTitleMargin:
    case PM_ToolTipLabelFrameWidth:
        return 5;
    case PM_CheckBoxLabelSpacing:
        return 6;
    case PM_ToolBarSeparatorExtent:
        return 9;
    case PM_TabBarTabVSpace:
        return 12;
    case PM_TabBarTabHSpace:
        return 24;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return 14;
    case PM_FocusFrameHMargin:
        // The margin beside an item's text, less one: this aligns it with the header's text.
        return 5;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int WindowStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* result) const {
    switch (hint) {
    case SH_ComboBox_Popup: // As a list below the box.
    case SH_EtchDisabledText:
    case SH_Widget_Animation_Duration:
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, result);
    }
}

QIcon WindowStyle::standardIcon(StandardPixmap icon, const QStyleOption* option,
                                const QWidget* widget) const {
    const QIcon own = style::titleButton(icon, widget);
    return own.isNull() ? QProxyStyle::standardIcon(icon, option, widget) : own;
}

} // namespace aotscope::views
