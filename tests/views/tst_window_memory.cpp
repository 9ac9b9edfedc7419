// The Memory dock in the whole window: it follows the selected compile, and moving the ▲ fades the graph.
#include "support/pictures.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "graph/graph_canvas.h"
#include "memory/live_set_model.h"
#include "memory/memory_canvas.h"
#include "memory/memory_panel.h"
#include "partition/current_partition.h"
#include "partition/saved_model.h"
#include "partition/saved_panel.h"
#include "window/graph_dock.h"

#include <QComboBox>
#include <QDockWidget>

using namespace aotscope;
using namespace aotscope::views;

class TestWindowMemory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void scrubbingThePeakFadesTheGraph() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->action(QStringLiteral("show-memory"))->trigger();
        MemoryPanel* panel = bench.window->panel<MemoryPanel>();
        MemoryCanvas* canvas = panel->canvas();
        QTRY_VERIFY_WITH_TIMEOUT(panel->model()->rowCount() > 0, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(canvas->isVisible() && canvas->width() > 300, test::patience);
        auto* graph = bench.window->panel<GraphDock>()->findChild<GraphCanvas*>();
        QTRY_VERIFY_WITH_TIMEOUT(graph->scene() != nullptr, test::patience);

        const QPoint from = canvas->pixelOfMarker().toPoint();
        const QPoint to(int(canvas->xOf(canvas->look().scene->profile().forwardEnd * 0.6)), from.y());
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(canvas, to);
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, to);
        QVERIFY(bench.window->selection()->spotlight() != nullptr);
        std::size_t lit = 0;
        for (std::uint32_t box = 0; box < graph->scene()->boxCount(); ++box) {
            lit += graph->look().kept.contains(box) ? 1 : 0;
        }
        QVERIFY(lit > 0);
        QVERIFY(lit < graph->scene()->boxCount());
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = bench.window->grab().toImage();
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("window-memory-dark.png")
                                                         : QStringLiteral("window-memory-light.png"))));
        }

        // A picked stretch filters what is saved, too.
        const SavedModel* saved = bench.window->panel<SavedPanel>()->model();
        const int all = saved->rowCount();
        const int y = canvas->height() / 2;
        const QPoint begin(int(canvas->xOf(2.5)), y);
        const QPoint end(int(canvas->xOf(12.5)), y);
        QTest::mousePress(canvas, Qt::LeftButton, Qt::ShiftModifier, begin);
        QTest::mouseMove(canvas, end);
        QTest::mouseRelease(canvas, Qt::LeftButton, Qt::ShiftModifier, end);
        const SpotlightPtr picked = bench.window->selection()->spotlight();
        QVERIFY(picked && picked->filters);
        QVERIFY(saved->isLimited());
        QVERIFY(saved->rowCount() > 0 && saved->rowCount() < all);
        for (int row = 0; row < saved->rowCount(); ++row) {
            QVERIFY(picked->nodes.contains(saved->tryRow(row)->name));
        }
        QTest::keyClick(canvas, Qt::Key_Escape);
        QCOMPARE(saved->rowCount(), all);

        QComboBox* order = panel->orderChoice();
        const int eager = order->findData(int(MemoryOrder::Kind::Eager));
        order->setCurrentIndex(eager);
        Q_EMIT order->activated(eager);
        QVERIFY(canvas->look().scene->profile().approximations.size() > 0);
        QVERIFY(bench.window->selection()->spotlight() == nullptr);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_memory, TestWindowMemory)
#include "tst_window_memory.moc"
