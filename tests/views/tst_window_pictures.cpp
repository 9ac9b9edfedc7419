// Pictures of all views in both themes, for people to look at; none may be blank.
#include "support/pictures.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/theme.h"
#include "compare/compare_panel.h"
#include "graph/graph_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/go_to.h"
#include "window/graph_dock.h"
#include "window/quick_pick.h"

#include <QDockWidget>
#include <QTabBar>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

bool savePicture(QWidget* widget, const QString& name) {
    const QImage image = widget->grab().toImage();
    return !test::isBlank(image) && image.save(test::artifactPath(name + QStringLiteral(".png")));
}

} // namespace

class WindowPicturesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void everyViewIsPainted_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }

    void everyViewIsPainted() {
        QFETCH(bool, dark);
        const QString theme = dark ? QStringLiteral("-dark") : QStringLiteral("-light");
        test::WindowBench bench;
        bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
        bench.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(bench.window.get(), test::patience));
        QVERIFY(savePicture(bench.window.get(), QStringLiteral("welcome") + theme));

        fill(bench);
        if (QTest::currentTestFailed()) {
            return;
        }
        QVERIFY(savePicture(bench.window.get(), QStringLiteral("window") + theme));
        for (const QString& name : test::panelIds()) {
            QDockWidget* dock = bench.window->dock(name);
            QVERIFY(dock);
            dock->show();
            dock->raise();
            QCoreApplication::processEvents();
            for (const QTabBar* bar : dock->widget()->findChildren<QTabBar*>()) {
                QVERIFY2(!bar->isVisible() || bar->height() >= bar->sizeHint().height(), qPrintable(name));
            }
            // What a panel asks for when it is shown may be on its way.
            QTRY_VERIFY2_WITH_TIMEOUT(savePicture(dock->widget(), name + theme), qPrintable(name),
                                      test::patience);
        }
        bench.window->parts().goTo->openCommandPalette();
        QVERIFY(bench.window->quickPick()->isVisible());
        QVERIFY(savePicture(bench.window->quickPick(), QStringLiteral("palette") + theme));
        QVERIFY(savePicture(bench.window.get(), QStringLiteral("window-palette") + theme));
    }

private:
    /// Gives every dock something to show.
    static void fill(test::WindowBench& bench) {
        bench.backend->onRun = [](const ir::Graph& graph, const session::RunOptions& options,
                                  base::Progress&) -> base::Result<session::RunSnapshot> {
            session::RunSnapshot run = test::FakeBackend::everyNodeRan(graph, options);
            run.nodes.back().mismatch = "logged f32[2], computed f32[3]";
            return run;
        };
        QVERIFY(bench.open(test::sampleLogPath()));
        const CompilesPanel* compiles = bench.window->panel<CompilesPanel>();
        compiles->view()->expand(compiles->model()->index(0, 0, compiles->model()->index(0, 0)));
        const ir::GraphPtr graph = bench.window->currentGraph()->graph()->graph;
        QVERIFY(bench.run());
        bench.window->currentGraph()->selectNode(graph->order()[graph->size() / 2]);
        Q_EMIT bench.window->panel<CompilesPanel>()->compareRequested(bench.sibling("joint"),
                                                                      bench.sibling("forward"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<ComparePanel>()->shown(), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<GraphDock>()->panel()->shown(), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<PayloadPanel>()->shown(), test::patience);
        QVERIFY(bench.window->panel<ProblemsPanel>()->model()->rowCount() > 0);
    }

    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_pictures, WindowPicturesTest)
#include "tst_window_pictures.moc"
