#pragma once

#include "common/selection_hub.h"
#include "common/theme.h"
#include "common/view_context.h"
#include "support/corpus.h"
#include "support/fake_engine_client.h"

#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <QWidget>

#include <filesystem>
#include <string>

namespace aotscope::test {

/// What a panel needs to live in a test.
struct ViewBench {
    FakeEngineClient engine;
    views::SelectionHub hub;
    views::ThemeSource theme;
    session::LogSnapshotPtr log;

    [[nodiscard]] views::ViewContext context() { return {&engine, &hub, &theme}; }

    /// Opens a log and waits for it; false: it can't be read.
    [[nodiscard]] bool open(const std::filesystem::path& path) {
        log = nullptr;
        const auto connection =
            QObject::connect(&engine, &views::EngineClient::logChanged, &engine,
                             [this](const session::LogSnapshotPtr& changed) { log = changed; });
        engine.send(session::OpenLogs{{path}, false});
        const bool opened = QTest::qWaitFor([this] { return log && log->complete; }, 30'000);
        QObject::disconnect(connection);
        return opened;
    }

    [[nodiscard]] session::ArtifactReference reference(const std::string& compile,
                                                       const std::string& artifact) const {
        return {log->log, load::CompileId::parse(compile).value(), artifact};
    }
};

/// A real log that the project ships.
inline std::filesystem::path sampleLog() {
    return std::filesystem::path(AOTSCOPE_SOURCE_DIR) / "resources/sample/transformer_encoder_layer.log";
}

/// Where pictures for people go; the folder is made.
inline QString artifactPath(const QString& name) {
    const QString folder = qEnvironmentVariable("AOTSCOPE_ARTIFACTS", QDir::tempPath());
    QDir().mkpath(folder);
    return folder + QLatin1Char('/') + name;
}

/// Whether a picture shows more than one colour in its middle part.
inline bool isBlank(const QImage& image) {
    if (image.isNull()) {
        return true;
    }
    const QRgb first = image.pixel(image.width() / 2, image.height() / 2);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.pixel(x, y) != first) {
                return false;
            }
        }
    }
    return true;
}

} // namespace aotscope::test
