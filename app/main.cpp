#include "engine_bridge.h"

#include "base/log.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "graph/graph_panel.h"
#include "session/reproducer.h"
#include "window/graph_dock.h"
#include "window/main_window.h"

#ifdef AOTSCOPE_HAS_TORCH
#include "torch_module.h"
#endif

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QDockWidget>
#include <QIcon>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <cstdio>
#include <memory>

namespace {

using aotscope::views::ThemeSource;

struct Options {
    QStringList files;
    QString screenshot;
    /// What is in front and selected at first.
    QString panel;
    QString node;
    QSize size;
    std::optional<ThemeSource::Choice> theme;
    aotscope::base::LogLevel logLevel = aotscope::base::LogLevel::Warning;
};

[[noreturn]] void refuse(const QString& message) {
    std::fputs(qPrintable(message + QLatin1Char('\n')), stderr);
    std::exit(2);
}

Options readOptions(const QCoreApplication& application) {
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
                                   QStringLiteral("A panel to begin with: memory, budget, saved, run, …"),
                                   QStringLiteral("PANEL"));
    const QCommandLineOption node(QStringLiteral("node"),
                                  QStringLiteral("A node of the first graph to select."),
                                  QStringLiteral("NODE"));
    const QCommandLineOption level(QStringLiteral("log-level"),
                                   QStringLiteral("trace, debug, info, warning, error or off."),
                                   QStringLiteral("LEVEL"), QStringLiteral("warning"));
    parser.addOptions({screenshot, size, theme, panel, node, level});
    parser.process(application);

    Options options;
    options.files = parser.positionalArguments();
    options.screenshot = parser.value(screenshot);
    options.panel = parser.value(panel);
    options.node = parser.value(node);
    if (parser.isSet(size)) {
        static const QRegularExpression shape(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$"));
        const QRegularExpressionMatch match = shape.match(parser.value(size));
        if (!match.hasMatch()) {
            refuse(QStringLiteral("--size wants WIDTHxHEIGHT, such as 1600x1000, not “%1”")
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
            refuse(QStringLiteral("--theme wants dark, light or system, not “%1”").arg(parser.value(theme)));
        }
        options.theme = found->second;
    }
    const auto logLevel = aotscope::base::logLevelFromName(parser.value(level).toStdString());
    if (!logLevel) {
        refuse(QStringLiteral("--log-level wants trace, debug, info, warning, error or off, not “%1”")
                   .arg(parser.value(level)));
    }
    options.logLevel = *logLevel;
    return options;
}

/// Brings a panel to the front and selects a node once the first graph is there.
void beginWith(aotscope::views::MainWindow* window, aotscope::app::EngineBridge* engine,
               const Options& options) {
    QDockWidget* dock = options.panel.isEmpty() ? nullptr : window->dock(options.panel);
    if (!options.panel.isEmpty() && dock == nullptr) {
        refuse(
            QStringLiteral("--panel wants a panel's name in lower case (\"memory\", \"retrace\"), not “%1”")
                .arg(options.panel));
    }
    QObject::connect(
        engine, &aotscope::views::EngineClient::layoutReady, window,
        [window, dock, node = options.node.toStdString()] {
            if (dock != nullptr) {
                dock->show();
                dock->raise();
            }
            const auto& current = window->selection()->current();
            if (!node.empty() && current) {
                window->selection()->select({current->artifact, node});
            }
        },
        Qt::SingleShotConnection);
}

/// Saves the window's picture once the first graph is laid out and painted, or when nothing can be drawn.
void takeScreenshot(aotscope::views::MainWindow* window, aotscope::app::EngineBridge* engine,
                    const QString& path) {
    const auto save = [window, path] {
        const bool saved = window->grab().save(path);
        if (!saved) {
            std::fputs(qPrintable(QStringLiteral("Could not write %1\n").arg(path)), stderr);
        }
        QCoreApplication::exit(saved ? 0 : 1);
    };
    // Late answers (run, payload, totals) still arrive; the picture is taken when the engine has been idle.
    auto* settle = new QTimer(window);
    settle->setSingleShot(true);
    settle->setInterval(700);
    QObject::connect(settle, &QTimer::timeout, window, save);
    using aotscope::views::EngineClient;
    QObject::connect(engine, &EngineClient::layoutReady, settle, [settle] { settle->start(); });
    QObject::connect(engine, &EngineClient::failed, settle, [settle] { settle->start(); });
    QObject::connect(engine, &EngineClient::finished, settle, [settle] {
        if (settle->isActive()) {
            settle->start();
        }
    });
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication::setApplicationName(QStringLiteral("aotscope"));
    QCoreApplication::setOrganizationName(QStringLiteral("aotscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(AOTSCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("aotscope"));
    QApplication::setStyle(QStringLiteral("fusion"));
    const QApplication application(argc, argv);
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/aotscope/aotscope.svg")));
    const Options options = readOptions(application);

    const QString data = QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation);
    QDir().mkpath(data);
    aotscope::base::LogOptions logOptions;
    logOptions.level = options.logLevel;
    logOptions.file = (data + QStringLiteral("/aotscope.log")).toStdString();
    aotscope::base::configureLog(logOptions);

    aotscope::session::BackendFactory backendFactory;
#ifdef AOTSCOPE_HAS_TORCH
    backendFactory = aotscope::app::torchBackendFactory();
#endif
    aotscope::session::SessionOptions sessionOptions;
    sessionOptions.reproducerFolder = aotscope::session::defaultReproducerFolder();
    aotscope::app::EngineBridge engine(std::move(backendFactory), std::move(sessionOptions));
    ThemeSource theme;
    const int remembered = QSettings().value(QStringLiteral("window/theme"), 0).toInt();
    theme.choose(options.theme.value_or(static_cast<ThemeSource::Choice>(std::clamp(remembered, 0, 2))));

    aotscope::views::MainWindow window(&engine, &theme);
    if (options.size.isValid()) {
        window.resize(options.size);
    }
    if (!options.screenshot.isEmpty()) {
        window.resetLayout();
        takeScreenshot(&window, &engine, options.screenshot);
    }
    beginWith(&window, &engine, options);
    window.show();
    window.openPaths(options.files);
    if (!options.screenshot.isEmpty() && options.files.isEmpty()) {
        QTimer::singleShot(300, &window, [&] {
            const bool saved = window.grab().save(options.screenshot);
            QCoreApplication::exit(saved ? 0 : 1);
        });
    }
    return QApplication::exec();
}
