// Comparing in the whole window, from the menu of the Compiles panel to the shown differences.
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/log_list.h"
#include "compare/compare_models.h"
#include "compare/compare_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QTimer>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct CompareBench : test::WindowBench {
    CompareBench() = default;

    /// Opens the context menu of an artifact's row and chooses the entry that begins so; the titles there
    /// were.
    QStringList chooseInMenu(const std::string& artifact, const QString& beginning) const {
        const CompilesPanel* compiles = window->panel<CompilesPanel>();
        compiles->view()->expand(compiles->model()->index(0, 0, compiles->model()->index(0, 0)));
        const QModelIndex row = compiles->model()->indexOf(sibling(artifact), true);
        compiles->view()->scrollTo(row);
        QStringList titles;
        // The menu has an event loop of its own, in which this is the first thing to happen.
        QTimer::singleShot(0, compiles->view(), [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) {
                return;
            }
            for (QAction* action : menu->actions()) {
                titles.append(action->text());
                if (action->text().startsWith(beginning)) {
                    menu->setActiveAction(action);
                }
            }
            QTest::keyClick(menu, menu->activeAction() ? Qt::Key_Return : Qt::Key_Escape);
        });
        Q_EMIT compiles->view()->customContextMenuRequested(compiles->view()->visualRect(row).center());
        return titles;
    }
    [[nodiscard]] bool shows(const session::ArtifactReference& left,
                             const session::ArtifactReference& right) const {
        return QTest::qWaitFor(
            [&] {
                const session::DiffSnapshotPtr shown = window->panel<ComparePanel>()->shown();
                return shown && shown->left->reference == left && shown->right->reference == right;
            },
            test::patience);
    }
    [[nodiscard]] QString summary() const {
        return window->panel<ComparePanel>()->findChild<QLabel*>(QStringLiteral("compareSummary"))->text();
    }
};

} // namespace

class WindowCompareTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theMenuComparesWithTheShownGraph() {
        CompareBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        const auto joint = bench.sibling("joint");
        const auto forward = bench.sibling("forward");
        const QStringList titles = bench.chooseInMenu("forward", QStringLiteral("Compare with the shown"));
        QVERIFY2(titles.size() > 1, qPrintable(titles.join(QLatin1Char('|'))));
        QVERIFY(bench.shows(joint, forward));
        QVERIFY(bench.window->panel<ComparePanel>()->isVisible());
        // The joint graph holds the backward part besides: the forward graph lacks it.
        QVERIFY2(bench.summary().contains(QLatin1String("removed")), qPrintable(bench.summary()));
        const auto* columns =
            bench.window->panel<ComparePanel>()->findChild<QTreeView*>(QStringLiteral("compareColumns"));
        const auto* table =
            bench.window->panel<ComparePanel>()->findChild<QTreeView*>(QStringLiteral("compareTable"));
        QVERIFY(std::size_t(columns->model()->rowCount()) >=
                bench.window->panel<ComparePanel>()->shown()->left->graph->size());
        QCOMPARE(std::size_t(table->model()->rowCount()),
                 bench.window->panel<ComparePanel>()->shown()->diff.differences.size());
    }

    void theMenuComparesWithTheChosenGraph() {
        CompareBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.chooseInMenu("forward", QStringLiteral("Choose for comparison"));
        QVERIFY(!bench.window->panel<ComparePanel>()->shown());
        bench.chooseInMenu("backward", QStringLiteral("Compare with 0/0"));
        QVERIFY(bench.shows(bench.sibling("forward"), bench.sibling("backward")));
    }

    void aDifferencePickedIsSelectedInTheWholeWindow() {
        CompareBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.chooseInMenu("forward", QStringLiteral("Compare with the shown"));
        QVERIFY(bench.shows(bench.sibling("joint"), bench.sibling("forward")));
        auto* table =
            bench.window->panel<ComparePanel>()->findChild<QTreeView*>(QStringLiteral("compareTable"));
        const ir::GraphDiff& diff = bench.window->panel<ComparePanel>()->shown()->diff;
        const auto removed = std::find_if(
            diff.differences.begin(), diff.differences.end(),
            [](const ir::NodeDifference& each) { return each.kind == ir::NodeDifference::Kind::Removed; });
        QVERIFY(removed != diff.differences.end());
        const auto row = static_cast<int>(removed - diff.differences.begin());
        const QString name = table->model()->index(row, DifferenceModel::Left).data().toString();
        table->scrollTo(table->model()->index(row, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(row, 0)).center());
        QCOMPARE(QString::fromStdString(bench.selectedNode()), name);
        QCOMPARE(bench.window->selection()->current()->artifact, bench.sibling("joint"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->node().valid(), test::patience);
    }

    void twoLogsCompareAndClosingOneIsSurvived() {
        test::TempFolder folder;
        const auto copy = folder.path() / "copy.log";
        std::filesystem::copy_file(test::sampleLogPath().toStdString(), copy);
        CompareBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->openPaths({QString::fromStdString(copy.string())});
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->logs()->logs().size(), std::size_t(2), test::patience);
        const auto left = bench.sibling("joint");
        auto right = left;
        right.log = bench.window->logs()->logs().rbegin()->first;
        Q_EMIT bench.window->panel<CompilesPanel>()->compareRequested(left, right);
        QVERIFY(bench.shows(left, right));
        QVERIFY2(bench.summary().contains(QLatin1String("equal"), Qt::CaseInsensitive),
                 qPrintable(bench.summary()));
        Q_EMIT bench.window->panel<CompilesPanel>()->closeRequested(right.log);
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->logs()->logs().size(), std::size_t(1), test::patience);
        // What was shown before it was opened is shown again.
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_compare, WindowCompareTest)
#include "tst_window_compare.moc"
