// Opening logs in the whole window: one, none, a growing one, many compiles, a large graph.
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/log_list.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/graph_dock.h"
#include "window/job_status.h"
#include "window/recent_files.h"

#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QMainWindow>
#include <QMimeData>
#include <QProcess>

#include <fstream>

using namespace aotscope;
using namespace aotscope::views;

class WindowOpenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void opensALogAndSelectsItsJointGraph() {
        test::WindowBench bench;
        QVERIFY(!bench.window->showsDocks());
        QVERIFY(bench.open(test::sampleLogPath()));
        QVERIFY(bench.window->showsDocks());
        QCOMPARE(bench.window->selection()->current()->artifact.artifact, std::string("joint"));
        CompileModel* model = bench.window->panel<CompilesPanel>()->model();
        QCOMPARE(model->rowCount(), 1);
        const auto& log = *bench.window->logs()->logs().begin()->second;
        QCOMPARE(model->rowCount(model->index(0, 0)), static_cast<int>(log.compiles().size()));
        model->setFilter(QStringLiteral("no such word"));
        QCOMPARE(model->shownCompiles(), std::size_t(0));
        model->setFilter({});
        QCOMPARE(model->shownCompiles(), countCompiles(log));
    }

    void aFailureIsListedAndADroppedFileOpens() {
        test::WindowBench bench;
        bench.window->show();
        bench.window->openPaths({QStringLiteral("/no/such/file.log")});
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->panel<ProblemsPanel>()->model()->errors(), std::size_t(1),
                                  test::patience);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(test::sampleLogPath())});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(bench.window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(bench.window.get(), &drop);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QCOMPARE(bench.window->parts().recent->paths().front(), test::sampleLogPath());
    }

    /// Who opens a log wants to see it; of several the first.
    void aLogThatIsOpenedBesideAnotherIsShown() {
        const test::TempFolder folder;
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        const quint32 first = bench.window->selection()->current()->artifact.log;
        QStringList paths;
        for (const char* name : {"a.log", "b.log"}) {
            paths << QString::fromStdString(folder.write(name, test::logOfCompiles(2)).string());
        }
        bench.window->openPaths(paths);
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->logs()->logs().size(), std::size_t(3), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        const session::ArtifactReference shown = bench.window->selection()->current()->artifact;
        QVERIFY(shown.log != first);
        const auto& log = *bench.window->logs()->logs().at(shown.log);
        QCOMPARE(QString::fromStdString(log.path.string()), paths.front());
        // What was looked at before is one step back.
        bench.window->action(QStringLiteral("goBack"))->trigger();
        QCOMPARE(bench.window->selection()->current()->artifact.log, first);
    }

    /// The one that was asked for last is what is looked at, and the other is read to its end beside it.
    void aLogThatIsOpenedWhileAnotherIsReadIsShown() {
        const test::TempFolder folder;
        const QString large =
            QString::fromStdString(folder.write("large.log", test::logOfCompiles(20'000)).string());
        test::WindowBench bench;
        bench.window->show();
        bench.window->openPaths({large});
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->parts().jobs->busy(), test::patience);
        bench.window->openPaths({test::sampleLogPath()});
        const auto& logs = bench.window->logs()->logs();
        QTRY_COMPARE_WITH_TIMEOUT(logs.size(), std::size_t(2), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        for (const auto& [id, log] : logs) {
            QVERIFY(log->complete);
        }
        const auto& current = bench.window->selection()->current();
        QVERIFY(current);
        QCOMPARE(QString::fromStdString(logs.at(current->artifact.log)->path.string()),
                 test::sampleLogPath());
        QCOMPARE(bench.window->parts().recent->paths(), (QStringList{test::sampleLogPath(), large}));
    }

    void closingTheOnlyLogLeadsBackToTheWelcomePage() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->action(QStringLiteral("closeLog"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->showsDocks(), test::patience);
        QVERIFY(bench.window->logs()->logs().empty());
        QVERIFY(!bench.window->selection()->current());
        QVERIFY(!bench.window->currentGraph()->graph());
        QCOMPARE(bench.window->panel<CompilesPanel>()->model()->rowCount(), 0);
        QVERIFY(bench.open(test::sampleLogPath()));
    }

    void remembersWhichDocksAreOpen() {
        {
            test::WindowBench bench;
            QVERIFY(bench.open(test::sampleLogPath()));
            bench.window->dock(QStringLiteral("payload"))->close();
            bench.window->dock(QStringLiteral("run"))->setFloating(true);
            bench.window->close();
        }
        test::WindowBench again;
        QVERIFY(again.open(test::sampleLogPath()));
        QVERIFY(again.window->dock(QStringLiteral("payload"))->isHidden());
        QVERIFY(again.window->dock(QStringLiteral("run"))->isFloating());
        again.window->resetLayout();
        QVERIFY(!again.window->dock(QStringLiteral("payload"))->isHidden());
        QVERIFY(!again.window->dock(QStringLiteral("run"))->isFloating());
    }

    /// Behind the welcome page the docks have next to no room: what was restored there was squeezed.
    void remembersHowLargeTheDocksAre() {
        const auto heightOf = [](const test::WindowBench& bench) {
            return bench.window->dock(QStringLiteral("text"))->height();
        };
        int before = 0;
        {
            test::WindowBench bench;
            QVERIFY(bench.open(test::sampleLogPath()));
            QTRY_VERIFY_WITH_TIMEOUT(heightOf(bench) > 0, test::patience);
            QDockWidget* text = bench.window->dock(QStringLiteral("text"));
            auto* docks = qobject_cast<QMainWindow*>(text->parentWidget());
            QVERIFY(docks);
            docks->resizeDocks({bench.window->dock(QStringLiteral("inspector")), text}, {150, 600},
                               Qt::Vertical);
            docks->resizeDocks({text, bench.window->dock(QStringLiteral("problems"))}, {500, 120},
                               Qt::Vertical);
            QCoreApplication::processEvents();
            before = heightOf(bench);
            bench.window->close();
        }
        {
            // One that never shows its docks forgets nothing.
            test::WindowBench welcome;
            welcome.window->show();
            welcome.window->close();
        }
        test::WindowBench again;
        QVERIFY(again.open(test::sampleLogPath()));
        QTRY_VERIFY2_WITH_TIMEOUT(std::abs(heightOf(again) - before) <= 4,
                                  qPrintable(QStringLiteral("%1 then %2").arg(before).arg(heightOf(again))),
                                  test::patience);
    }

    void followsAGrowingLog() {
        const test::TempFolder folder;
        const auto path = folder.write("growing.log", test::logOfCompiles(1));
        test::WindowBench bench;
        QVERIFY(bench.open(path.string()));
        CompileModel* model = bench.window->panel<CompilesPanel>()->model();
        QCOMPARE(model->rowCount(model->index(0, 0)), 1);
        const session::Selection before = *bench.window->selection()->current();
        bench.window->action(QStringLiteral("follow"))->setChecked(true);
        const auto append = [&](const std::string& text) {
            std::ofstream(path, std::ios::binary | std::ios::app) << text;
        };
        // A record that is written in two goes is not there before its end.
        const std::string next = test::dynamoStart(1) +
                                 test::payloadRecord("\"aot_joint_graph\": {}", 1, test::smallGraphText("7"));
        append(next.substr(0, next.size() / 2));
        append(next.substr(next.size() / 2));
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(model->index(0, 0)), 2, test::patience);
        append(test::dynamoStart(2) + test::dynamoStart(3));
        QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(model->index(0, 0)), 4, test::patience);
        QCOMPARE(*bench.window->selection()->current(), before);
        session::ArtifactReference grown = before.artifact;
        grown.compile = load::CompileId::parse("1/0").value();
        QVERIFY(bench.select(grown));
        QVERIFY(bench.window->currentGraph()->graph()->text.find("arg0_1, 7)") != std::string::npos);
    }

    /// "joint" alone means the last of several; each row, tab and number is of its own graph.
    void graphsOfOneNameAreToldApart() {
        const test::TempFolder folder;
        std::string log = test::dynamoStart(0);
        for (const char* constant : {"1", "2", "3"}) {
            log += test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText(constant));
        }
        test::WindowBench bench;
        QVERIFY(bench.open(folder.write("several.log", log).string()));
        const auto shownConstant = [&] {
            const std::string& graph = bench.window->currentGraph()->graph()->text;
            return graph.substr(graph.find("arg0_1, ") + 8, 1);
        };
        QCOMPARE(bench.window->selection()->current()->artifact.artifact, std::string("joint#1"));
        QCOMPARE(shownConstant(), std::string("1"));
        CompilesPanel* panel = bench.window->panel<CompilesPanel>();
        CompileModel* model = panel->model();
        const QModelIndex compile = model->index(0, 0, model->index(0, 0));
        panel->view()->expand(compile);
        for (int row : {2, 0, 1}) {
            const std::string name = "joint#" + std::to_string(row + 1);
            panel->view()->setCurrentIndex(model->index(row, 0, compile));
            QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
            QCOMPARE(bench.window->selection()->current()->artifact.artifact, name);
            QCOMPARE(shownConstant(), std::to_string(row + 1));
            QCOMPARE(bench.window->panel<GraphDock>()->kinds()->currentIndex(), row);
            QCOMPARE(model->indexOf(bench.sibling(name), true).row(), row);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!model->index(0, CompileModel::Nodes, compile).data().toString().isEmpty(),
                                 test::patience);
        QVERIFY(bench.select(bench.sibling("joint")));
        QCOMPARE(shownConstant(), std::string("3"));
        QCOMPARE(panel->view()->currentIndex().row(), 2);
        QCOMPARE(bench.window->panel<GraphDock>()->kinds()->currentIndex(), 2);
    }

    void twoRanksInOneLogAreBothShown() {
        const test::TempFolder folder;
        std::string log;
        for (const char* rank : {"3", "5"}) {
            log += test::graphRecord("aot_joint_graph",
                                     "\"rank\": " + std::string(rank) + ", " + test::compileKeys(0),
                                     test::smallGraphText(rank));
        }
        test::WindowBench bench;
        QVERIFY(bench.open(folder.write("mixed.log", log).string()));
        QVERIFY(bench.window->currentGraph()->graph()->text.find("arg0_1, 3)") != std::string::npos);
        const CompilesPanel* panel = bench.window->panel<CompilesPanel>();
        const CompileModel* model = panel->model();
        const QModelIndex other = model->index(1, 0, model->index(0, 0));
        QCOMPARE(other.data().toString(), QStringLiteral("rank5:0/0"));
        panel->view()->setCurrentIndex(other);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QVERIFY(bench.window->currentGraph()->graph()->text.find("arg0_1, 5)") != std::string::npos);
        QCOMPARE(model->indexOf(bench.sibling("joint"), false), other);
    }

    /// Its size is another than that of what it holds.
    void aPackedLogIsReadAgainOnlyWhenItChanged() {
        const test::TempFolder folder;
        const QString path = QString::fromStdString((folder.path() / "packed.log").string());
        QVERIFY(QFile::copy(test::sampleLogPath(), path));
        QCOMPARE(QProcess::execute(QStringLiteral("gzip"), {path}), 0);
        test::WindowBench bench;
        QVERIFY(bench.open(path + QStringLiteral(".gz")));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        int asked = 0;
        connect(&bench.engine, &EngineClient::started, this,
                [&asked](quint64, const QString&, const QString& command) {
                    asked += command == QLatin1String("follow") ? 1 : 0;
                });
        bench.window->action(QStringLiteral("follow"))->setChecked(true);
        // One after the other: what was asked before has been begun when this has.
        QSignalSpy loaded(&bench.engine, &EngineClient::graphReady);
        bench.engine.send(session::LoadGraph{bench.sibling("forward")});
        QTRY_VERIFY_WITH_TIMEOUT(!loaded.isEmpty(), test::patience);
        QCOMPARE(asked, 0);
        QFile packed(path + QStringLiteral(".gz"));
        QVERIFY(packed.open(QIODevice::Append));
        packed.write(QByteArray(64, '\0'));
        packed.close();
        QTRY_COMPARE_WITH_TIMEOUT(asked, 1, test::patience);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_open, WindowOpenTest)
#include "tst_window_open.moc"
