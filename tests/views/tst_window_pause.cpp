// Breakpoints in the window: set in the Text panel, reached by a re-trace, answered with keys and buttons.
#include "support/pictures.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/breakpoint_list.h"
#include "common/code_view.h"
#include "ir/text/parser.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "retrace/pause_view.h"
#include "retrace/retrace_panel.h"
#include "window/job_status.h"

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QStatusBar>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

#include <future>

using namespace aotscope;
using namespace aotscope::views;
using session::PauseAnswer;

namespace {

constexpr const char* partialText = R"(class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[s0, 4][4, 1]cpu"):
        relu: "f32[s0, 4][4, 1]cpu" = torch.ops.aten.relu.default(primals_1);  primals_1 = None
        return (relu,)
)";

constexpr const char* programText = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2][1]cpu"):
        # File: /home/me/model.py:41 in forward, code: x = self.act(x)
        relu: "f32[2][1]cpu" = torch.relu(x);  x = None
        return (relu,)
)";

/// What a test knows of a trace that pauses until it is resumed or ended.
struct Seen {
    std::mutex mutex;
    std::vector<session::Breakpoint> breakpoints;
    std::vector<PauseAnswer> answers;
};

base::Result<aot::RetraceResult> traceWithPauses(const session::TracePauses& pauses, Seen& seen) {
    session::TracePause pause;
    pause.reason = "breakpoint op:mm";
    pause.phase = session::TracePhase::Forward;
    pause.graph = *ir::parseGraphText(partialText);
    pause.node = "mm";
    pause.call = "torch.ops.aten.mm.default(relu, t)";
    pause.programNode = "linear";
    pause.source = ir::SourceLocation{"/home/me/model.py", 41, "forward", "x = self.fc(x)"};
    pause.symbols = {{"s0", 8, {}}};
    {
        // Traces for other backends, which follow one that differs, are never paused.
        const std::lock_guard lock(seen.mutex);
        seen.breakpoints = pauses.breakpoints.empty() ? seen.breakpoints : pauses.breakpoints;
    }
    while (pauses.wanted()) {
        const PauseAnswer answer = pauses.onPause(pause);
        {
            const std::lock_guard lock(seen.mutex);
            seen.answers.push_back(answer);
        }
        if (answer.kind == PauseAnswer::Kind::Abort) {
            return base::canceledError();
        }
        if (answer.kind == PauseAnswer::Kind::Resume) {
            break;
        }
        const bool refused = answer.kind == PauseAnswer::Kind::AddFact && answer.fact != "Eq(s0, 8)";
        pause.refused = refused ? "\"" + answer.fact + "\" does not hold" : "";
        if (answer.kind == PauseAnswer::Kind::AddFact && !refused) {
            pause.symbols[0].replacedBy = "8";
            pause.guards = {
                {.expression = ir::SymExpr(answer.fact), .node = {}, .source = {}, .byUser = true}};
        }
    }
    aot::RetraceResult result;
    result.function.graph = *ir::parseGraphText(partialText);
    result.function.reason = "no input requires grad";
    return result;
}

struct PauseBench : test::WindowBench {
    PauseBench() {
        backend->onRetrace = [this](const aot::RetraceRequest&, const session::TracePauses& pauses,
                                    base::Progress&) { return traceWithPauses(pauses, seen); };
    }
    void trigger(const char* action) { window->action(QString::fromLatin1(action))->trigger(); }
    [[nodiscard]] RetracePanel* panel() const { return window->panel<RetracePanel>(); }
    [[nodiscard]] bool awaitPause(std::uint64_t number) const {
        return QTest::qWaitFor([&] { return panel()->paused() && panel()->pause()->number == number; },
                               test::patience);
    }
    [[nodiscard]] bool awaitEnd() const {
        return QTest::qWaitFor([&] { return !panel()->running(); }, test::patience);
    }
    Seen seen;
};

int lineWith(const CodeView& view, QStringView part) {
    for (int line = 0; line < view.lineCount(); ++line) {
        if (view.line(line).contains(part)) {
            return line;
        }
    }
    return -1;
}

} // namespace

