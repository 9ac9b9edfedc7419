// What a window saves for the next one: columns, sorting, splitters, filters, breakpoints, the view of a
// graph.
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/breakpoint_list.h"
#include "common/panel_layout.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/problems_panel.h"
#include "panels/run_panel.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct RememberingBench : test::WindowBench {
    [[nodiscard]] bool start() {
        return open(test::sampleLogPath()) &&
               QTest::qWaitFor(
                   [this] { return picture()->scene() != nullptr && !window->parts().jobs->busy(); },
                   test::patience);
    }
    [[nodiscard]] GraphCanvas* picture() const {
        return window->panel<GraphDock>()->findChild<GraphCanvas*>();
    }
    [[nodiscard]] QLineEdit* filterOf(const QString& panel) const {
        return window->dock(panel)->findChild<QLineEdit*>(filterFieldName());
    }
    [[nodiscard]] QSplitter* splitterOf(const QString& panel) const {
        return window->dock(panel)->findChild<QSplitter*>();
    }
    void raise(const QString& panel) const {
        window->action(QStringLiteral("show-") + panel)->trigger();
        QCoreApplication::processEvents();
    }
};

} // namespace

class WindowRememberedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void columnsAndTheirOrder() {
        {
            RememberingBench bench;
            QVERIFY(bench.start());
            QHeaderView* header = bench.window->panel<RunPanel>()->view()->header();
            header->resizeSection(1, 177);
            header->moveSection(header->visualIndex(2), 0);
            bench.window->close();
        }
        RememberingBench again;
        QVERIFY(again.start());
        const QHeaderView* header = again.window->panel<RunPanel>()->view()->header();
        QCOMPARE(header->sectionSize(1), 177);
        QCOMPARE(header->visualIndex(2), 0);
    }

    void sorting() {
        {
            RememberingBench bench;
            QVERIFY(bench.start());
            bench.window->panel<CompilesPanel>()->view()->sortByColumn(CompileModel::Time,
                                                                       Qt::DescendingOrder);
            bench.window->close();
        }
        RememberingBench again;
        QVERIFY(again.start());
        const CompilesPanel* panel = again.window->panel<CompilesPanel>();
        QCOMPARE(panel->view()->header()->sortIndicatorSection(), int(CompileModel::Time));
        QCOMPARE(panel->view()->header()->sortIndicatorOrder(), Qt::DescendingOrder);
        // The rows are so, not only the arrow.
        const QModelIndex log = panel->model()->index(0, 0);
        double before = 1e300;
        for (int row = 0; row < panel->model()->rowCount(log); ++row) {
            const double seconds =
                panel->model()->compileAt(panel->model()->index(row, 0, log))->seconds.value_or(-1);
            QVERIFY(seconds <= before);
            before = seconds;
        }
    }

    void splitters() {
        QList<int> sizes;
        {
            RememberingBench bench;
            QVERIFY(bench.start());
            bench.raise(QStringLiteral("memory"));
            QSplitter* splitter = bench.splitterOf(QStringLiteral("memory"));
            const int whole = splitter->sizes()[0] + splitter->sizes()[1];
            splitter->setSizes({whole / 3, whole - whole / 3});
            sizes = splitter->sizes();
            bench.window->close();
        }
        RememberingBench again;
        QVERIFY(again.start());
        again.raise(QStringLiteral("memory"));
        QTRY_COMPARE_WITH_TIMEOUT(again.splitterOf(QStringLiteral("memory"))->sizes(), sizes, test::patience);
    }

    void filters() {
        const QString words = QStringLiteral("nothing has these words");
        {
            RememberingBench bench;
            QVERIFY(bench.start());
            for (const char* panel : {"compiles", "problems", "saved"}) {
                bench.filterOf(QLatin1String(panel))->setText(words);
            }
            QCOMPARE(bench.window->panel<CompilesPanel>()->model()->shownCompiles(), std::size_t(0));
            bench.window->close();
        }
        RememberingBench again;
        QVERIFY(again.start());
        for (const char* panel : {"compiles", "problems", "saved"}) {
            QCOMPARE(again.filterOf(QLatin1String(panel))->text(), words);
        }
        QCOMPARE(again.window->panel<CompilesPanel>()->model()->shownCompiles(), std::size_t(0));
        again.filterOf(QStringLiteral("compiles"))->clear();
        QVERIFY(again.window->panel<CompilesPanel>()->model()->shownCompiles() > 0);
    }

    void breakpoints() {
        const std::vector<session::Breakpoint> wanted = {session::Breakpoint::parse("model.py:41").value(),
                                                         session::Breakpoint::parse("op:aten.mm").value()};
        {
            RememberingBench bench;
            QVERIFY(bench.start());
            for (const session::Breakpoint& breakpoint : wanted) {
                bench.window->breakpoints()->toggle(breakpoint);
            }
            bench.window->close();
        }
        const RememberingBench again;
        QCOMPARE(again.window->breakpoints()->all(), wanted);
    }

    /// Of every graph that was looked at; one that was not begins as ever.
    void theViewOfAGraph() {
        double zoom = 0;
        QPointF center;
        {
            RememberingBench bench;
            QVERIFY(bench.start());
            bench.picture()->zoomTo(1.7, {100, 100});
            bench.picture()->centerOn(bench.picture()->scene()->bounds().center());
            zoom = bench.picture()->zoom();
            center = bench.picture()->visibleArea().center();
            bench.window->close();
        }
        RememberingBench again;
        QVERIFY(again.start());
        QCOMPARE(again.picture()->zoom(), zoom);
        const QPointF moved = again.picture()->visibleArea().center() - center;
        QVERIFY2(std::abs(moved.x()) < 2 && std::abs(moved.y()) < 2,
                 qPrintable(QStringLiteral("%1, %2").arg(moved.x()).arg(moved.y())));
        const auto joint = again.window->currentGraph()->graph()->reference;
        QVERIFY(again.select(again.sibling("forward")));
        QTRY_VERIFY_WITH_TIMEOUT(
            again.window->panel<GraphDock>()->panel()->shown()->graph->reference != joint, test::patience);
        QVERIFY(!again.picture()->chosenView());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_remembered, WindowRememberedTest)
#include "tst_window_remembered.moc"
