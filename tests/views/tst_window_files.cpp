// Files in the whole window: dropped in any number, packed, one log per rank, still being written, replaced,
// and not logs at all.
#include "files_bench.h"
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/window_test.h"

#include "common/log_list.h"
#include "panels/compile_model.h"
#include "panels/problem_model.h"
#include "window/quick_pick.h"
#include "window/recent_files.h"

#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QProcess>

#include <unistd.h>

using namespace aotscope;
using namespace aotscope::views;

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

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_files, WindowFilesTest)
#include "tst_window_files.moc"
