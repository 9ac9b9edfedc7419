#pragma once

#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "support/view_bench.h"
#include "support/window_test.h"

#include <QLabel>

#include <memory>
#include <string>

namespace aotscope::test {

/// The Graph panel alone, with graphs of the sample log.
class GraphPanelBench {
protected:
    [[nodiscard]] bool open() {
        m_bench = std::make_unique<ViewBench>();
        m_panel = std::make_unique<views::GraphPanel>(m_bench->context());
        m_panel->resize(1'100, 760);
        m_panel->show();
        return QTest::qWaitForWindowExposed(m_panel.get(), patience);
    }
    void close() {
        m_panel.reset();
        m_bench.reset();
    }
    [[nodiscard]] bool show(const std::string& artifact) {
        if (!m_bench->log && !m_bench->open(sampleLog())) {
            return false;
        }
        m_bench->hub.select({m_bench->reference("0/0", artifact), {}});
        return QTest::qWaitFor(
            [&] { return m_panel->shown() && m_panel->shown()->graph->reference.artifact == artifact; },
            patience);
    }
    [[nodiscard]] views::GraphCanvas* canvas() const { return m_panel->findChild<views::GraphCanvas*>(); }
    [[nodiscard]] views::BoxId box(const std::string& node) const {
        const views::GraphScenePtr& scene = canvas()->scene();
        return scene->boxOf(scene->graph().tryFind(node).value());
    }
    /// A node that has a box of its own.
    [[nodiscard]] std::string visibleNode(std::size_t skip = 0) const {
        for (const layout::Box& each : canvas()->scene()->layout().boxes) {
            if (each.node.valid() && skip-- == 0) {
                return canvas()->scene()->graph().node(each.node).name;
            }
        }
        return {};
    }
    [[nodiscard]] QString shownTexts() const {
        QString all;
        for (const QLabel* label : m_panel->findChildren<QLabel*>()) {
            all += label->isVisible() ? label->text() + QLatin1Char('\n') : QString();
        }
        return all;
    }

    std::unique_ptr<ViewBench> m_bench;
    std::unique_ptr<views::GraphPanel> m_panel;
};

} // namespace aotscope::test