class TestWindowPause : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    /// Somebody who thinks about a pause may run a graph meanwhile.
    void aGraphIsRunWhileATraceIsPaused() {
        PauseBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.trigger("stepOperator");
        QVERIFY(bench.awaitPause(1));
        QVERIFY(bench.select(bench.sibling("joint")));
        bench.window->panel<RunPanel>()->run();
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->run() != nullptr, test::patience);
        QVERIFY(bench.panel()->paused());
    }

    void aRunThatWaitsForATraceSaysSo() {
        std::promise<void> goOn;
        const std::shared_future<void> may = goOn.get_future().share();
        PauseBench bench;
        bench.backend->onRetrace = [&](const aot::RetraceRequest&, const session::TracePauses& pauses,
                                       base::Progress&) {
            may.wait();
            return traceWithPauses(pauses, bench.seen);
        };
        QVERIFY(bench.open(test::sampleLogPath()));
        QVERIFY(bench.select(bench.sibling("joint")));
        bench.trigger("retrace");
        auto* panel = bench.window->panel<RunPanel>();
        const auto waits = [&] {
            panel->run();
            return QTest::qWaitFor(
                [&] { return panel->summary().contains(QStringLiteral("Waits for the re-trace")); },
                test::patience);
        };
        QVERIFY2(waits(), qPrintable(panel->summary()));
        // What is canceled is the run, now; the trace goes on.
        panel->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(panel->summary(), QStringLiteral("Canceled."), test::patience);
        QVERIFY(bench.panel()->running());
        QCOMPARE(bench.backend->started.load(), 0);
        QVERIFY2(waits(), qPrintable(panel->summary()));
        goOn.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->run() != nullptr, test::patience);
    }

    void aPauseTakesTheKeyboardFromTheButtons() {
        PauseBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.trigger("show-retrace");
        QPushButton* begin = nullptr;
        for (QPushButton* button : bench.panel()->findChildren<QPushButton*>()) {
            begin = button->text() == QStringLiteral("Re-trace compile") ? button : begin;
        }
        QVERIFY(begin != nullptr);
        begin->setFocus();
        bench.panel()->moveCompile();
        QVERIFY(bench.awaitPause(1));
        // Also while the window is not the active one, as here where no window manager makes it that.
        QCOMPARE(bench.window->focusWidget(), static_cast<QWidget*>(bench.panel()->pauseView()->factField()));
        bench.panel()->cancel();
        QVERIFY(bench.awaitEnd());
    }

    void theMarginSetsAndTakesBreakpoints() {
        const test::TempFolder folder;
        PauseBench bench;
        QVERIFY(bench.open(folder.write("program.txt", programText).string()));
        CodeView* view = bench.window->panel<TextPanel>()->view();
        QTRY_VERIFY_WITH_TIMEOUT(lineWith(*view, u"relu: ") > 0, test::patience);
        const int node = lineWith(*view, u"relu: ");
        const int source = lineWith(*view, u"# File: ");
        QVERIFY(source > 0);
        view->setCurrentLine(node);
        bench.trigger("toggleBreakpoint");
        const auto& all = bench.window->breakpoints()->all();
        QCOMPARE(all.size(), std::size_t(1));
        QCOMPARE(all.front().toText(), std::string("program:relu"));
        QCOMPARE(view->dots(), std::vector<int>{node});
        // By a click beside the line of a source comment.
        const int height = QFontMetrics(view->font()).height() * 6 / 5;
        const int row = source - view->verticalScrollBar()->value();
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, {4, row * height + height / 2});
        QCOMPARE(all.size(), std::size_t(2));
        QCOMPARE(all.back().toText(), std::string("/home/me/model.py:41"));
        QCOMPARE(view->dots(), (std::vector<int>{source, node}));
        // A line that stands for no place.
        Q_EMIT view->marginClicked(0);
        QCOMPARE(all.size(), std::size_t(2));
        QVERIFY(bench.window->statusBar()->currentMessage().contains(QStringLiteral("source comment")));
        Q_EMIT view->marginClicked(source);
        QCOMPARE(view->dots(), std::vector<int>{node});
    }

    void nodesOfTracedGraphsGoByTheirOwnName() {
        PauseBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        QVERIFY(bench.select(bench.sibling("joint")));
        CodeView* view = bench.window->panel<TextPanel>()->view();
        Q_EMIT view->marginClicked(lineWith(*view, u"addmm: "));
        const auto& all = bench.window->breakpoints()->all();
        QCOMPARE(all.size(), std::size_t(1));
        QCOMPARE(all.front().toText(), std::string("node:addmm"));
        // Of the program the same name is another node.
        QVERIFY(bench.select(bench.sibling("dynamo")));
        QVERIFY(view->dots().empty());
        bench.window->breakpoints()->toggle(*session::Breakpoint::parse("program:linear"));
        QCOMPARE(view->dots(), std::vector<int>{lineWith(*view, u"linear: ")});
    }

    void aPausedTraceIsShownAndAnswered() {
        PauseBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.window->breakpoints()->toggle(*session::Breakpoint::parse("op:mm"));
        bench.trigger("retrace");
        QVERIFY(bench.awaitPause(1));
        PauseView* view = bench.panel()->pauseView();
        QVERIFY(view->isVisible());
        for (const char* part : {"breakpoint op:mm", "forward", "mm = torch.ops.aten.mm.default(relu, t)",
                                 "model.py:41", "linear"}) {
            QVERIFY2(view->said().contains(QString::fromLatin1(part)), part);
        }
        QCOMPARE(view->facts()->topLevelItem(0)->text(0), QStringLiteral("s0"));
        // What is recorded so far is the shown graph.
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph() != nullptr, test::patience);
        QVERIFY(bench.window->currentGraph()->graph()->reference.artifact.starts_with("paused 1"));
        QVERIFY(bench.window->panel<TextPanel>()->view()->text().contains(QStringLiteral("relu")));
        QCOMPARE(view->factField()->placeholderText(), QStringLiteral("fact: Eq(s0, 8), s0 >= 2"));
        // The last node is where it stands, and in sight.
        QCOMPARE(bench.selectedNode(), std::string("relu"));
        CodeView* code = bench.window->panel<TextPanel>()->view();
        QTRY_COMPARE_WITH_TIMEOUT(code->currentLine(), lineWith(*code, u"relu: "), test::patience);
        QVERIFY(!bench.panel()->details()->isVisible());

        // Nothing goes on meanwhile, and the status bar says so.
        const JobStatus* status = bench.window->parts().jobs;
        QTRY_COMPARE_WITH_TIMEOUT(status->label()->text(),
                                  QStringLiteral("Paused · 0/0 before mm, model.py:41"), test::patience);
        QVERIFY(status->label()->isVisible() && status->cancelButton()->isVisible());
        QVERIFY(!status->findChild<QProgressBar*>()->isVisible());

        bench.trigger("stepOperator");
        QVERIFY(bench.awaitPause(2));
        bench.trigger("stepProgramNode");
        QVERIFY(bench.awaitPause(3));
        bench.trigger("stepLine");
        QVERIFY(bench.awaitPause(4));
        QTest::keyClicks(view->factField(), QStringLiteral("Eq(s0, 9)"));
        QTest::keyClick(view->factField(), Qt::Key_Return);
        QVERIFY(bench.awaitPause(5));
        QVERIFY(view->said().contains(QStringLiteral("does not hold")));
        QCOMPARE(view->factField()->text(), QStringLiteral("Eq(s0, 9)"));
        view->factField()->setText(QStringLiteral("Eq(s0, 8)"));
        QTest::keyClick(view->factField(), Qt::Key_Return);
        QVERIFY(bench.awaitPause(6));
        QCOMPARE(view->facts()->topLevelItem(0)->text(1), QStringLiteral("8"));
        QCOMPARE(view->facts()->topLevelItem(1)->text(0), QStringLiteral("Eq(s0, 8)"));
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = bench.window->grab().toImage();
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("retrace-paused-dark.png")
                                                         : QStringLiteral("retrace-paused-light.png"))));
        }

        // A breakpoint set meanwhile is known to the trace; F5 goes on.
        bench.window->breakpoints()->toggle(*session::Breakpoint::parse("guard"));
        bench.trigger("run");
        QVERIFY(bench.awaitEnd());
        QVERIFY(!view->isVisible());
        QVERIFY(bench.panel()->details()->isVisible());
        QCOMPARE(bench.panel()->results().size(), std::size_t(1));
        // In place of the graph that grew, the whole one.
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.window->selection()->current()->artifact.artifact.starts_with("retraced"), test::patience);
        const std::lock_guard lock(bench.seen.mutex);
        std::vector<PauseAnswer::Kind> kinds;
        for (const PauseAnswer& answer : bench.seen.answers) {
            kinds.push_back(answer.kind);
        }
        using Kind = PauseAnswer::Kind;
        QVERIFY((kinds == std::vector<Kind>{Kind::NextOperator, Kind::NextProgramNode, Kind::NextLine,
                                            Kind::AddFact, Kind::AddFact, Kind::Resume}));
        QCOMPARE(bench.seen.breakpoints.size(), std::size_t(1));
        QCOMPARE(bench.seen.answers.back().breakpoints->size(), std::size_t(2));
    }

    void steppingBeginsATraceThatIsPaused() {
        PauseBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        QVERIFY(!bench.window->action(QStringLiteral("stepLine"))->isEnabled());
        bench.trigger("stepOperator");
        QVERIFY(bench.awaitPause(1));
        QVERIFY(bench.window->action(QStringLiteral("stepLine"))->isEnabled());
        bench.panel()->cancel();
        QVERIFY(bench.awaitEnd());
        QVERIFY(!bench.panel()->paused());
        QVERIFY(bench.panel()->results().empty());
    }

    void withoutBreakpointsNothingPauses() {
        PauseBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        bench.trigger("retrace");
        QVERIFY(bench.awaitEnd());
        const std::lock_guard lock(bench.seen.mutex);
        QVERIFY(bench.seen.answers.empty());
    }

    void theWindowClosesWhileATraceIsPaused() {
        auto bench = std::make_unique<PauseBench>();
        QVERIFY(bench->open(test::sampleLogPath()));
        bench->trigger("stepOperator");
        QVERIFY(bench->awaitPause(1));
        bench->window->close();
        bench.reset();
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_pause, TestWindowPause)
#include "tst_window_pause.moc"
