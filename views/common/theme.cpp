#include "common/theme.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QGuiApplication>

namespace aotscope::views {

Theme Theme::darkTheme() {
    Theme theme;
    theme.dark = true;
    theme.background = QColor(0x15, 0x17, 0x1c);
    theme.panel = QColor(0x1b, 0x1e, 0x25);
    theme.raised = QColor(0x24, 0x28, 0x32);
    theme.line = QColor(0x33, 0x38, 0x44);
    theme.text = QColor(0xdc, 0xdf, 0xe5);
    theme.dimText = QColor(0xa1, 0xa8, 0xb5);
    theme.accent = QColor(0x62, 0xad, 0xf5);
    theme.selection = QColor(0x20, 0x3a, 0x59);
    theme.hover = QColor(0x2a, 0x30, 0x3c);
    theme.good = QColor(0x56, 0xc0, 0x91);
    theme.warning = QColor(0xe5, 0xb1, 0x4b);
    theme.bad = QColor(0xf6, 0x8a, 0x86);
    return theme;
}

Theme Theme::lightTheme() {
    Theme theme;
    theme.dark = false;
    theme.background = QColor(0xff, 0xff, 0xff);
    theme.panel = QColor(0xf7, 0xf8, 0xfa);
    theme.raised = QColor(0xeb, 0xed, 0xf1);
    theme.line = QColor(0xd2, 0xd6, 0xde);
    theme.text = QColor(0x1d, 0x22, 0x2b);
    theme.dimText = QColor(0x58, 0x60, 0x6e);
    theme.accent = QColor(0x0a, 0x5c, 0xb4);
    theme.selection = QColor(0xcd, 0xe2, 0xf9);
    theme.hover = QColor(0xe2, 0xe8, 0xf0);
    theme.good = QColor(0x12, 0x6e, 0x46);
    theme.warning = QColor(0x87, 0x5a, 0x00);
    theme.bad = QColor(0xb4, 0x2c, 0x2a);
    return theme;
}

QColor Theme::category(Category category) const {
    switch (category) {
    case Category::Parameter:
        return dark ? QColor(0x56, 0xb4, 0xe9) : QColor(0x1f, 0x86, 0xc4);
    case Category::Buffer:
        return dark ? QColor(0x3a, 0x8c, 0xd0) : QColor(0x00, 0x5c, 0x92);
    case Category::Input:
        return dark ? QColor(0x1f, 0xb8, 0x8c) : QColor(0x00, 0x8a, 0x64);
    case Category::Saved:
        return dark ? QColor(0xe6, 0x9f, 0x00) : QColor(0xc4, 0x83, 0x00);
    case Category::Recomputed:
        return dark ? QColor(0xd8, 0x86, 0xb3) : QColor(0xb4, 0x5a, 0x8c);
    case Category::Gradient:
        return dark ? QColor(0xe0, 0x6c, 0x14) : QColor(0xc4, 0x54, 0x00);
    case Category::Tangent:
        return dark ? QColor(0xf0, 0xe4, 0x42) : QColor(0xa8, 0x9c, 0x00);
    case Category::Temporary:
        return dark ? QColor(0x6c, 0x75, 0x86) : QColor(0x8a, 0x93, 0xa3);
    case Category::Output:
        return dark ? QColor(0x8f, 0xd4, 0x6a) : QColor(0x4d, 0x8f, 0x2a);
    case Category::Packed:
        return dark ? QColor(0xa4, 0x84, 0xff) : QColor(0x70, 0x4a, 0xd0);
    case Category::Unknown:
        break;
    }
    return dark ? QColor(0x4a, 0x51, 0x5f) : QColor(0xb4, 0xba, 0xc6);
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

QString categoryName(Category category) {
    static constexpr const char* names[] = {"parameter",  "buffer",   "input",   "saved",
                                            "recomputed", "gradient", "tangent", "temporary",
                                            "output",     "packed",   "unknown"};
    return QString::fromLatin1(names[static_cast<std::size_t>(category)]);
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

/// The window sets its palette on itself and never on the application, so the application's stays the
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

/// A change of the application's palette is told to the application alone: windows with a palette of their
/// own hear nothing of it.
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
