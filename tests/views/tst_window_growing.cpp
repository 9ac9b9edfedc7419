// Logs in the whole window that are still being written, replaced or cut short.
#include "files_bench.h"
#include "support/window_test.h"

#include "common/log_list.h"
#include "graph/graph_panel.h"
#include "panels/compile_model.h"
#include "partition/current_partition.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QAction>
#include <QFile>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

class WindowGrowingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void anEmptyLogIsFollowedFromItsFirstRecordOn() {
        FilesBench bench;
        QVERIFY(bench.drop({bench.write("new.log", {})}));
        QVERIFY(bench.opened(1));
        QCOMPARE(bench.problems()->errors(), std::size_t(0));
        QCOMPARE(bench.compilesOfLog(0), 0);
        QCOMPARE(bench.titles().front(), QStringLiteral("new.log  (no records yet)"));
        bench.append("new.log", recordsOfCompile(0, "2"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QCOMPARE(bench.constant(), QStringLiteral("2"));
    }

    /// Sorted, filtered, with a row opened and a node selected: what grows comes in between.
    void aGrowingLogLeavesWhatIsShownAlone() {
        FilesBench bench;
        std::string log;
        for (std::uint32_t frame = 0; frame < 60; ++frame) {
            log += recordsOfCompile(frame, std::to_string(frame));
        }
        const QString path = bench.write("growing.log", log);
        QVERIFY(bench.drop({path}));
        QVERIFY(bench.opened(1));
        QTreeView* tree = bench.tree();
        CompileModel* model = bench.model();
        tree->sortByColumn(CompileModel::Id, Qt::DescendingOrder);
        const QModelIndex root = model->index(0, 0);
        const QPersistentModelIndex row = model->index(20, 0, root);
        QCOMPARE(row.data().toString(), QStringLiteral("39/0"));
        tree->setCurrentIndex(row);
        tree->expand(row);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        bench.window->selection()->select({bench.sibling("joint"), "relu"});
        const auto settled = [&] {
            return bench.window->panel<GraphDock>()->panel()->shown() &&
                   bench.window->currentPartition()->isCurrent() && !bench.window->parts().jobs->busy();
        };
        QTRY_VERIFY_WITH_TIMEOUT(settled(), test::patience);
        const session::GraphSnapshotPtr graph = bench.window->currentGraph()->graph();
        const session::LayoutSnapshotPtr picture = bench.window->panel<GraphDock>()->panel()->shown();
        const session::PartitionSnapshotPtr split = bench.window->currentPartition()->snapshot();
        const session::Selection selected = *bench.window->selection()->current();
        const QPersistentModelIndex current = tree->currentIndex();
        QVERIFY(current.isValid());
        QSignalSpy reset(model, &QAbstractItemModel::modelReset);
        QSignalSpy selections(bench.window->selection(), &SelectionHub::selectionChanged);
        QSignalSpy graphs(bench.window->currentGraph(), &CurrentGraph::graphChanged);
        QSignalSpy steps(bench.window->currentPartition(), &CurrentPartition::partitionChanged);

        // A record that is written in two goes is not there before its end.
        const std::string more = recordsOfCompile(60, "60") + recordsOfCompile(61, "61");
        bench.append("growing.log", more.substr(0, more.size() / 3));
        bench.append("growing.log", more.substr(more.size() / 3));
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(root), 62, test::patience);
        QCOMPARE(model->index(0, 0, root).data().toString(), QStringLiteral("61/0"));
        QTRY_VERIFY_WITH_TIMEOUT(settled(), test::patience);
        QCOMPARE(row.row(), 22);
        QVERIFY(tree->isExpanded(row));
        QCOMPARE(tree->currentIndex(), QModelIndex(current));
        // While something is looked for, only what matches comes.
        model->setFilter(QStringLiteral("3"));
        const int found = model->rowCount(root);
        reset.clear();
        bench.append("growing.log", recordsOfCompile(62, "62") + recordsOfCompile(63, "63"));
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(root), found + 1, test::patience);
        QCOMPARE(model->index(0, 0, root).data().toString(), QStringLiteral("63/0"));
        QTRY_VERIFY_WITH_TIMEOUT(settled(), test::patience);
        QCOMPARE(reset.size(), 0);

