// The whole window over the real engine (without LibTorch), on the log the project ships.
#include "engine_bridge.h"

#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/json_model.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "window/main_window.h"
#include "window/quick_pick.h"
#include "window/recent_files.h"

#include "support/watchdog.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMimeData>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QtTest>

#include <thread>

using namespace aotscope;
using namespace aotscope::views;

namespace {

constexpr int patience = 60'000;

QString sampleLog() {
    return QStringLiteral(AOTSCOPE_SOURCE_DIR "/resources/sample/transformer_encoder_layer.log");
}

/// Runs until it is told to stop.
class EndlessBackend : public session::Backend {
public:
    [[nodiscard]] std::string description() const override { return "endless"; }
    [[nodiscard]] base::Result<session::RunSnapshot> run(const ir::Graph&, const session::RunOptions&,
                                                         base::Progress progress) override {
        while (!progress.stopRequested()) {
            progress.report("run", 1, 2);
            std::this_thread::yield();
        }
        return base::canceledError();
    }
    [[nodiscard]] std::vector<std::string> operatorSchemas() const override { return {}; }
};

base::Result<std::unique_ptr<session::Backend>> makeEndless() {
    return std::unique_ptr<session::Backend>(std::make_unique<EndlessBackend>());
}

struct Fixture {
    app::EngineBridge engine{makeEndless};
    ThemeSource theme;
    std::unique_ptr<MainWindow> window = std::make_unique<MainWindow>(&engine, &theme);

