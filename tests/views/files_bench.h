#pragma once

#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"

#include "common/log_list.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/job_status.h"

#include <QDropEvent>
#include <QMimeData>
#include <QTreeView>
#include <fstream>

namespace aotscope::views {

/// A compile with one joint graph that multiplies by `constant`.
inline std::string recordsOfCompile(std::uint32_t frame, const std::string& constant) {
    return test::dynamoStart(frame) +
           test::payloadRecord("\"aot_joint_graph\": {}", frame, test::smallGraphText(constant)) +
           test::plainRecord(R"("compilation_metrics": {"co_name": "f", "graph_op_count": 2})", frame);
}

struct FilesBench : test::WindowBench {
    test::TempFolder folder;

    FilesBench() {
        window->show();
        [[maybe_unused]] const bool shown = QTest::qWaitForWindowExposed(window.get(), test::patience);
    }
    [[nodiscard]] QString path(const std::string& name) const {
        return QString::fromStdString((folder.path() / name).string());
    }
    [[nodiscard]] QString write(const std::string& name, const std::string& content) const {
        return QString::fromStdString(folder.write(name, content).string());
    }
    void append(const std::string& name, const std::string& content) const {
        std::ofstream(folder.path() / name, std::ios::binary | std::ios::app) << content;
    }
    /// As a file manager does it; false: the window does not take it.
    bool drop(const QStringList& paths) const {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& each : paths) {
            urls.append(QUrl::fromLocalFile(each));
        }
        data.setUrls(urls);
        const QPointF where(window->rect().center());
        QDragEnterEvent enter(where.toPoint(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window.get(), &enter);
        if (!enter.isAccepted()) {
            return false;
        }
        QDropEvent event(where, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window.get(), &event);
        return event.isAccepted();
    }
    /// Waits until that many logs are there in whole, and nothing is under way.
    [[nodiscard]] bool opened(std::size_t logs) const {
        return QTest::qWaitFor(
            [&] {
                const auto& all = window->logs()->logs();
                return all.size() == logs && !window->parts().jobs->busy() &&
                       std::ranges::all_of(all, [](const auto& log) { return log.second->complete; });
            },
            test::patience);
    }
    [[nodiscard]] CompileModel* model() const { return window->panel<CompilesPanel>()->model(); }
    [[nodiscard]] QTreeView* tree() const { return window->panel<CompilesPanel>()->view(); }
    [[nodiscard]] int compilesOfLog(int log) const { return model()->rowCount(model()->index(log, 0)); }
    [[nodiscard]] QStringList titles() const {
        QStringList all;
        for (int row = 0; row < model()->rowCount(); ++row) {
            all.append(model()->index(row, 0).data().toString());
        }
        return all;
    }
    [[nodiscard]] QString constant() const {
        const std::string& text = window->currentGraph()->graph()->text;
        const std::size_t at = text.find("arg0_1, ") + 8;
        return QString::fromStdString(text.substr(at, text.find(')', at) - at));
    }
    [[nodiscard]] const ProblemModel* problems() const { return window->panel<ProblemsPanel>()->model(); }
    /// Everything that the Problems panel says.
    [[nodiscard]] QString said() const {
        QString all;
        for (int row = 0; row < problems()->rowCount(); ++row) {
            all += problems()->problemAt(row)->message + QLatin1Char('\n');
        }
        return all;
    }
};

} // namespace aotscope::views