        QCOMPARE(*bench.window->selection()->current(), selected);
        QCOMPARE(bench.selectedNode(), std::string("relu"));
        QCOMPARE(selections.size() + graphs.size() + steps.size(), 0);
        QCOMPARE(bench.window->currentGraph()->graph(), graph);
        QCOMPARE(bench.window->panel<GraphDock>()->panel()->shown(), picture);
        QCOMPARE(bench.window->currentPartition()->snapshot(), split);
        QCOMPARE(bench.problems()->errors(), std::size_t(0));
    }

    void twoLogsGrowAtOnce() {
        FilesBench bench;
        QVERIFY(bench.drop({bench.write("a.log", recordsOfCompile(0, "2")),
                            bench.write("b.log", recordsOfCompile(0, "3"))}));
        QVERIFY(bench.opened(2));
        for (std::uint32_t frame = 1; frame < 4; ++frame) {
            bench.append("a.log", recordsOfCompile(frame, "2"));
            bench.append("b.log", recordsOfCompile(frame, "3"));
        }
        QTRY_COMPARE_WITH_TIMEOUT(bench.compilesOfLog(0), 4, test::patience);
        QTRY_COMPARE_WITH_TIMEOUT(bench.compilesOfLog(1), 4, test::patience);
    }

    void aFileThatIsReplacedIsAnotherLog() {
        FilesBench bench;
        QVERIFY(bench.drop({bench.write("a.log", recordsOfCompile(0, "2") + recordsOfCompile(1, "3"))}));
        QVERIFY(bench.opened(1));
        bench.tree()->setCurrentIndex(bench.model()->index(1, 0, bench.model()->index(0, 0)));
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.window->currentGraph()->graph() && bench.constant() == QLatin1String("3"), test::patience);
        // Of the same size, so that only the file itself tells.
        bench.folder.write("b.log", recordsOfCompile(0, "4") + recordsOfCompile(1, "5"));
        std::filesystem::rename(bench.folder.path() / "b.log", bench.folder.path() / "a.log");
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.window->currentGraph()->graph() && bench.constant() == QLatin1String("5"), test::patience);
        QCOMPARE(bench.model()->rowCount(), 1);
        QCOMPARE(bench.window->selection()->current()->artifact.compile,
                 load::CompileId::parse("1/0").value());
    }

    void aFileThatIsCutShortIsReadAnew() {
        FilesBench bench;
        const std::string first = recordsOfCompile(0, "2");
        QVERIFY(bench.drop({bench.write("a.log", first + recordsOfCompile(1, "3"))}));
        QVERIFY(bench.opened(1));
        QCOMPARE(bench.compilesOfLog(0), 2);
        QVERIFY(QFile::resize(bench.path("a.log"), static_cast<qint64>(first.size())));
        QTRY_COMPARE_WITH_TIMEOUT(bench.compilesOfLog(0), 1, test::patience);
        QVERIFY(bench.opened(1));
        // One that is gone leaves what was read of it.
        QVERIFY(QFile::remove(bench.path("a.log")));
        QVERIFY(bench.select(
            {bench.window->logs()->logs().begin()->first, load::CompileId::parse("0/0").value(), "joint"}));
        QCOMPARE(bench.constant(), QStringLiteral("2"));
        QVERIFY2(bench.problems()->errors() == 0, qPrintable(bench.said()));
    }

    void followingIsOnUntilItIsTurnedOff() {
        {
            FilesBench bench;
            QAction* follow = bench.window->action(QStringLiteral("follow"));
            QVERIFY(follow->isChecked());
            follow->setChecked(false);
            bench.window->close();
        }
        const FilesBench again;
        QVERIFY(!again.window->action(QStringLiteral("follow"))->isChecked());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_growing, WindowGrowingTest)
#include "tst_window_growing.moc"
