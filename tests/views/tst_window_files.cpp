// Files in the whole window: dropped in any number, packed, one log per rank, still being written, replaced,
// and not logs at all.
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"

#include "common/log_list.h"
#include "graph/graph_panel.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "partition/current_partition.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/quick_pick.h"
#include "window/recent_files.h"

#include <QAction>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QProcess>
#include <QScrollBar>
#include <QTreeView>

#include <fstream>
#include <unistd.h>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// A compile with one joint graph that multiplies by `constant`.
std::string recordsOfCompile(std::uint32_t frame, const std::string& constant) {
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

} // namespace

class WindowFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void severalFilesAreDropped() {
        FilesBench bench;
        const QStringList paths = {bench.write("a.log", recordsOfCompile(0, "2") + recordsOfCompile(1, "3")),
                                   bench.write("b.log", recordsOfCompile(0, "4")),
                                   bench.write("graph.txt", test::smallGraphText("5"))};
        QVERIFY(bench.drop(paths));
        QVERIFY(bench.opened(3));
        QCOMPARE(bench.titles(), (QStringList{QStringLiteral("a.log"), QStringLiteral("b.log"),
                                              QStringLiteral("graph.txt")}));
        QCOMPARE(bench.compilesOfLog(0), 2);
        QCOMPARE(bench.compilesOfLog(1), 1);
        // The first that was dropped is shown.
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QCOMPARE(bench.constant(), QStringLiteral("2"));
        // On top of what is open.
        QVERIFY(bench.drop({bench.write("c.log", recordsOfCompile(7, "6"))}));
        QVERIFY(bench.opened(4));
        const auto shows = [&](const char* constant) {
            return bench.window->currentGraph()->graph() && bench.constant() == QLatin1String(constant);
        };
        QTRY_VERIFY_WITH_TIMEOUT(shows("6"), test::patience);
        QCOMPARE(bench.problems()->errors(), std::size_t(0));
    }

    void aFolderWithOneLogPerRankIsDropped() {
        FilesBench bench;
        std::filesystem::create_directories(bench.folder.path() / "trace");
        for (const char* rank : {"10", "2", "0"}) {
            bench.folder.write("trace/dedicated_log_torch_trace_rank_" + std::string(rank) + "_x.log",
                               recordsOfCompile(0, rank));
        }
        bench.folder.write("trace/notes.txt", "not a log");
        QVERIFY(bench.drop({bench.path("trace")}));
        QVERIFY(bench.opened(3));
        QCOMPARE(bench.window->logs()->nameOf(1).text, std::string("rank2"));
        for (int row = 0; row < 3; ++row) {
            static const QStringList ranks = {QStringLiteral("0"), QStringLiteral("2"), QStringLiteral("10")};
            QVERIFY2(bench.titles()[row].startsWith(QStringLiteral("rank %1 ").arg(ranks[row])),
                     qPrintable(bench.titles()[row]));
        }
        bench.tree()->setCurrentIndex(bench.model()->index(0, 0, bench.model()->index(1, 0)));
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.window->currentGraph()->graph() && bench.constant() == QLatin1String("2"), test::patience);
    }

    /// Each rank has its 0/0: wherever one is named it is said of which.
    void ranksAreToldApart() {
        FilesBench bench;
        std::filesystem::create_directories(bench.folder.path() / "trace");
        for (const char* rank : {"0", "1"}) {
            bench.folder.write(
                "trace/dedicated_log_torch_trace_rank_" + std::string(rank) + "_x.log",
                recordsOfCompile(0, rank) +
                    test::plainRecord(
                        R"("compilation_metrics": {"fail_type": "Unsupported", "fail_reason": "it failed"})",
                        1));
        }
        QVERIFY(bench.drop({bench.path("trace")}));
        QVERIFY(bench.opened(2));
        const auto places = [&] {
            QStringList all;
            for (int row = 0; row < bench.problems()->rowCount(); ++row) {
                if (bench.problems()->problemAt(row)->severity == Severity::Error) {
                    all.append(bench.problems()->index(row, ProblemModel::Where).data().toString());
                }
            }
            return all;
        };
        QTRY_COMPARE_WITH_TIMEOUT(places(),
                                  (QStringList{QStringLiteral("rank0:1/0"), QStringLiteral("rank1:1/0")}),
                                  test::patience);
        bench.window->action(QStringLiteral("goTo"))->trigger();
        auto* pick = bench.window->findChild<QuickPick*>();
        pick->findChild<QLineEdit*>()->setText(QStringLiteral("rank1:0/0"));
        auto* list = pick->findChild<QListView*>();
        QTRY_VERIFY_WITH_TIMEOUT(list->model()->rowCount() > 0, test::patience);
        for (int row = 0; row < list->model()->rowCount(); ++row) {
            const QString title = list->model()->index(row, 0).data().toString();
            QVERIFY2(title.startsWith(QStringLiteral("rank1:0/0 ")), qPrintable(title));
        }
        QTest::keyClick(pick->findChild<QLineEdit*>(), Qt::Key_Return);
        const auto shows = [&](const char* constant) {
            return bench.window->currentGraph()->graph() && bench.constant() == QLatin1String(constant);
        };
        QTRY_VERIFY_WITH_TIMEOUT(shows("1"), test::patience);
        // One alone needs no name.
        bench.window->action(QStringLiteral("closeLog"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(places(), QStringList{QStringLiteral("1/0")}, test::patience);
    }

    void whatIsGoneIsForgotten() {
        FilesBench bench;
        QVERIFY(bench.drop({bench.write("a.log", recordsOfCompile(0, "2"))}));
        QVERIFY(bench.opened(1));
        std::filesystem::create_directories(bench.folder.path() / "other");
        QVERIFY(bench.drop({bench.write("other/a.log", recordsOfCompile(0, "3"))}));
        QVERIFY(bench.opened(2));
        auto* recent = bench.window->findChild<QMenu*>(QStringLiteral("recentMenu"));
        // Two of one name are told apart.
        QCOMPARE(recent->actions().front()->text(), QStringLiteral("a.log\t") + bench.path("other"));
        std::filesystem::remove(bench.folder.path() / "other/a.log");
        recent->actions().front()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->parts().recent->paths(), QStringList{bench.path("a.log")},
                                  test::patience);
        QVERIFY(bench.said().contains(QLatin1String("No such file or directory")));
        const ProblemModel* model = bench.problems();
        const QString message = model->index(0, ProblemModel::Message).data().toString();
        QVERIFY2(message.contains(QLatin1String("directory. Check")), qPrintable(message));
    }

    void packedLogsOpen() {
        FilesBench bench;
        const QString gz = bench.write("a.log", recordsOfCompile(0, "2"));
        const QString xz = bench.write("b.log", recordsOfCompile(0, "3"));
        QCOMPARE(QProcess::execute(QStringLiteral("gzip"), {gz}), 0);
        QCOMPARE(QProcess::execute(QStringLiteral("xz"), {xz}), 0);
        QVERIFY(bench.drop({gz + QStringLiteral(".gz"), xz + QStringLiteral(".xz")}));
        QVERIFY(bench.opened(2));
        QCOMPARE(bench.compilesOfLog(0), 1);
        QCOMPARE(bench.compilesOfLog(1), 1);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QCOMPARE(bench.constant(), QStringLiteral("2"));
    }

    void whatIsNoFileIsNotTaken() {
        FilesBench bench;
        QMimeData words;
        words.setText(QStringLiteral("joint"));
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QCoreApplication::sendEvent(bench.window.get(), &enter);
        QVERIFY(!enter.isAccepted());
        QMimeData page;
        page.setUrls({QUrl(QStringLiteral("https://pytorch.org/"))});
        QDragEnterEvent web(QPoint(10, 10), Qt::CopyAction, &page, Qt::LeftButton, Qt::NoModifier);
        web.ignore();
        QCoreApplication::sendEvent(bench.window.get(), &web);
        QVERIFY(!web.isAccepted());
    }

    void whatIsNoLogIsSaidByName() {
        FilesBench bench;
        std::string picture = "\x89PNG\r\n\x1a\n";
        picture += std::string(2'000, '\0') + "IHDR";
        std::filesystem::create_directories(bench.folder.path() / "nothing");
        bench.folder.write("nothing/readme.txt", "hello");
        const QStringList wrong = {bench.write("picture.png", picture), bench.path("nothing"),
                                   bench.path("missing.log"), bench.write("list.json", "[1, 2]")};
        for (const QString& path : wrong) {
            QVERIFY(bench.drop({path}));
            QTRY_VERIFY2_WITH_TIMEOUT(bench.said().contains(QFileInfo(path).fileName()), qPrintable(path),
                                      test::patience);
        }
        QCOMPARE(bench.problems()->errors(), std::size_t(wrong.size()));
        QVERIFY(bench.window->logs()->logs().empty());
        // Nothing of it is offered again.
        QCOMPARE(bench.window->parts().recent->paths(), QStringList());
        // The window goes on, and one good file among wrong ones is opened.
        QVERIFY(bench.drop(wrong + QStringList{test::sampleLogPath()}));
        QVERIFY(bench.opened(1));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QVERIFY(bench.said().contains(QLatin1String("4 of 5 files could not be opened")));
        QCOMPARE(bench.window->parts().recent->paths(), QStringList{test::sampleLogPath()});
    }

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

    void aFileThatMayNotBeReadIsSaid() {
        FilesBench bench;
        const QString path = bench.write("secret.log", recordsOfCompile(0, "2"));
        QVERIFY(QFile::setPermissions(path, {}));
        // The superuser may read everything, so the program is nobody for a while.
        const uid_t before = ::geteuid();
        const auto again = qScopeGuard([&] { (void)::seteuid(before); });
        constexpr uid_t nobody = 65534;
        QVERIFY(before != 0 || ::seteuid(nobody) == 0);
        QVERIFY(bench.drop({path}));
        QTRY_VERIFY_WITH_TIMEOUT(bench.said().contains(QLatin1String("secret.log")), test::patience);
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

AOTSCOPE_WINDOW_TEST(tst_window_files, WindowFilesTest)
#include "tst_window_files.moc"
