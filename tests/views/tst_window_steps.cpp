// The panels Events and Wrappers: what wraps a compiled function, calls of it, stepping forward and back, and
// the current point that all panels follow. Calls go to a fake backend that steps through a fixed record.
#include "support/fake_call.h"
#include "support/pictures.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/breakpoint_list.h"
#include "common/code_view.h"
#include "common/empty_page.h"
#include "common/log_list.h"
#include "partition/current_partition.h"
#include "retrace/retrace_panel.h"
#include "steps/alive_view.h"
#include "steps/current_call.h"
#include "steps/eager_view.h"
#include "steps/event_model.h"
#include "steps/events_panel.h"
#include "steps/stack_canvas.h"
#include "steps/step_bar.h"
#include "steps/value_model.h"
#include "steps/wrapper_text.h"
#include "steps/wrappers_panel.h"
#include "window/job_status.h"

#include <QAccessible>
#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QStatusBar>
#include <QTextBrowser>
#include <QTreeView>
#include <QTreeWidget>

#include <filesystem>
#include <future>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct StepsBench : test::WindowBench {
    StepsBench() { test::answerCalls(*backend); }

    [[nodiscard]] bool start() {
        return open(test::sampleLogPath()) &&
               QTest::qWaitFor(
                   [this] { return window->currentPartition()->snapshot() && !window->parts().jobs->busy(); },
                   test::patience);
    }
    void trigger(const char* action) const {
        QAction* found = window->action(QString::fromLatin1(action));
        QTRY_VERIFY2_WITH_TIMEOUT(found->isEnabled(), action, test::patience);
        found->trigger();
    }
    [[nodiscard]] CurrentCall* call() const { return window->parts().context.call; }
    [[nodiscard]] WrappersPanel* wrappers() const { return window->panel<WrappersPanel>(); }
    [[nodiscard]] EventsPanel* events() const { return window->panel<EventsPanel>(); }
    /// Shows the Wrappers panel and waits for the stack.
    [[nodiscard]] bool showStack() const {
        trigger("show-wrappers");
        return QTest::qWaitFor([this] { return !wrappers()->stack()->levels().empty(); }, test::patience);
    }
    [[nodiscard]] bool awaitCall() const {
        return QTest::qWaitFor([this] { return call()->function() && call()->function()->call; },
                               test::patience);
    }
    [[nodiscard]] bool awaitPause(std::size_t event) const {
        return QTest::qWaitFor([&] { return call()->paused() && call()->pause()->next == event; },
                               test::patience);
    }
    [[nodiscard]] bool awaitIdle() const {
        return QTest::qWaitFor([this] { return !call()->calling(); }, test::patience);
    }
    [[nodiscard]] std::size_t point() const { return call()->function()->event; }
};

/// The texts of a column from top to bottom, with two spaces per level.
QStringList columnOf(const QTreeView& view, int column, const QModelIndex& parent = {}, int depth = 0) {
    QStringList texts;
    for (int row = 0; row < view.model()->rowCount(parent); ++row) {
        const QModelIndex index = view.model()->index(row, 0, parent);
        texts.append(QString(depth * 2, QLatin1Char(' ')) + index.siblingAtColumn(column).data().toString());
        texts += columnOf(view, column, index, depth + 1);
    }
    return texts;
}

} // namespace

class WindowStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theStackIsShownWithoutACall() {
        StepsBench bench;
        QVERIFY(bench.start());
        QVERIFY(!bench.call()->function()->retraced);
        QVERIFY(bench.showStack());
        const auto& levels = bench.wrappers()->stack()->levels();
        QStringList names;
        for (const StackLevel& level : levels) {
            names.append((level.applies ? QString() : QStringLiteral("– ")) + level.name);
        }
        QCOMPARE(names,
                 (QStringList{QStringLiteral("– EffectTokensWrapper"), QStringLiteral("– AOTDedupeWrapper"),
                              QStringLiteral("AOTSyntheticBaseWrapper"),
                              QStringLiteral("AOTDispatchAutograd"), QStringLiteral("compiled graph")}));
        QCOMPARE(levels[0].reason, QStringLiteral("no operator has effects"));
        // The outermost that does something is at hand, with its state.
        QCOMPARE(bench.wrappers()->step(), std::optional<std::size_t>(1));
        const QString said = bench.wrappers()->details()->toPlainText();
        QVERIFY2(said.contains(QStringLiteral("arg 0 and arg 1 share memory")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("bases")), qPrintable(said));
        QVERIFY(!levels[2].nanoseconds);
        QVERIFY(bench.events()->findChild<EmptyPage*>()->isEmpty());
    }

    /// Another panel's trace is as good.
    void aReTraceTellsTheStackToo() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("retrace");
        QTRY_VERIFY_WITH_TIMEOUT(bench.call()->function()->retraced, test::patience);
        QCOMPARE(bench.wrappers()->stack()->levels().size(), std::size_t(5));
    }

    void aCallFillsBothPanels() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        QCOMPARE(columnOf(*bench.events()->view(), EventModel::Event),
                 (QStringList{QStringLiteral("Forward"), QStringLiteral("  AOTSyntheticBaseWrapper"),
                              QStringLiteral("    AOTDispatchAutograd"), QStringLiteral("      mm"),
                              QStringLiteral("      addmm"), QStringLiteral("      2 tensors"),
                              QStringLiteral("      AOTDispatchAutograd returns"),
                              QStringLiteral("    AOTSyntheticBaseWrapper returns"),
                              QStringLiteral("Backward"), QStringLiteral("  AOTDispatchAutograd"),
                              QStringLiteral("    mm_1"), QStringLiteral("    AOTDispatchAutograd returns"),
                              QStringLiteral("  gradient of primals_1")}));
        const QAbstractItemModel* model = bench.events()->model();
        QCOMPARE(model->headerData(EventModel::Time, Qt::Horizontal).toString(), QStringLiteral("µs"));
        // With all inside: 12 + 15 + 0.3 + 0.9 + 0.7.
        QCOMPARE(model->index(0, EventModel::Time).data().toString(), QStringLiteral("28.9"));
        QCOMPARE(bench.wrappers()->verdict(),
                 QStringLiteral("✓ Agrees with eager: 2 values, largest relative error 2.0e-07"));
        QCOMPARE(bench.wrappers()->eager()->values()->topLevelItemCount(), 2);

        // The outer wrapper, where the call begins, is at hand.
        const auto& sections = bench.wrappers()->values()->sections();
        QCOMPARE(sections.size(), std::size_t(3));
        QVERIFY(sections[0].summary.startsWith(QStringLiteral("3 → 2   1 aliased, ")));
        QCOMPARE(sections[0].rows[0].kind, steps::ValueChangeKind::Aliased);
        QCOMPARE(sections[0].rows[0].words, QStringLiteral("shares the storage of arg 0"));
        QCOMPARE(sections[2].rows[0].kind, steps::ValueChangeKind::DataMutated);
        const QAbstractItemModel* values = bench.wrappers()->values();
        const QModelIndex arguments = values->index(0, 0);
        const auto span = [&](int row, int column) {
            return bench.wrappers()->values()->spanAt(values->index(row, column, arguments));
        };
        // Bytes of its storage, from its offset of 12 elements.
        QCOMPARE(span(0, ValueModel::AfterStorage), std::optional(StorageSpan{1, 0, 96, 96}));
        QVERIFY(bench.wrappers()->values()->storageColor(1).isValid());
        QVERIFY(!bench.wrappers()->values()->storageColor(2).isValid());
        // What it did, as text and not as markup.
        const QString said = bench.wrappers()->details()->toPlainText();
        QVERIFY2(said.contains(QStringLiteral("made base 0 of arg 0 and arg 1")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("<b>copied</b> nothing")), qPrintable(said));
        QVERIFY2(said.contains(QStringLiteral("2.5 µs")), qPrintable(said));
        // Forward and backward of the inner one.
        const auto& levels = bench.wrappers()->stack()->levels();
        QCOMPARE(levels[3].nanoseconds, std::optional<std::int64_t>(9'000));
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            QVERIFY(bench.window->grab().toImage().save(test::artifactPath(
                dark ? QStringLiteral("wrappers-dark.png") : QStringLiteral("wrappers-light.png"))));
        }
    }

    /// And not the field beside the button, which the call disables.
    void aCallGivesTheStackTheKeyboard() {
        StepsBench bench;
        QVERIFY(bench.start());
        QVERIFY(bench.showStack());
        QPushButton* button = bench.wrappers()->bar()->button(QStringLiteral("call"));
        button->setFocus();
        button->click();
        QCOMPARE(bench.window->focusWidget(), static_cast<QWidget*>(bench.wrappers()->stack()));
        QVERIFY(bench.awaitCall());
        QVERIFY(bench.awaitIdle());
        QCOMPARE(bench.window->focusWidget(), static_cast<QWidget*>(bench.wrappers()->stack()));
    }

    void aWrapperIsChosenInTheStack() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        StackCanvas* stack = bench.wrappers()->stack();
        QTest::mouseClick(stack, Qt::LeftButton, {}, stack->headOf(3).center());
        QCOMPARE(bench.wrappers()->step(), std::optional<std::size_t>(0));
        QCOMPARE(bench.wrappers()->passages()->count(), 2);
        bench.wrappers()->passages()->setCurrentIndex(1);
        QVERIFY(bench.wrappers()->details()->toPlainText().contains(QStringLiteral("4.0 µs")));
        // One that does nothing says so in place of values.
        QTest::keyClick(stack, Qt::Key_Home);
        QCOMPARE(bench.wrappers()->step(), std::optional<std::size_t>(3));
        QVERIFY(bench.wrappers()->values()->sections().empty());
        QTest::keyClick(stack, Qt::Key_End);
        QVERIFY(!bench.wrappers()->step());
        QVERIFY(bench.wrappers()->details()->toPlainText().contains(QStringLiteral("Compiled graph")));
    }

    void differencesFromEagerComeFirst() {
        StepsBench bench;
        steps::CallRecord record = test::fakeCallRecord();
        record.eager->values.push_back({"gradient of arg 0", "requires_grad False, eager True", 0.5, false});
        record.eager->losses = {2.5, 1.25};
        record.eager->eagerLosses = {2.5, 1.0};
        test::answerCalls(*bench.backend, record);
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        QCOMPARE(bench.wrappers()->verdict(),
                 QStringLiteral("✗ Differs from eager in 1 of 3 values: gradient of arg 0"));
        bench.wrappers()->showPage(WrappersPanel::Page::Eager);
        const QTreeWidgetItem* first = bench.wrappers()->eager()->values()->topLevelItem(0);
        QCOMPARE(first->text(0), QStringLiteral("gradient of arg 0"));
        QCOMPARE(first->text(3), QStringLiteral("requires_grad False, eager True"));
        QCOMPARE(bench.wrappers()->eager()->losses()->topLevelItem(1)->text(3), QStringLiteral("2.5e-01"));
    }

    void aFunctionThatCannotBeCalledSaysWhy() {
        StepsBench bench;
        bench.backend->onCall = [](const session::CallRequest&, const steps::StepPauses&,
                                   base::Progress&) -> base::Result<steps::CallRecord> {
            base::Error error;
            error.code = "run.unsupported_input";
            error.message = "arg 0 is a <b>fake</b> stream.";
            return error;
        };
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        QVERIFY2(bench.wrappers()->verdict().contains(QStringLiteral("arg 0 is a <b>fake</b> stream.")),
                 qPrintable(bench.wrappers()->verdict()));
        QVERIFY(bench.events()->findChild<EmptyPage*>()->isEmpty());
    }

    void steppingMovesAllPanelsAndGoesBackInTime() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        QVERIFY(bench.window->dock(QStringLiteral("events"))->isVisible());
        QCOMPARE(bench.wrappers()->step(), std::optional<std::size_t>(1));
        // Into the wrappers, to the first node: it is selected in the forward half.
        bench.trigger("stepInto");
        QVERIFY(bench.awaitPause(1));
        QCOMPARE(bench.wrappers()->step(), std::optional<std::size_t>(0));
        bench.trigger("stepInto");
        QVERIFY(bench.awaitPause(2));
        const session::PartitionSnapshotPtr split = bench.window->currentPartition()->snapshot();
        QCOMPARE(bench.selectedNode(), std::string("mm"));
        QVERIFY(bench.window->selection()->current()->artifact == split->forward);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->node().valid(), test::patience);
        QCOMPARE(bench.events()->chosenEvent(), std::optional<std::size_t>(2));
        QCOMPARE(bench.events()->model()->indexOf(2, EventModel::Mark).data().toString(),
                 QStringLiteral("▶"));
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("before mm")));
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("4.0 KiB of 1.0 MiB kept")));
        QCOMPARE(bench.wrappers()->alive()->topLevelItem(0)->text(5), QStringLiteral("3"));
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            QVERIFY(bench.window->grab().toImage().save(test::artifactPath(
                dark ? QStringLiteral("steps-dark.png") : QStringLiteral("steps-light.png"))));
        }
        // Out of the wrapper, back over it, on to the backward: there its half is shown.
        bench.trigger("stepOut");
        QVERIFY(bench.awaitPause(5));
        bench.trigger("stepBack");
        QVERIFY(bench.awaitPause(1));
        bench.trigger("stepBackInto");
        QVERIFY(bench.awaitPause(0));
        QVERIFY(!bench.window->action(QStringLiteral("stepBack"))->isEnabled());
        bench.trigger("stepOperator"); // Over the outermost wrapper.
        QVERIFY(bench.awaitPause(6));
        bench.call()->goTo(8);
        QVERIFY(bench.awaitPause(8));
        QCOMPARE(bench.selectedNode(), std::string("mm_1"));
        QVERIFY(bench.window->selection()->current()->artifact == split->backward);
        bench.trigger("resumeBack");
        QVERIFY(bench.awaitPause(0));
        // F5 goes to the end, where one can still go back, and then ends.
        bench.trigger("run");
        QVERIFY(bench.awaitPause(11));
        bench.trigger("run");
        QVERIFY(bench.awaitIdle());
        QVERIFY(bench.call()->function()->call);
        QCOMPARE(bench.point(), std::size_t(11));
    }

    /// Only the newest place is gone to, and one answer is given at a time.
    void theSliderIsDragged() {
        StepsBench bench;
        std::promise<void> goOn;
        const std::shared_future<void> may = goOn.get_future().share();
        std::vector<std::size_t> asked;
        bench.backend->onCall = [&](const session::CallRequest&, const steps::StepPauses& pauses,
                                    base::Progress&) {
            steps::StepPauses slow = pauses;
            slow.onPause = [&](steps::StepPause pause) {
                steps::StepAnswer answer = pauses.onPause(std::move(pause));
                if (answer.kind == steps::StepAnswer::Kind::RunTo) {
                    asked.push_back(answer.event);
                    may.wait();
                }
                return answer;
            };
            return test::stepThrough(test::fakeCallRecord(), slow);
        };
        QVERIFY(bench.start());
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        // The whole call is known once it was gone through.
        bench.trigger("run");
        QVERIFY(bench.awaitPause(11));
        QSlider* slider = bench.wrappers()->bar()->slider();
        QCOMPARE(slider->maximum(), 11);
        for (const int place : {9, 7, 5, 3, 2}) {
            slider->setValue(place);
            QCoreApplication::processEvents();
        }
        QCOMPARE(bench.call()->wanted(), std::optional<std::size_t>(2));
        goOn.set_value();
        QVERIFY(bench.awaitPause(2));
        QVERIFY(!bench.call()->wanted());
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
        QCOMPARE(asked, (std::vector<std::size_t>{9, 2}));
    }

    void aRecordedCallIsSteppedThroughWithoutTheEngine() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        bench.trigger("stepInto");
        QCOMPARE(bench.point(), std::size_t(1));
        bench.trigger("stepOut");
        QCOMPARE(bench.point(), std::size_t(6));
        bench.trigger("stepBack");
        QCOMPARE(bench.point(), std::size_t(0));
        // A click on a row goes there, and selects its node.
        QTreeView* view = bench.events()->view();
        const QModelIndex row = bench.events()->model()->indexOf(3);
        view->scrollTo(row);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(row).center());
        QCOMPARE(bench.point(), std::size_t(3));
        QCOMPARE(bench.selectedNode(), std::string("addmm"));
        // A node that is selected elsewhere is the chosen row; the point stays.
        bench.window->selection()->select({bench.window->selection()->current()->artifact, "mm"});
        QCOMPARE(bench.events()->chosenEvent(), std::optional<std::size_t>(2));
        QCOMPARE(bench.point(), std::size_t(3));
        bench.trigger("runToCursor");
        QCOMPARE(bench.point(), std::size_t(2));
    }

    void breakpointsAreSetAtRowsAndAsText() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        bench.window->activateWindow();
        bench.trigger("show-events");
        QVERIFY(bench.window->dock(QStringLiteral("events"))->isAncestorOf(bench.window->focusWidget()));
        QTreeView* view = bench.events()->view();
        view->setCurrentIndex(bench.events()->model()->indexOf(3));
        bench.trigger("toggleBreakpoint");
        QCOMPARE(bench.events()->breakpointField()->text(), QStringLiteral("node:addmm"));
        QCOMPARE(bench.events()->model()->indexOf(3, EventModel::Mark).data().toString(),
                 QStringLiteral("●"));
        // The margin of Text has none of it.
        QVERIFY(bench.window->breakpoints()->all().empty());
        view->setCurrentIndex(bench.events()->model()->indexOf(4));
        bench.trigger("toggleBreakpoint");
        QVERIFY(bench.window->statusBar()->currentMessage().contains(
            QStringLiteral("wrapper's entry or a node")));

        QLineEdit* field = bench.events()->breakpointField();
        field->setText(QStringLiteral("op:mm, wherever"));
        Q_EMIT field->editingFinished();
        QCOMPARE(bench.call()->breakpoints().size(), std::size_t(1));
        field->setText(QStringLiteral("op:mm, nan"));
        Q_EMIT field->editingFinished();
        QCOMPARE(bench.call()->breakpoints().size(), std::size_t(2));
        QCOMPARE(bench.events()->model()->indexOf(8, EventModel::Mark).data().toString(),
                 QStringLiteral("●"));
        // Calls pause there.
        bench.trigger("call");
        QVERIFY(bench.awaitPause(2));
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("breakpoint op:mm")));
        bench.trigger("run");
        QVERIFY(bench.awaitPause(8));
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
        bench.trigger("show-wrappers");
        bench.wrappers()->stack()->chooseItem(2);
        bench.trigger("toggleBreakpoint");
        QCOMPARE(bench.call()->breakpoints().back().toText(), std::string("wrapper:AOTSyntheticBaseWrapper"));
        QVERIFY(bench.wrappers()->stack()->levels()[2].isBreakpoint);
    }

    void breakpointsAndFiltersAreRemembered() {
        {
            StepsBench bench;
            QVERIFY(bench.start());
            bench.call()->setBreakpoints({*steps::StepBreakpoint::parse("above:1e4")});
            bench.events()->filterField()->setText(QStringLiteral("kind:node"));
            bench.window->close();
        }
        StepsBench again;
        QVERIFY(again.start());
        QCOMPARE(again.call()->breakpoints().size(), std::size_t(1));
        QCOMPARE(again.events()->filterField()->text(), QStringLiteral("kind:node"));
        again.trigger("call");
        QVERIFY(again.awaitPause(11));
        QCOMPARE(again.events()->model()->tree().matching, std::size_t(3));
    }

    void theFilterChoosesEvents_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("matching");
        QTest::newRow("words") << QStringLiteral("MM") << 3;
        QTest::newRow("expression") << QStringLiteral("/^mm/") << 2;
        QTest::newRow("kind") << QStringLiteral("kind:backward") << 1;
        QTest::newRow("both") << QStringLiteral("kind:node /^mm$/") << 1;
        QTest::newRow("not") << QStringLiteral("-kind:wrapper -kind:node") << 2;
        QTest::newRow("time") << QStringLiteral("time>14us") << 2;
        QTest::newRow("quoted") << QStringLiteral("\"2 tensors\"") << 1;
        QTest::newRow("nothing") << QStringLiteral("nothing has this") << 0;
        // Such lines leave the rows as they were, and say what is wrong.
        QTest::newRow("bad kind") << QStringLiteral("kind:wrong") << -1;
        QTest::newRow("bad expression") << QStringLiteral("/(/") << -1;
        QTest::newRow("bad time") << QStringLiteral("time>soon") << -1;
    }
    void theFilterChoosesEvents() {
        QFETCH(QString, line);
        QFETCH(int, matching);
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        bench.events()->filterField()->setText(line);
        QCOMPARE(int(bench.events()->model()->tree().matching), matching < 0 ? 11 : matching);
        // What is around them is there, too, and nothing else.
        for (const EventRow& row : bench.events()->model()->tree().rows) {
            QVERIFY(row.matches || !row.children.empty());
        }
        const QString footer = bench.events()->said();
        QVERIFY2(footer.contains(QStringLiteral("11 events")), qPrintable(footer));
    }

    void theCallsOfATrainingLoopAreApart() {
        StepsBench bench;
        steps::CallRecord record = test::fakeCallRecord();
        const std::vector<steps::CallEvent> once = record.events;
        const std::vector<steps::WrapperCall> wrappers = record.wrappers;
        for (steps::CallEvent event : once) {
            event.call = 1;
            if (event.wrapper) {
                *event.wrapper += wrappers.size();
            }
            record.events.push_back(event);
        }
        for (steps::WrapperCall call : wrappers) {
            call.call = 1;
            call.entry += once.size();
            *call.exit += once.size();
            record.wrappers.push_back(call);
        }
        std::promise<session::CallOptions> options;
        bench.backend->onCall = [&](const session::CallRequest& request, const steps::StepPauses&,
                                    base::Progress&) -> base::Result<steps::CallRecord> {
            options.set_value(request.options);
            return record;
        };
        QVERIFY(bench.start());
        bench.wrappers()->bar()->callsField()->setText(QStringLiteral("2"));
        bench.wrappers()->bar()->rateField()->setText(QStringLiteral("0.1"));
        bench.wrappers()->bar()->seedField()->setText(QStringLiteral("7"));
        // A place chosen as soon as the answer is there, before the job ended.
        const auto chosen = connect(bench.call(), &CurrentCall::callChanged, this, [&bench] {
            if (bench.call()->function()->call && bench.call()->calling()) {
                bench.call()->goTo(13);
            }
        });
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        disconnect(chosen);
        QCOMPARE(bench.point(), std::size_t(13));
        QCOMPARE(bench.wrappers()->passages()->currentText(), QStringLiteral("call 2, forward"));
        bench.call()->goTo(0);
        QCOMPARE(bench.wrappers()->passages()->currentText(), QStringLiteral("call 1, forward"));
        const session::CallOptions given = options.get_future().get();
        QCOMPARE(given.calls, std::size_t(2));
        QCOMPARE(given.seed, std::uint64_t(7));
        QCOMPARE(given.learningRate, std::optional(0.1));
        const QStringList rows = columnOf(*bench.events()->view(), EventModel::Event);
        QCOMPARE(rows.front(), QStringLiteral("Call 1"));
        QVERIFY(rows.contains(QStringLiteral("Call 2")));
        bench.call()->goTo(13);
        QCOMPARE(bench.wrappers()->passages()->currentText(), QStringLiteral("call 2, forward"));
        // A field that cannot be read calls nothing.
        QVERIFY(bench.awaitIdle());
        bench.wrappers()->bar()->callsField()->setText(QStringLiteral("many"));
        bench.wrappers()->call(false);
        QVERIFY(!bench.call()->calling());
        QVERIFY(bench.wrappers()->bar()->said().contains(QStringLiteral("many")));
    }

    /// The point of each function is kept while another is looked at.
    void browsingKeepsThePointWithTheCompile() {
        const test::TempFolder folder;
        const std::filesystem::path other = folder.path() / "rank_1.log";
        std::filesystem::copy_file(test::sampleLogPath().toStdString(), other);
        StepsBench bench;
        bench.window->show();
        bench.window->openPaths({test::sampleLogPath(), QString::fromStdString(other.string())});
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->logs()->logs().size() == 2 &&
                                     bench.window->currentPartition()->snapshot() &&
                                     !bench.window->parts().jobs->busy(),
                                 test::patience);
        const session::ArtifactReference here = bench.sibling("joint");
        session::ArtifactReference there = here;
        for (const auto& [number, log] : bench.window->logs()->logs()) {
            there.log = number != here.log ? number : there.log;
        }
        QVERIFY(there.log != here.log);
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        bench.trigger("stepInto");
        QVERIFY(bench.awaitPause(1));
        QVERIFY(bench.select(there));
        QVERIFY(!bench.call()->function()->record());
        QVERIFY(bench.events()->findChild<EmptyPage*>()->isEmpty());
        QVERIFY(
            bench.wrappers()->bar()->said().contains(QStringLiteral("another function's call is paused")));
        QVERIFY(!bench.wrappers()->bar()->button(QStringLiteral("call"))->isEnabled());
        QVERIFY(bench.select(here));
        QCOMPARE(bench.point(), std::size_t(1));
        QVERIFY(bench.call()->isCallShown() && bench.call()->paused());
        QCOMPARE(bench.events()->model()->current(), std::optional<std::size_t>(1));
        // With its log the call ends.
        bench.engine.send(session::CloseLog{here.log});
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->logs()->logs().size(), std::size_t(1), test::patience);
        QVERIFY(!bench.call()->paused());
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
    }

    /// Both can be paused at once: keys go where the keyboard is, else to what paused last.
    void keysGoToWhatIsPaused() {
        StepsBench bench;
        bench.backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses& pauses,
                                      base::Progress&) -> base::Result<aot::RetraceResult> {
            session::TracePause pause;
            pause.reason = "step";
            pause.node = "mm";
            while (pauses.wanted()) {
                const session::PauseAnswer answer = pauses.onPause(pause);
                if (answer.kind == session::PauseAnswer::Kind::Abort) {
                    return base::canceledError();
                }
                if (answer.kind == session::PauseAnswer::Kind::Resume) {
                    break;
                }
            }
            return test::fakeRetrace();
        };
        QVERIFY(bench.start());
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        QCOMPARE(bench.window->action(QStringLiteral("run"))->text(), QStringLiteral("&Resume the call"));
        auto* retrace = bench.window->panel<RetracePanel>();
        QVERIFY(!retrace->paused());
        bench.trigger("stepOperator");
        QVERIFY(bench.awaitPause(6));
        QVERIFY(!retrace->running());
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
        // Nothing is paused: from the Re-trace panel F10 begins a trace.
        bench.trigger("show-retrace");
        bench.trigger("stepOperator");
        QTRY_VERIFY_WITH_TIMEOUT(retrace->paused(), test::patience);
        QCOMPARE(bench.window->action(QStringLiteral("run"))->text(), QStringLiteral("&Resume the trace"));
        bench.trigger("run");
        QTRY_VERIFY_WITH_TIMEOUT(!retrace->running(), test::patience);
        // And from the panels of calls a call.
        bench.trigger("show-wrappers");
        bench.trigger("stepOperator");
        QVERIFY(bench.awaitPause(0));
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
    }

    void aTensorSpansItsStorageFromFirstToLastElement() {
        steps::ValueState value = test::valueOn("x", 1, 7, 400, 5, 10);
        QCOMPARE(spanOf(value), std::optional(StorageSpan{7, 40, 60, 400}));
        value.meta->shape = {3, 2};
        value.meta->stride = ir::SymInts{20, 1}; // Every tenth pair.
        QCOMPARE(spanOf(value), std::optional(StorageSpan{7, 40, 40 + (2 * 20 + 1 + 1) * 4, 400}));
        value.meta->shape = {3, 1'000};
        value.meta->stride = ir::SymInts{1, 0}; // Expanded.
        QCOMPARE(spanOf(value), std::optional(StorageSpan{7, 40, 52, 400}));
        value.meta->shape = {0, 2};
        QCOMPARE(spanOf(value), std::nullopt);
        QCOMPARE(spanOf(steps::ValueState()), std::nullopt);
    }

    void whatTakesAnothersPlaceReplacesIt() {
        steps::WrapperCall call;
        call.arguments = {test::valueOn("arg 0", 1, 1, 16, 4), test::valueOn("arg 1", 2, 2, 16, 4),
                          test::valueOn("arg 2", 3, 3, 16, 4)};
        call.passedOn = {call.arguments[0], test::valueOn("arg 1 detached", 4, 2, 16, 4),
                         test::valueOn("seed", 5, 5, 8, 2)};
        const std::vector<ValueSection> sections = valueSections(call);
        QCOMPARE(sections.size(), std::size_t(1));
        using Kind = steps::ValueChangeKind;
        const auto& rows = sections[0].rows;
        QCOMPARE(rows[0].kind, Kind::Unchanged);
        QCOMPARE(rows[1].kind, Kind::Aliased);
        QCOMPARE(rows[2].kind, Kind::Added);
        QCOMPARE(rows[2].before->name, std::string("arg 2"));
        QVERIFY2(sections[0].summary.contains(QStringLiteral("1 replaced")), qPrintable(sections[0].summary));
        // The tensor that was detached is no longer passed itself.
        QCOMPARE(rows.size(), std::size_t(4));
        QCOMPARE(rows[3].kind, Kind::Removed);
    }

    void theGeneratedCodeIsThatOfTheWrapper() {
        session::RetraceSnapshot traced;
        traced.result = test::fakeRetrace();
        traced.result->wrappers.push_back({aot::RuntimeWrapper{}, true, "always"});
        traced.wrapperSources = {{"mutation_epilogue", "def epilogue(): ...", 1},
                                 {"something_else", "no", 9}};
        CalledFunction function;
        function.retraced = std::make_shared<const session::RetraceSnapshot>(std::move(traced));
        QCOMPARE(wrapperSource(function, 4), QStringLiteral("# mutation_epilogue\ndef epilogue(): ..."));
        QCOMPARE(wrapperSource(function, 2), QString());
    }

    void aScreenReaderFindsTheStack() {
        StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        const QAccessibleInterface* list = QAccessible::queryAccessibleInterface(bench.wrappers()->stack());
        QVERIFY(list);
        QCOMPARE(list->childCount(), 5);
        QCOMPARE(list->child(2)->text(QAccessible::Name), QStringLiteral("AOTSyntheticBaseWrapper"));
        const QString said = list->child(2)->text(QAccessible::Description);
        QVERIFY2(said.contains(QStringLiteral("2.5 µs")) &&
                     said.contains(QStringLiteral("the current point is here")),
                 qPrintable(said));
    }

    void theWindowClosesWhileACallIsPaused() {
        auto bench = std::make_unique<StepsBench>();
        QVERIFY(bench->start());
        bench->trigger("stepThrough");
        QVERIFY(bench->awaitPause(0));
        bench->window->close();
        bench.reset();
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_steps, WindowStepsTest)
#include "tst_window_steps.moc"
