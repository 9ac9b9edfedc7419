#include "start_options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

namespace aotscope::app {

using views::ThemeSource;

namespace {

/// Whether one of these is on the command line.
bool hasOne(int argc, char** argv, std::initializer_list<std::string_view> names) {
    return std::any_of(argv, argv + argc,
                       [&](std::string_view argument) { return std::ranges::count(names, argument) > 0; });
}

} // namespace

bool canShowWindow(int argc, char** argv) {
    const auto isSet = [](const char* variable) {
        const char* const value = std::getenv(variable);
        return value != nullptr && *value != '\0';
    };
    return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM") ||
           hasOne(argc, argv, {"-platform", "--platform"});
}

bool asksForText(int argc, char** argv) {
    return hasOne(argc, argv, {"-h", "--help", "--help-all", "-v", "--version"});
}

namespace {

/// Messages of Qt while it looked for its platform.
QStringList& told() {
    static QStringList all;
    return all;
}

/// Called by Qt on the thread that creates the application, before there are others.
void hearPlatform(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type != QtFatalMsg) {
        told() << message;
        return;
    }
    const QString display = qEnvironmentVariable("DISPLAY", qEnvironmentVariable("WAYLAND_DISPLAY"));
    QString said = QStringLiteral("The window cannot be shown: ") +
                   (display.isEmpty() ? QStringLiteral("Qt finds no display.")
                                      : QStringLiteral("the display “%1” cannot be used.").arg(display)) +
                   QStringLiteral("\nOver SSH, connect with ssh -X; or read the same in the terminal: "
                                  "aotscope-cli open FILE\n");
    for (const QString& each : told()) {
        said += QStringLiteral("Qt: ") + each + QLatin1Char('\n');
    }
    said += QStringLiteral("Qt: ") + message.trimmed() + QLatin1Char('\n');
    std::fputs(qPrintable(said), stderr);
    // The application is only half constructed, so no destructor may run.
    std::_Exit(2);
}

} // namespace

PlatformWatch::PlatformWatch() {
    qInstallMessageHandler(hearPlatform);
}

PlatformWatch::~PlatformWatch() {
    qInstallMessageHandler(nullptr);
    for (const QString& each : std::exchange(told(), {})) {
        qWarning("%s", qPrintable(each));
    }
}

void refuseStart(const QString& message) {
    std::fputs(qPrintable(message + QLatin1Char('\n')), stderr);
    std::exit(2);
}

StartOptions readStartOptions(const QCoreApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Shows what PyTorch's compiler did: opens trace logs (TORCH_TRACE) and graph files."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 QStringLiteral("Logs, graph files, or folders of logs."),
                                 QStringLiteral("[FILE…]"));
    const QCommandLineOption screenshot(QStringLiteral("screenshot"),
                                        QStringLiteral("Open the files, save a picture of the window, quit."),
                                        QStringLiteral("OUT.png"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Size of the window."),
                                  QStringLiteral("WxH"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("dark, light or system."),
                                   QStringLiteral("THEME"));
    const QCommandLineOption panel(QStringLiteral("panel"),
                                   QStringLiteral("Panel to show first: memory, budget, saved, run, …"),
                                   QStringLiteral("PANEL"));
    const QCommandLineOption node(
        QStringLiteral("node"), QStringLiteral("Node of the first graph to select."), QStringLiteral("NODE"));
    const QCommandLineOption level(QStringLiteral("log-level"),
                                   QStringLiteral("trace, debug, info, warning, error or off."),
                                   QStringLiteral("LEVEL"), QStringLiteral("warning"));
    const QCommandLineOption logFile(
        QStringLiteral("log-file"),
        QStringLiteral("Where the program writes its own log, instead of the folder of its data."),
        QStringLiteral("FILE"));
    parser.addOptions({screenshot, size, theme, panel, node, level, logFile});
    parser.process(application);

    StartOptions options;
    options.files = parser.positionalArguments();
    options.screenshot = parser.value(screenshot);
    options.panel = parser.value(panel);
    options.node = parser.value(node);
    if (parser.isSet(size)) {
        static const QRegularExpression shape(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$"));
        const QRegularExpressionMatch match = shape.match(parser.value(size));
        if (!match.hasMatch()) {
            refuseStart(QStringLiteral("--size wants WIDTHxHEIGHT, such as 1600x1000, not “%1”")
                            .arg(parser.value(size)));
        }
        options.size = {match.captured(1).toInt(), match.captured(2).toInt()};
    }
    if (parser.isSet(theme)) {
        static const std::map<QString, ThemeSource::Choice> themes = {
            {QStringLiteral("dark"), ThemeSource::Choice::Dark},
            {QStringLiteral("light"), ThemeSource::Choice::Light},
            {QStringLiteral("system"), ThemeSource::Choice::System}};
        const auto found = themes.find(parser.value(theme));
        if (found == themes.end()) {
            refuseStart(
                QStringLiteral("--theme wants dark, light or system, not “%1”").arg(parser.value(theme)));
        }
        options.theme = found->second;
    }
    const auto logLevel = base::fromWord<base::LogLevel>(parser.value(level).toStdString());
    if (!logLevel) {
        refuseStart(QStringLiteral("--log-level wants trace, debug, info, warning, error or off, not “%1”")
                        .arg(parser.value(level)));
    }
    options.logLevel = *logLevel;
    options.logFile = parser.value(logFile);
    return options;
}

} // namespace aotscope::app
