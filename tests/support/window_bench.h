#pragma once

#include "engine_bridge.h"

#include "common/current_graph.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "support/fake_backend.h"
#include "support/window_test.h"
#include "window/main_window.h"

#include <QCoreApplication>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>
#include <string>

namespace aotscope::test {

/// The log that is part of the project.
[[nodiscard]] inline QString sampleLogPath() {
    return QStringLiteral(AOTSCOPE_SOURCE_DIR "/resources/sample/transformer_encoder_layer.log");
}

/// The ids of all panels of the window.
[[nodiscard]] inline QStringList panelIds() {
    QStringList ids;
    for (const views::PanelSpec& spec : views::panelSpecs()) {
        ids.append(QLatin1String(spec.id));
    }
    return ids;
}

/// Keeps tests away from the user's settings.
class OwnSettings {
public:
    OwnSettings() {
        QCoreApplication::setOrganizationName(QStringLiteral("aotscope-test"));
        QCoreApplication::setApplicationName(QStringLiteral("window"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }
    static void clear() { QSettings().clear(); }

private:
    QTemporaryDir m_folder;
};

/// The whole window with the real engine on its threads; runs and traces go to a fake backend.
struct WindowBench {
    std::shared_ptr<FakeBackendControl> backend = std::make_shared<FakeBackendControl>();
    app::EngineBridge engine;
    views::ThemeSource theme;
    std::unique_ptr<views::MainWindow> window;

    WindowBench() : WindowBench(nullptr) {}
    explicit WindowBench(session::BackendFactory factory)
        : engine(factory ? std::move(factory) : fakeBackendFactory(backend)),
          window(std::make_unique<views::MainWindow>(&engine, &theme)) {
        window->resize(1600, 1000);
    }

    /// Shows the window, opens the file and waits for its first graph.
    [[nodiscard]] bool open(const QString& path) {
        window->show();
        window->openPaths({path});
        return QTest::qWaitFor([this] { return window->currentGraph()->graph() != nullptr; }, patience);
    }
    [[nodiscard]] bool open(const std::string& path) { return open(QString::fromStdString(path)); }

    /// Selects a graph of the first log's compile "0/0", or another graph, and waits for it.
    [[nodiscard]] bool select(const session::ArtifactReference& reference) {
        window->selection()->select({reference, {}});
        return QTest::qWaitFor(
            [&] {
                const session::GraphSnapshotPtr& graph = window->currentGraph()->graph();
                return graph && graph->reference == reference;
            },
            patience);
    }
    /// An artifact of the selected compile.
    [[nodiscard]] session::ArtifactReference sibling(const std::string& artifact) const {
        session::ArtifactReference reference = window->selection()->current()->artifact;
        reference.artifact = artifact;
        reference.subgraph.clear();
        return reference;
    }
    /// An artifact of another compile of the selected log.
    [[nodiscard]] session::ArtifactReference ofCompile(const load::CompileId& id,
                                                       const std::string& artifact) const {
        session::ArtifactReference reference = sibling(artifact);
        reference.compile = id;
        return reference;
    }
    [[nodiscard]] std::string selectedNode() const {
        const auto& current = window->selection()->current();
        return current ? current->node : std::string();
    }
    /// Runs the shown graph and waits for its end.
    [[nodiscard]] bool run() {
        window->action(QStringLiteral("run"))->trigger();
        return QTest::qWaitFor([this] { return window->currentGraph()->run() != nullptr; }, patience);
    }
};

} // namespace aotscope::test
