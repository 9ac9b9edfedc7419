#include "engine_bridge.h"
#include "start_options.h"

#include "base/log.h"
#include "cache/entry_folder.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "files/reproducer.h"
#include "graph/graph_panel.h"
#include "style/window_style.h"
#include "window/graph_dock.h"
#include "window/main_window.h"

#ifdef AOTSCOPE_HAS_TORCH
#include "torch_module.h"
#endif

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QIcon>
#include <QSettings>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>

namespace {

using aotscope::app::refuseStart;
using aotscope::app::StartOptions;
using aotscope::views::ThemeSource;

/// Shows a panel and selects a node as soon as the first graph is laid out.
void beginWith(aotscope::views::MainWindow* window, aotscope::app::EngineBridge* engine,
               const StartOptions& options) {
    QDockWidget* dock = options.panel.isEmpty() ? nullptr : window->dock(options.panel);
    if (!options.panel.isEmpty() && dock == nullptr) {
        refuseStart(
            QStringLiteral("--panel wants a panel's name in lower case (\"memory\", \"retrace\"), not “%1”")
                .arg(options.panel));
    }
    const auto showDock = [dock] {
        if (dock != nullptr) {
            dock->show();
            dock->raise();
        }
    };
    // A profiler's trace alone has no graph that is laid out.
    QObject::connect(engine, &aotscope::views::EngineClient::finished, window, showDock,
                     Qt::SingleShotConnection);
    QObject::connect(
        engine, &aotscope::views::EngineClient::layoutReady, window,
        [window, showDock, node = options.node.toStdString()] {
            showDock();
            const auto& current = window->selection()->current();
            if (!node.empty() && current) {
                window->selection()->select({current->artifact, node});
            }
        },
        Qt::SingleShotConnection);
}

/// Saves a picture of the window when the files are open and all that follows from it is done.
void takeScreenshot(aotscope::views::MainWindow* window, aotscope::app::EngineBridge* engine,
                    const QString& path) {
    const auto save = [window, path] {
        const bool saved = window->grab().save(path);
        if (!saved) {
            std::fputs(qPrintable(QStringLiteral("Could not write %1\n").arg(path)), stderr);
        }
        QCoreApplication::exit(saved ? 0 : 1);
    };
    // An answer leads to further commands (layout, payload, totals): wait until the engine stays idle.
    auto* settle = new QTimer(window);
    settle->setSingleShot(true);
    settle->setInterval(700);
    QObject::connect(settle, &QTimer::timeout, window, save);
    using aotscope::views::EngineClient;
    const auto running = std::make_shared<std::set<quint64>>();
    QObject::connect(engine, &EngineClient::started, settle, [settle, running](quint64 job) {
        running->insert(job);
        settle->stop();
    });
    const auto end = [settle, running](quint64 job) {
        running->erase(job);
        if (running->empty()) {
            settle->start();
        }
    };
    QObject::connect(engine, &EngineClient::finished, settle, end);
    QObject::connect(engine, &EngineClient::canceled, settle, end);
    QObject::connect(engine, &EngineClient::failed, settle, end);
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication::setApplicationName(QStringLiteral("aotscope"));
    QCoreApplication::setOrganizationName(QStringLiteral("aotscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(AOTSCOPE_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("aotscope"));
    if (aotscope::app::asksForText(argc, argv) || !aotscope::app::canShowWindow(argc, argv)) {
        const QCoreApplication application(argc, argv);
        aotscope::app::readStartOptions(application);
        refuseStart(QStringLiteral(
            "There is no display to show the window on: neither DISPLAY nor WAYLAND_DISPLAY is "
            "set.\nOver SSH, connect with ssh -X; or read the same in the terminal: "
            "aotscope-cli open FILE"));
    }
    std::optional<aotscope::app::PlatformWatch> watch(std::in_place);
    const QApplication application(argc, argv);
    watch.reset();
    aotscope::views::WindowStyle::install();
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/aotscope/aotscope.svg")));
    const StartOptions options = aotscope::app::readStartOptions(application);

    const QString data = QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation);
    QDir().mkpath(data);
    aotscope::base::LogOptions logOptions;
    logOptions.level = options.logLevel;
    logOptions.file =
        (options.logFile.isEmpty() ? data + QStringLiteral("/aotscope.log") : options.logFile).toStdString();
    aotscope::base::configureLog(logOptions);

    aotscope::session::BackendFactory backendFactory;
#ifdef AOTSCOPE_HAS_TORCH
    backendFactory = aotscope::app::torchBackendFactory();
#endif
    aotscope::session::SessionOptions sessionOptions;
    sessionOptions.reproducerFolder = aotscope::session::defaultReproducerFolder();
    sessionOptions.compileCacheFolder = aotscope::cache::defaultCacheFolder();
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
