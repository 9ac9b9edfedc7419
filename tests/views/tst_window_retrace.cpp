// Re-tracing in the whole window, from the button to the result and both graphs in Compare.
#include "support/pictures.h"
#include "support/retrace_bench.h"
#include "support/window_test.h"

#include "common/verdict_label.h"
#include "compare/compare_panel.h"
#include "retrace/metadata_text.h"
#include "retrace/retrace_panel.h"
#include "retrace/retrace_text.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTreeWidget>
#include <QUrl>

#include <optional>

using namespace aotscope;
using namespace aotscope::views;
using test::RetraceBench;
using test::traced;

class TestWindowRetrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aCompileIsTracedAndOpensInCompare() {
        RetraceBench bench;
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        bench.window->action(QStringLiteral("retrace"))->trigger();
        QVERIFY(panel->running());
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QCOMPARE(panel->results().size(), std::size_t(1));
        const session::RetraceSnapshotPtr result = panel->results().front();
        QCOMPARE(result->verdict.word, base::VerdictWord::Differs);
        QCOMPARE(panel->view()->topLevelItemCount(), 1);
        QCOMPARE(panel->view()->topLevelItem(0)->text(1), retraceResultText(*result));
        const QString details = panel->details()->toPlainText();
        QVERIFY(details.contains(QStringLiteral("First difference")));
        QVERIFY(details.contains(QStringLiteral("data mutated")));
        QVERIFY(details.contains(QStringLiteral("output 1")));
        QVERIFY(details.contains(QStringLiteral("a view")));
        QCOMPARE(panel->verdict()->verdict(), std::optional(result->verdict));
        QVERIFY(panel->verdict()->line().contains(QStringLiteral("differs")));

        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            bench.window->dock(QStringLiteral("retrace"))->raise();
            QCoreApplication::processEvents();
            const QImage picture = panel->grab().toImage();
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("retrace-result-dark.png")
                                                         : QStringLiteral("retrace-result-light.png"))));
        }

        Q_EMIT panel->view()->itemActivated(panel->view()->topLevelItem(0), 0);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<ComparePanel>()->shown() != nullptr, test::patience);
        QCOMPARE(bench.window->panel<ComparePanel>()->shown()->left->graph, result->made->graph);

        // Once more: the row is kept.
        panel->retraceLog();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QCOMPARE(panel->view()->topLevelItemCount(), 1);
    }

    /// Each log has its 0/0, and what was traced last is what is looked at.
    void rowsOfSeveralLogsAreToldApart() {
        const QTemporaryDir folder;
        const QString other = folder.filePath(QStringLiteral("other.log"));
        QVERIFY(QFile::copy(test::sampleLogPath(), other));
        RetraceBench bench;
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        QCOMPARE(panel->view()->topLevelItem(0)->text(0), QStringLiteral("0/0"));
        bench.window->openPaths({other});
        const quint32 first = panel->results().front()->log;
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->selection()->current()->artifact.log != first, test::patience);
        QVERIFY(bench.retrace());
        QCOMPARE(panel->view()->topLevelItemCount(), 2);
        QCOMPARE(panel->view()->topLevelItem(1)->text(0), QStringLiteral("0/0 · other.log"));
        QVERIFY(
            panel->view()->topLevelItem(0)->text(0).contains(QStringLiteral("transformer_encoder_layer")));
        QCOMPARE(panel->view()->currentItem(), panel->view()->topLevelItem(1));
    }

    void whatWasTracedIsSavedAsAFolder() {
        RetraceBench bench;
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        const QTemporaryDir parent;
        const QString folder = parent.filePath(QStringLiteral("retraced"));
        std::optional<QString> answer;
        const auto told = [&](const QString& message) { answer = message; };
        panel->saveTo(folder, told);
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QCOMPARE(*answer, QString());
        const QStringList all =
            QDir(parent.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        QCOMPARE(all, QStringList(QStringLiteral("retraced")));
        const auto read = [&](const char* name) {
            QFile file(folder + QLatin1Char('/') + QLatin1String(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const auto again = ir::parseGraphText(read("0_0/inference.txt").toStdString());
        QVERIFY(again.ok());
        QCOMPARE((*again)->size(), panel->results().front()->made->graph->size());
        QVERIFY(!read("0_0/inference.json").isEmpty());
        QVERIFY(read("0_0/metadata.json").contains("input_info"));
        QVERIFY(read("report.html").contains("First difference"));
        // What is there is not written over; what is canceled leaves nothing.
        answer.reset();
        panel->saveTo(folder, told);
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QVERIFY2(answer->contains(QStringLiteral("already exists")), qPrintable(*answer));
        answer.reset();
        panel->saveTo(parent.filePath(QStringLiteral("other")), told);
        bench.window->action(QStringLiteral("cancel"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QVERIFY(answer->isEmpty() || answer->startsWith(QStringLiteral("Canceled")));
        QCOMPARE(
            QDir(parent.path())
                .entryList({QStringLiteral(".*")}, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
            QStringList());
    }

    /// A matrix, its lower half, and that once more.
    /// A text of thousands of rows held the window up for seconds.
    void ofThousandsOfInputsTheNotableAreListed() {
        session::RetraceSnapshot retraced;
        retraced.result.emplace();
        constexpr std::size_t inputs = 5'000;
        retraced.result->function.metadata.inputInfo.resize(inputs);
        retraced.result->function.metadata.inputInfo[4'321].mutatesData = true;
        retraced.result->function.metadata.outputInfo.resize(inputs);
        retraced.metadataDifferences = {"output_info[4444].raw_type: Tensor, not int"};
        for (std::size_t i = 0; i < inputs; ++i) {
            retraced.result->function.guards.push_back(
                {ir::SymExpr("Eq(s" + std::to_string(i) + ", 8)"), {}});
        }
        const QString html = metadataHtml(retraced) + guardsHtml(retraced);
        QVERIFY2(html.size() < 60'000, qPrintable(QString::number(html.size())));
        QTextDocument page;
        page.setHtml(html);
        const QString said = page.toPlainText();
        QVERIFY(said.contains(QLatin1String("4321")) && said.contains(QLatin1String("data mutated")));
        QVERIFY(said.contains(QLatin1String("4444")) && said.contains(QLatin1String("not int")));
        QVERIFY(said.contains(QLatin1String("metadata.json")));
        QVERIFY(said.contains(QLatin1String("--guards")));
    }

    void loggedFieldsThatAreNotComparedAreNamedWithTheirText() {
        session::RetraceSnapshot retraced;
        retraced.result = traced();
        retraced.result->function.metadata.tracedTangents.resize(1);
        ir::ViewAndMutationMeta& logged = retraced.loggedMetadata.emplace();
        logged.otherFields = {{"brand_new", "Thing(a=<b>)"}};
        logged.subclassTangentMeta = {
            {false, 0, ir::TangentLayout{{}, ir::SymInts{ir::SymInt(4), ir::SymInt(1)}, {}}}};
        logged.tangentSourceStackTraces = {{ir::SourceLocation{"model.py", 41, "forward", "return x"}}};
        retraced.metadataNotCompared = {"tangent_source_stack_traces", "brand_new"};
        QTextDocument page;
        page.setHtml(metadataHtml(retraced));
        const QString words = page.toPlainText();
        QVERIFY(words.contains(QStringLiteral("Logged fields that are not compared")));
        QVERIFY(words.contains(QStringLiteral("tangent_source_stack_traces")));
        QVERIFY(words.contains(QStringLiteral("Thing(a=<b>)")));
        QVERIFY(words.contains(QStringLiteral("expected with strides [4, 1]")));
        QVERIFY(words.contains(QStringLiteral("made at model.py:41")));
    }

    void inputsOfOneMemoryAreDrawnToScale() {
        session::RetraceSnapshot retraced;
        retraced.result = traced();
        retraced.sharedInputs = {
            {{{0, "a", {{0, 32}}}, {1, "b", {{16, 32}}}, {2, "c", {{16, 32}}, 1}}, "primals_1"}};
        QTextDocument page;
        page.setHtml(metadataHtml(retraced));
        const QString words = page.toPlainText();
        QVERIFY(words.contains(QStringLiteral("input 0 a")));
        QVERIFY(words.contains(QString(24, QChar(0x2588))));
        QVERIFY(words.contains(QString(12, QChar(0x2591)) + QString(12, QChar(0x2588))));
        QVERIFY(words.contains(QStringLiteral("elements 16 to 31")));
        QVERIFY(words.contains(QStringLiteral("the same elements as input 1")));
        QVERIFY(words.contains(QStringLiteral("synthetic base, the graph's input primals_1")));
    }

    void whatCannotBeTracedIsTold() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        RetracePanel* panel = bench.window->panel<RetracePanel>();
        panel->retraceCompile();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QCOMPARE(panel->results().size(), std::size_t(1));
        QVERIFY(panel->results().front()->error.has_value());
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("traces nothing")));
        // What the log has of it is a click away.
        for (const char* which : {"program", "logged"}) {
            const QString link = QStringLiteral("graph:") + QLatin1String(which);
            QVERIFY(panel->details()->toHtml().contains(link));
            Q_EMIT panel->details()->anchorClicked(QUrl(link));
            QCOMPARE(bench.window->selection()->current()->artifact.artifact,
                     std::string(which == std::string("program") ? "dynamo" : "joint"));
        }
    }

    void guardsLinkToWhoAsked() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&,
                                      base::Progress&) {
            aot::RetraceResult result = traced();
            result.function.guards = {
                {.expression = ir::SymExpr("Not(s0 > 25)"),
                 .node = "linear",
                 .source = ir::SourceLocation{"/home/me/model.py", 41, "forward", "x"}}};
            return result;
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        const QString details = panel->details()->toPlainText();
        QVERIFY(details.contains(QStringLiteral("Not(s0 > 25)")));
        QVERIFY(details.contains(QStringLiteral("needed by linear")));
        QVERIFY(details.contains(QStringLiteral("model.py:41")));
        Q_EMIT panel->details()->anchorClicked(QUrl(QStringLiteral("node:linear")));
        QTRY_COMPARE_WITH_TIMEOUT(bench.selectedNode(), std::string("linear"), test::patience);
        QCOMPARE(bench.window->selection()->current()->artifact.artifact, std::string("dynamo"));
    }

    void theCacheSaysHitOrMissAndWhy() {
        RetraceBench bench;
        int traces = 0;
        bench.backend->onRetrace = [&traces](const aot::RetraceRequest& request, const session::TracePauses&,
                                             base::Progress&) {
            // Where the answer differs, backends that keep no mutations are tried too.
            traces += request.keepInputMutations ? 1 : 0;
            return traced();
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        QVERIFY(bench.retrace());
        QVERIFY(!panel->details()->toPlainText().contains(QStringLiteral("Cache")));
        panel->setCacheWanted(true);
        QVERIFY(bench.retrace());
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("Cache miss: not compiled before")));
        QCOMPARE(traces, 2);
        QVERIFY(bench.retrace());
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("Cache hit: from memory")));
        QCOMPARE(traces, 2);
        // Stages are traces of their own, which no entry holds.
        panel->setStagesWanted(true);
        QVERIFY(bench.retrace());
        QVERIFY(panel->details()->toPlainText().contains(
            QStringLiteral("Cache bypass: the request wants the graphs of the stages")));
        QCOMPARE(traces, 3);
    }

    void aTraceCanBeCanceled() {
        RetraceBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&,
                                      base::Progress& progress) -> base::Result<aot::RetraceResult> {
            while (!progress.stopRequested()) {
                QThread::msleep(1);
            }
            return base::canceledError();
        };
        QVERIFY(bench.openSample());
        RetracePanel* panel = bench.panel();
        panel->retraceCompile();
        QVERIFY(panel->running());
        panel->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!panel->running(), test::patience);
        QVERIFY(panel->results().empty());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_retrace, TestWindowRetrace)
#include "tst_window_retrace.moc"
