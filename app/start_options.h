#pragma once

#include "base/log.h"
#include "common/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

class QCoreApplication;

namespace aotscope::app {

/// The options that the window was started with.
struct StartOptions {
    QStringList files;
    /// Where to save a picture of the window; empty: none, and the window stays open.
    QString screenshot;
    /// The panel and node to show first.
    QString panel;
    QString node;
    /// Invalid: use the remembered size.
    QSize size;
    std::optional<views::ThemeSource::Choice> theme;
    base::LogLevel logLevel = base::LogLevel::Warning;
    /// Empty: a file among the program's own data.
    QString logFile;
};

/// Whether there is a display, or a platform was set for Qt. Check before Qt starts, because Qt aborts
/// otherwise.
[[nodiscard]] bool canShowWindow(int argc, char** argv);

/// Whether only help or version text is requested, which needs no display.
[[nodiscard]] bool asksForText(int argc, char** argv);

/// While an object exists, an unreachable display ends the program with a readable message and exit code 2
/// instead of Qt's abort. The destructor passes on Qt's other messages.
class PlatformWatch {
public:
    PlatformWatch();
    ~PlatformWatch();
    PlatformWatch(const PlatformWatch&) = delete;
    PlatformWatch& operator=(const PlatformWatch&) = delete;
};

/// Parses the command line. Ends the program for --help and --version, and with exit code 2 for invalid
/// options.
StartOptions readStartOptions(const QCoreApplication& application);

/// Prints why the program cannot start and ends it with exit code 2.
[[noreturn]] void refuseStart(const QString& message);

} // namespace aotscope::app
