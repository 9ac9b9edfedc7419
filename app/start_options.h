#pragma once

#include "base/log.h"
#include "common/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

class QCoreApplication;

namespace aotscope::app {

/// What the window was started with.
struct StartOptions {
    QStringList files;
    /// Where to save a picture of the window; empty: the window stays.
    QString screenshot;
    /// What is in front and selected at first.
    QString panel;
    QString node;
    /// Invalid: the remembered one.
    QSize size;
    std::optional<views::ThemeSource::Choice> theme;
    base::LogLevel logLevel = base::LogLevel::Warning;
};

/// Whether there is a display, or Qt was told a platform. Asked before Qt starts, which would abort.
[[nodiscard]] bool canShowWindow(int argc, char** argv);

/// Whether only a text is asked for, the help or the version, which takes no display.
[[nodiscard]] bool asksForText(int argc, char** argv);

/// While it lives, a display that Qt cannot reach ends the program with our words and exit code 2, where Qt
/// would abort. What else Qt tells meanwhile is passed on when it ends.
class PlatformWatch {
public:
    PlatformWatch();
    ~PlatformWatch();
    PlatformWatch(const PlatformWatch&) = delete;
    PlatformWatch& operator=(const PlatformWatch&) = delete;
};

/// Reads the command line; ends the program for --help and --version, and with exit code 2 for what it does
/// not take.
StartOptions readStartOptions(const QCoreApplication& application);

/// Says why the program does not start, and ends it with exit code 2.
[[noreturn]] void refuseStart(const QString& message);

} // namespace aotscope::app
