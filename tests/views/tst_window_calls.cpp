// The panels Events and Wrappers: what wraps a compiled function, and calls of it. Calls go to a fake
// backend.
#include "steps_bench.h"
#include "support/pictures.h"

#include "common/empty_page.h"
#include "common/verdict_label.h"
#include "steps/eager_view.h"
#include "steps/event_model.h"
#include "steps/step_bar.h"
#include "steps/value_model.h"
#include "steps/wrapper_text.h"

#include <QAccessible>
#include <QClipboard>
#include <QFrame>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <QTreeWidget>

#include <future>

using namespace aotscope;
using namespace aotscope::views;

class WindowCallsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theStackIsShownWithoutACall() {
        test::StepsBench bench;
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
        QVERIFY(bench.wrappers()->verdict()->isHidden());
        QVERIFY(bench.events()->findChild<EmptyPage*>()->isEmpty());
    }

    /// Another panel's trace is as good.
    void aReTraceTellsTheStackToo() {
        test::StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("retrace");
        QTRY_VERIFY_WITH_TIMEOUT(bench.call()->function()->retraced, test::patience);
        QCOMPARE(bench.wrappers()->stack()->levels().size(), std::size_t(5));
    }

    void aCallFillsBothPanels() {
        test::StepsBench bench;
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        QCOMPARE(test::columnOf(*bench.events()->view(), EventModel::Event),
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
        QVERIFY(!bench.wrappers()->verdict()->isHidden());
        QCOMPARE(bench.wrappers()->verdict()->verdict()->word, base::VerdictWord::Equal);
        QCOMPARE(bench.wrappers()->verdict()->line(),
                 QStringLiteral(
                     "✓ equal: 2 values as in Dynamo's graph in eager mode, largest relative error 2.0e-07"));
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
        test::StepsBench bench;
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
        test::StepsBench bench;
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

    void severalDifferencesAreCounted() {
        test::StepsBench bench;
        steps::CallRecord record = test::fakeCallRecord();
        for (const char* name : {"gradient of arg 0", "output 1"}) {
            record.eager->values.push_back(
                {.name = name, .structure = {}, .relativeError = 0.5, .agrees = false});
        }
        test::answerCalls(*bench.backend, record);
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        QCOMPARE(bench.wrappers()->verdict()->line(),
                 QStringLiteral("✗ differs: 2 of 4 values: gradient of arg 0: 0.5 of the largest magnitude "
                                "apart; output 1"));
    }

    void differencesFromEagerComeFirst() {
        test::StepsBench bench;
        steps::CallRecord record = test::fakeCallRecord();
        record.eager->values.push_back({.name = "gradient of arg 0",
                                        .structure = "requires_grad False, eager True",
                                        .relativeError = 0.5,
                                        .agrees = false});
        record.eager->losses = {2.5, 1.25};
        record.eager->eagerLosses = {2.5, 1.0};
        test::answerCalls(*bench.backend, record);
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        QCOMPARE(bench.wrappers()->verdict()->line(),
                 QStringLiteral("✗ differs: gradient of arg 0: requires_grad False, eager True; "
                                "0.5 of the largest magnitude apart"));
        bench.wrappers()->showPage(WrappersPanel::Page::Eager);
        const QTreeWidgetItem* first = bench.wrappers()->eager()->values()->topLevelItem(0);
        QCOMPARE(first->text(0), QStringLiteral("gradient of arg 0"));
        QCOMPARE(first->text(4), QStringLiteral("requires_grad False, eager True"));
        QCOMPARE(bench.wrappers()->eager()->losses()->topLevelItem(1)->text(3), QStringLiteral("2.5e-01"));
    }

    void aClickTellsWhatIsBehindTheVerdict() {
        test::StepsBench bench;
        steps::CallRecord record = test::fakeCallRecord();
        record.eager->values.front().notComparable = "random: drawn by rand";
        record.eager->values.push_back(
            {.name = "gradient of arg 0", .structure = {}, .relativeError = 0.5, .agrees = false});
        record.eager->configuration = {"seed 0"};
        test::answerCalls(*bench.backend, record);
        QVERIFY(bench.start());
        bench.trigger("call");
        QVERIFY(bench.awaitCall());
        VerdictLabel* verdict = bench.wrappers()->verdict();
        QTRY_VERIFY_WITH_TIMEOUT(verdict->isVisible(), test::patience);
        QTest::mouseClick(verdict, Qt::LeftButton);
        QVERIFY(verdict->page());
        const QString said =
            verdict->page()->findChild<QPlainTextEdit*>(QStringLiteral("verdictText"))->toPlainText();
        for (const char* part :
             {"differs: gradient of arg 0", "gradient of arg 2", "random: drawn by rand", "seed 0"}) {
            QVERIFY2(said.contains(QLatin1String(part)), qPrintable(said));
        }
        QGuiApplication::clipboard()->clear();
        verdict->page()->findChild<QPushButton*>(QStringLiteral("verdictCopy"))->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), verdict->explanation());
        verdict->page()->close();
        QTRY_VERIFY_WITH_TIMEOUT(!verdict->page(), test::patience);
        // The next call has no verdict until it has ended.
        QVERIFY(bench.awaitIdle());
        bench.trigger("stepThrough");
        QVERIFY(bench.awaitPause(0));
        QVERIFY(verdict->isHidden());
        bench.call()->cancel();
        QVERIFY(bench.awaitIdle());
    }

    void aFunctionThatCannotBeCalledSaysWhy() {
        test::StepsBench bench;
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
        QCOMPARE(bench.wrappers()->verdict()->line(),
                 QStringLiteral("⊘ not supported: arg 0 is a <b>fake</b> stream."));
        QVERIFY(bench.events()->findChild<EmptyPage*>()->isEmpty());
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
        test::StepsBench bench;
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
        test::StepsBench bench;
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
        const QStringList rows = test::columnOf(*bench.events()->view(), EventModel::Event);
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
        traced.result->function.wrappers.push_back({aot::RuntimeWrapper{}, true, "always"});
        traced.wrapperSources = {{"mutation_epilogue", "def epilogue(): ...", 1},
                                 {"something_else", "no", 9}};
        CalledFunction function;
        function.retraced = std::make_shared<const session::RetraceSnapshot>(std::move(traced));
        QCOMPARE(wrapperSource(function, 4), QStringLiteral("# mutation_epilogue\ndef epilogue(): ..."));
        QCOMPARE(wrapperSource(function, 2), QString());
    }

    void aScreenReaderFindsTheStack() {
        test::StepsBench bench;
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

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_calls, WindowCallsTest)
#include "tst_window_calls.moc"
