#include "common/theme.h"

#include "layout/picture_colors.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QGuiApplication>

namespace aotscope::views {

namespace {

QColor colorOf(layout::Rgb color) {
    return QColor::fromRgb(QRgb(color | 0xff000000U));
}

/// Colours that pictures share with the rest of the window.
Theme themeOf(const layout::PictureColors& picture) {
    Theme theme;
    theme.background = colorOf(picture.background);
    theme.raised = colorOf(picture.box);
    theme.line = colorOf(picture.line);
    theme.text = colorOf(picture.text);
    theme.dimText = colorOf(picture.dimText);
    theme.accent = colorOf(picture.accent);
    return theme;
}

} // namespace

Theme Theme::darkTheme() {
    Theme theme = themeOf(layout::darkPicture());
    theme.dark = true;
    theme.panel = QColor(0x1b, 0x1e, 0x25);
    theme.selection = QColor(0x20, 0x3a, 0x59);
    theme.hover = QColor(0x2a, 0x30, 0x3c);
    theme.good = QColor(0x56, 0xc0, 0x91);
    theme.warning = QColor(0xe5, 0xb1, 0x4b);
    theme.bad = QColor(0xf6, 0x8a, 0x86);
    return theme;
}

Theme Theme::lightTheme() {
    Theme theme = themeOf(layout::lightPicture());
    theme.dark = false;
    theme.panel = QColor(0xf7, 0xf8, 0xfa);
    theme.selection = QColor(0xcd, 0xe2, 0xf9);
    theme.hover = QColor(0xe2, 0xe8, 0xf0);
    theme.good = QColor(0x12, 0x6e, 0x46);
    theme.warning = QColor(0x87, 0x5a, 0x00);
    theme.bad = QColor(0xb4, 0x2c, 0x2a);
    return theme;
}

QColor Theme::category(Category category) const {
    return colorOf((dark ? layout::darkPicture() : layout::lightPicture()).of(category));
}

QPalette Theme::palette() const {
    QPalette palette;
    palette.setColor(QPalette::Window, panel);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, panel);
    palette.setColor(QPalette::AlternateBase, raised);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::PlaceholderText, dimText);
    palette.setColor(QPalette::Button, raised);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, bad);
    palette.setColor(QPalette::Highlight, selection);
    palette.setColor(QPalette::HighlightedText, text);
    palette.setColor(QPalette::Link, accent);
    palette.setColor(QPalette::LinkVisited, warning);
    palette.setColor(QPalette::ToolTipBase, raised);
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::Light, raised);
    palette.setColor(QPalette::Midlight, hover);
    palette.setColor(QPalette::Mid, line);
    palette.setColor(QPalette::Dark, line);
    palette.setColor(QPalette::Shadow, background);
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText}) {
        palette.setColor(QPalette::Disabled, role, dimText);
    }
    return palette;
}

QString categoryText(Category category) {
    const std::string_view name = base::wordOf(category);
    return QString::fromLatin1(name.data(), qsizetype(name.size()));
}

QFont codeFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    const QFont chrome = QGuiApplication::font();
    if (chrome.pointSizeF() > 0) {
        font.setPointSizeF(chrome.pointSizeF());
    } else {
        font.setPixelSize(chrome.pixelSize());
    }
    return font;
}

namespace {

/// The window sets a palette for itself, never for the application, so the application's palette is the
/// system's.
bool systemIsDark() {
    const QPalette palette = QGuiApplication::palette();
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace

ThemeSource::ThemeSource(QObject* parent)
    : QObject(parent), m_theme(systemIsDark() ? Theme::darkTheme() : Theme::lightTheme()) {
    QCoreApplication::instance()->installEventFilter(this);
}

/// Only the application is notified when its palette changes; windows with a palette of their own are not.
bool ThemeSource::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ApplicationPaletteChange && watched == QCoreApplication::instance()) {
        update();
    }
    return QObject::eventFilter(watched, event);
}

void ThemeSource::choose(Choice choice) {
    if (choice == m_choice) {
        return;
    }
    m_choice = choice;
    update();
}

void ThemeSource::update() {
    const bool dark = m_choice == Choice::System ? systemIsDark() : m_choice == Choice::Dark;
    if (dark != m_theme.dark) {
        m_theme = dark ? Theme::darkTheme() : Theme::lightTheme();
        Q_EMIT changed();
    }
}

} // namespace aotscope::views
