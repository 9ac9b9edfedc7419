// Stepping through a call forward and back in time, and the current point that all panels follow. Calls go to
// a fake backend that steps through a fixed record.
#include "steps_bench.h"
#include "support/pictures.h"
#include "support/temp_folder.h"

#include "common/breakpoint_list.h"
#include "common/code_view.h"
#include "common/empty_page.h"
#include "common/log_list.h"
#include "retrace/retrace_panel.h"
#include "steps/alive_view.h"
#include "steps/event_model.h"
#include "steps/step_bar.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QStatusBar>
#include <QTreeWidget>

#include <filesystem>
#include <future>
#include <utility>

using namespace aotscope;
using namespace aotscope::views;

class WindowStepsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void steppingMovesAllPanelsAndGoesBackInTime() {
        test::StepsBench bench;
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
        test::StepsBench bench;
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
        test::StepsBench bench;
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
        test::StepsBench bench;
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
            QStringLiteral("No breakpoint possible here")));

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
            test::StepsBench bench;
            QVERIFY(bench.start());
            bench.call()->setBreakpoints({*steps::StepBreakpoint::parse("above:1e4")});
            bench.events()->filterField()->setText(QStringLiteral("kind:node"));
            bench.window->close();
        }
        test::StepsBench again;
        QVERIFY(again.start());
        QCOMPARE(again.call()->breakpoints().size(), std::size_t(1));
        QCOMPARE(again.events()->filterField()->text(), QStringLiteral("kind:node"));
        again.trigger("call");
        QVERIFY(again.awaitPause(11));
        QCOMPARE(again.events()->model()->tree().matching, std::size_t(3));
    }

    /// The point of each function is kept while another is looked at.
    void browsingKeepsThePointWithTheCompile() {
        const test::TempFolder folder;
        const std::filesystem::path other = folder.path() / "rank_1.log";
        std::filesystem::copy_file(test::sampleLogPath().toStdString(), other);
        test::StepsBench bench;
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
        test::StepsBench bench;
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

    void keysAreThoseOfDebuggers() {
        test::StepsBench bench;
        const std::pair<const char*, QKeySequence> keys[] = {{"stepOperator", Qt::Key_F10},
                                                             {"stepBack", Qt::SHIFT | Qt::Key_F10},
                                                             {"stepInto", Qt::Key_F11},
                                                             {"stepOut", Qt::SHIFT | Qt::Key_F11},
                                                             {"run", Qt::Key_F5},
                                                             {"toggleBreakpoint", Qt::Key_F9},
                                                             {"runToCursor", Qt::CTRL | Qt::Key_F10}};
        for (const auto& [name, key] : keys) {
            const QAction* action = bench.window->action(QString::fromLatin1(name));
            QVERIFY2(action != nullptr, name);
            QVERIFY2(action->shortcuts().contains(key), name);
        }
    }

    void anOperatorThatCannotBeRepeatedSaysSo() {
        test::StepsBench bench;
        bench.backend->onCall = [](const session::CallRequest&, const steps::StepPauses& pauses,
                                   base::Progress&) {
            steps::StepPauses noted = pauses;
            bool wasFurther = false;
            noted.onPause = [&](steps::StepPause pause) {
                if (wasFurther) {
                    pause.notes = {"The node <b>mm</b> cannot be repeated.", "The node addmm neither."};
                }
                wasFurther = wasFurther || pause.next > 1;
                return pauses.onPause(std::move(pause));
            };
            return test::stepThrough(test::fakeCallRecord(), noted);
        };
        QVERIFY(bench.start());
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        bench.call()->goTo(4);
        QVERIFY(bench.awaitPause(4));
        const QString before = bench.wrappers()->bar()->said();
        QVERIFY2(!before.contains(QStringLiteral("cannot be repeated")), qPrintable(before));
        bench.call()->goTo(2);
        QVERIFY(bench.awaitPause(2));
        const QString said = bench.wrappers()->bar()->said();
        QVERIFY2(said.contains(QStringLiteral("The node <b>mm</b> cannot be repeated.")), qPrintable(said));
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
    }

    void theWindowClosesWhileACallIsPaused() {
        auto bench = std::make_unique<test::StepsBench>();
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
