#pragma once

#include "common/file_jobs.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "common/view_context.h"
#include "support/corpus.h"
#include "support/fake_engine_client.h"
#include "support/pictures.h"
#include "support/window_test.h"

#include <QCoreApplication>
#include <QImage>
#include <QSignalSpy>
#include <QTest>
#include <QWidget>

#include <filesystem>
#include <string>
#include <utility>

namespace aotscope::test {

/// Everything that a panel needs in a test.
struct ViewBench {
    /// Without a factory nothing can be run.
    explicit ViewBench(session::BackendFactory factory = {}) : engine(std::move(factory)) {}

    FakeEngineClient engine;
    views::SelectionHub hub;
    views::ThemeSource theme;
    views::FileJobs files;
    views::LogList logs{&engine};
    session::LogSnapshotPtr log;

    [[nodiscard]] views::ViewContext context() { return {&engine, &hub, &theme, &files, &logs}; }

    /// Opens a log and waits for it; false if it cannot be read.
    [[nodiscard]] bool open(const std::filesystem::path& path) {
        log = nullptr;
        const auto connection =
            QObject::connect(&engine, &views::EngineClient::logChanged, &engine,
                             [this](const session::LogSnapshotPtr& changed) { log = changed; });
        engine.send(session::OpenLogs{{path}, false});
        const bool opened = QTest::qWaitFor([this] { return log && log->complete; }, patience);
        QObject::disconnect(connection);
        return opened;
    }

    /// The panel as it looks in the window, in the current theme.
    [[nodiscard]] QImage pictureOf(QWidget& panel) const {
        panel.setPalette(theme.theme().palette());
        QCoreApplication::processEvents();
        return panel.grab().toImage();
    }

    [[nodiscard]] session::ArtifactReference reference(const std::string& compile,
                                                       const std::string& artifact) const {
        return {log->log, load::CompileId::parse(compile).value(), artifact};
    }
};

/// A real log that is part of the project.
inline std::filesystem::path sampleLog() {
    return std::filesystem::path(AOTSCOPE_SOURCE_DIR) / "resources/sample/transformer_encoder_layer.log";
}

} // namespace aotscope::test