    bool open(const QString& path) {
        window->resize(1600, 1000);
        window->show();
        window->openPaths({path});
        return QTest::qWaitFor([this] { return window->currentGraph()->graph() != nullptr; }, patience);
    }
    void saveArtifact(const QString& name) const {
        const QString folder = qEnvironmentVariable("AOTSCOPE_ARTIFACTS");
        if (!folder.isEmpty()) {
            QVERIFY(window->grab().save(folder + QLatin1Char('/') + name));
        }
    }
};

} // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(m_settings.isValid());
        QCoreApplication::setOrganizationName(QStringLiteral("aotscope-test"));
        QCoreApplication::setApplicationName(QStringLiteral("window"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    }
    void init() { QSettings().clear(); }

    void opensALogAndSelectsItsJointGraph() {
        Fixture f;
        QVERIFY(!f.window->showsDocks());
        QVERIFY(f.open(sampleLog()));
        QVERIFY(f.window->showsDocks());
        QCOMPARE(f.window->selection()->current()->artifact.artifact, std::string("joint"));
        CompileModel* model = f.window->compilesPanel()->model();
        const QAbstractItemModelTester tester(model);
        QCOMPARE(model->rowCount(), 1);
        const auto& log = *f.window->logs()->logs().begin()->second;
        QCOMPARE(model->rowCount(model->index(0, 0)), static_cast<int>(compilesOf(log).size()));
        model->sort(CompileModel::Nodes, Qt::DescendingOrder);
        model->setFilter(QStringLiteral("no such word"));
        QCOMPARE(model->shownCompiles(), std::size_t(0));
        model->setFilter({});
        QCOMPARE(model->shownCompiles(), compilesOf(log).size());
        f.saveArtifact(QStringLiteral("window.png"));
    }

    void aNodePickedInTheTextIsFollowedEverywhereAndBackReturns() {
        Fixture f;
        QVERIFY(f.open(sampleLog()));
        const session::GraphSnapshotPtr graph = f.window->currentGraph()->graph();
        QVERIFY(graph->graph);
        const ir::NodeId node = graph->graph->order()[graph->graph->size() / 2];
        const std::string name = graph->graph->node(node).name;
        CodeView* text = f.window->textPanel()->view();
        Q_EMIT text->lineChosen(graph->printed.lineOfNode[node.index()]);
        QCOMPARE(f.window->selection()->current()->node, name);
        QVERIFY(f.window->inspectorPanel()->view()->toPlainText().contains(QString::fromStdString(name)));
        const ir::NodeId input = graph->graph->inputs(node).front();
        f.window->inspectorPanel()->followLink(
            QUrl(QStringLiteral("node:") + QString::fromStdString(graph->graph->node(input).name)));
        QCOMPARE(text->currentLine(), graph->printed.lineOfNode[input.index()]);
        f.window->action(QStringLiteral("goBack"))->trigger();
        QCOMPARE(f.window->selection()->current()->node, name);
        QCOMPARE(text->currentLine(), graph->printed.lineOfNode[node.index()]);
        f.window->action(QStringLiteral("goForward"))->trigger();
        QCOMPARE(text->currentLine(), graph->printed.lineOfNode[input.index()]);
    }

    void goToFindsANodeAndThePaletteRunsACommand() {
        Fixture f;
        QVERIFY(f.open(sampleLog()));
        QuickPick* pick = f.window->quickPick();
        const QAbstractItemModelTester tester(pick->model());
        const ir::GraphPtr graph = f.window->currentGraph()->graph()->graph;
        const std::string wanted = graph->node(graph->order().back()).name;
        f.window->openGoTo(QStringLiteral("@") + QString::fromStdString(wanted));
        pick->pickCurrent();
        QCOMPARE(f.window->selection()->current()->node, wanted);
        f.window->openCommandPalette();
        pick->input()->setText(QStringLiteral(">light"));
        pick->pickCurrent();
        QVERIFY(!f.theme.theme().dark);
        pick->input()->setText({});
        f.window->openCommandPalette();
        pick->input()->setText(QStringLiteral(">dark"));
        pick->pickCurrent();
        QVERIFY(f.theme.theme().dark);
    }

    void exportsEveryFormat() {
        Fixture f;
        QVERIFY(f.open(sampleLog()));
        QTemporaryDir folder;
        using Format = MainWindow::ExportFormat;
        const std::pair<Format, QByteArray> formats[] = {
            {Format::Dot, "digraph"}, {Format::Json, "\"nodes\""}, {Format::Text, "def forward"}};
        for (const auto& [format, expected] : formats) {
            const QString path = folder.filePath(QStringLiteral("out"));
            std::optional<QString> failure;
            f.window->exportTo(path, format, false, [&](const QString& reason) { failure = reason; });
            QVERIFY(QTest::qWaitFor([&] { return failure.has_value(); }, patience));
            QCOMPARE(*failure, QString());
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY(file.readAll().contains(expected));
        }
    }

    void aFailureIsListedAndADroppedFileOpens() {
        Fixture f;
        f.window->show();
        const QAbstractItemModelTester tester(f.window->problemsPanel()->model());
        f.window->openPaths({QStringLiteral("/no/such/file.log")});
        QVERIFY(QTest::qWaitFor([&] { return f.window->problemsPanel()->model()->errors() == 1; }, patience));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(sampleLog())});
        QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(f.window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(f.window.get(), &drop);
        QVERIFY(QTest::qWaitFor([&] { return f.window->currentGraph()->graph() != nullptr; }, patience));
        QCOMPARE(f.window->recentFiles()->paths().front(), sampleLog());
    }

    void remembersWhichDocksAreOpen() {
        {
            Fixture f;
            QVERIFY(f.open(sampleLog()));
            f.window->dock(QStringLiteral("payload"))->close();
            f.window->close();
        }
        Fixture again;
        QVERIFY(again.open(sampleLog()));
        QVERIFY(again.window->dock(QStringLiteral("payload"))->isHidden());
        again.window->resetLayout();
        QVERIFY(!again.window->dock(QStringLiteral("payload"))->isHidden());
    }

    void closingInMidRunIsClean() {
        Fixture f;
        QVERIFY(f.open(sampleLog()));
        QSignalSpy progressed(&f.engine, &EngineClient::progressed);
        f.window->action(QStringLiteral("run"))->trigger();
        QVERIFY(f.window->runPanel()->running());
        QTRY_VERIFY_WITH_TIMEOUT(!progressed.isEmpty(), patience);
        f.window->close();
        f.window.reset();
    }

    void aRunCanBeCanceled() {
        Fixture f;
        QVERIFY(f.open(sampleLog()));
        f.window->action(QStringLiteral("run"))->trigger();
        f.window->runPanel()->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!f.window->runPanel()->running(), patience);
    }

    /// Reports the longest time the event loop stood still with 20,000 nodes; a loaded machine makes no
    /// promise, so no bound is asserted.
    void theLargestGraphOfTheCorpusOpens() {
        const QString folder = QStringLiteral(AOTSCOPE_CORPUS_DIR "/traces/huge_transformer");
        const QStringList logs = QDir(folder).entryList({QStringLiteral("*.log*")}, QDir::Files);
        if (logs.isEmpty()) {
            QSKIP("skipped: the shared corpus is not on this machine");
        }
        Fixture f;
        f.window->resize(1600, 1000);
        f.window->show();
        QVERIFY(QTest::qWaitForWindowExposed(f.window.get()));
        QSignalSpy laidOut(&f.engine, &EngineClient::layoutReady);
        const test::Watchdog watchdog;
        f.window->openPaths({folder + QLatin1Char('/') + logs.front()});
        QTRY_VERIFY_WITH_TIMEOUT(!laidOut.isEmpty() && f.window->currentGraph()->graph(), patience);
        QVERIFY(f.window->currentGraph()->graph()->graph);
        QVERIFY(f.window->currentGraph()->graph()->graph->size() > 5'000);
        qInfo("longest gap while opening: %lld ms", static_cast<long long>(watchdog.longestGap()));
    }

    void jsonOpensAsATreeWithoutRecursion() {
        JsonModel model;
        QVERIFY(model.setText(QStringLiteral("{\"a\": [1, NaN, {\"b\": \"x,]\"}], \"c\": {}}")));
        {
            // It opens members while a reset is under way, so it comes after it and goes before the next.
            const QAbstractItemModelTester tester(&model);
        }
        QCOMPARE(model.rowCount(), 2);
        const QModelIndex a = model.index(0, 0);
        model.fetchMore(a);
        QCOMPARE(model.rowCount(a), 3);
        QCOMPARE(model.data(model.index(1, 1, a), Qt::DisplayRole).toString(), QStringLiteral("NaN"));
        QVERIFY(!model.hasChildren(model.index(1, 0)));
        QVERIFY(model.setText(QString(200'000, QLatin1Char('['))));
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(!model.setText(QStringLiteral("plain")));
    }

private:
    QTemporaryDir m_settings;
};

QTEST_MAIN(WindowTest)
#include "tst_window.moc"
