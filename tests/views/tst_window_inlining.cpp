// The Inlining dock over the real engine and the real LibTorch: hooks are chosen, switched off, edited,
// measured and suggested.
#include "support/corpus.h"
#include "support/inlining_bench.h"
#include "support/temp_folder.h"
#include "support/window_test.h"

#include "common/code_edit.h"
#include "common/code_view.h"
#include "common/empty_page.h"
#include "common/verdict_label.h"
#include "compare/compare_panel.h"
#include "hooks/capsule_model.h"
#include "hooks/capsule_view.h"
#include "hooks/gradient_view.h"
#include "hooks/hook_curves.h"
#include "hooks/hook_editor.h"
#include "hooks/inlining_bar.h"
#include "hooks/inlining_panel.h"
#include "hooks/notice_strip.h"
#include "partition/current_partition.h"
#include "steps/wrappers_panel.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTreeView>

#include <algorithm>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The line, from 1, in which a text has some words; 0: none.
int lineOf(const QString& text, const QString& words) {
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (int line = 0; line < lines.size(); ++line) {
        if (lines[line].contains(words)) {
            return line + 1;
        }
    }
    return 0;
}

} // namespace

class WindowInliningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void withoutAJointGraphItSaysHowToGetOne() {
        test::InliningBench bench;
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No joint graph")));
        QVERIFY(!bench.panel->bar()->measureButton()->isEnabled());
    }

    void everySavedTensorIsARowAlsoWithoutHooks() {
        test::InliningBench bench;
        QVERIFY(bench.start());
        const QAbstractItemModelTester tester(bench.panel->model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto& saved = bench.split->snapshot()->saved;
        const auto tensors = std::ranges::count_if(
            saved, [](const session::SavedTensor& tensor) { return !tensor.dtype.empty(); });
        QVERIFY(tensors > 10);
        QCOMPARE(bench.rowCount(), static_cast<int>(tensors));
        for (int row = 0; row < bench.rowCount(); ++row) {
            QVERIFY(!bench.row(row).hasHook());
            QCOMPARE(bench.row(row).stored(), bench.row(row).bytes());
        }
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("no hooks")));
        QVERIFY(!bench.panel->bar()->measureButton()->isEnabled());
        // What to do before anything is measured.
        bench.panel->tabs()->setCurrentWidget(bench.panel->gradientView());
        QVERIFY(bench.panel->gradientView()->findChild<EmptyPage*>()->message().contains(
            QStringLiteral("Not measured")));
    }

    /// bfloat16 has half the bytes of float32; the hook does not take other types.
    void aHookForAllHalvesWhatIsStored() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        std::int64_t before = 0;
        std::int64_t stored = 0;
        int hooks = 0;
        for (int row = 0; row < bench.rowCount(); ++row) {
            const Capsule& capsule = bench.row(row);
            const bool isFloat = capsule.saved->dtype == "float32";
            QCOMPARE(capsule.hasHook(), isFloat);
            QCOMPARE(capsule.stored(), isFloat ? capsule.bytes() / 2 : capsule.bytes());
            QCOMPARE(capsule.whyNot().isEmpty(), isFloat);
            before += capsule.bytes();
            stored += capsule.stored();
            hooks += isFloat ? 1 : 0;
        }
        QVERIFY(hooks > 10);
        QCOMPARE(bench.split->snapshot()->hooks->bytesBefore, before);
        QCOMPARE(bench.split->snapshot()->hooks->bytesAfter, stored);
        QVERIFY(bench.panel->bar()->summary().contains(formatBytes(stored)));
        QVERIFY(bench.panel->curves()->summary().contains(
            formatBytes(bench.split->snapshot()->profile->peak.bytes)));
        QVERIFY(bench.split->canUndo());
        bench.split->undo();
        QVERIFY(bench.settled());
        QVERIFY(bench.hooked().empty());
    }

    /// Eight bits per number are not exact, which is no fault of the compile.
    void aCallWithHooksTellsTheirLossAsTheirOwn() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("fp8_e4m3"));
        bench.window->action(QStringLiteral("call"))->trigger();
        const auto* panel = bench.window->panel<WrappersPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->verdict()->verdict().has_value(), test::patience);
        const QString line = panel->verdict()->line();
        QVERIFY2(line.startsWith(QStringLiteral("✓ equal: ")), qPrintable(line));
        QVERIFY2(line.contains(QStringLiteral("the saved-tensors hooks change values by up to ")),
                 qPrintable(line));
    }

    void oneTensorIsSwitchedOffAndOnAgain() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const std::string name = bench.hooked();
        const auto others = std::ranges::count_if(bench.panel->model()->all(), &Capsule::hasHook) - 1;
        bench.toggle(name);
        QVERIFY(bench.settled());
        QVERIFY(!bench.capsuleOf(name).hasHook());
        QCOMPARE(bench.capsuleOf(name).stored(), bench.capsuleOf(name).bytes());
        QCOMPARE(std::ranges::count_if(bench.panel->model()->all(), &Capsule::hasHook), others);
        // By the keyboard.
        bench.panel->chooseTensor(name);
        bench.panel->view()->setFocus();
        QTest::keyClick(bench.panel->view(), Qt::Key_Space);
        QVERIFY(bench.settled());
        QVERIFY(bench.capsuleOf(name).hasHook());
    }

    void theChosenTensorsGetAnotherHook() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const std::string name = bench.hooked();
        bench.panel->chooseTensor(name);
        QCOMPARE(bench.selectedNode(), name);
        QCOMPARE(bench.panel->hookOfChosen()->currentText(), QStringLiteral("bf16"));
        test::InliningBench::take(bench.panel->hookOfChosen(), "fp8_e4m3");
        QVERIFY(bench.settled());
        for (const Capsule& capsule : bench.panel->model()->all()) {
            if (capsule.hasHook()) {
                const bool isIt = capsule.saved->name == name;
                QCOMPARE(capsule.hooked->hook, std::string(isIt ? "fp8_e4m3" : "bf16"));
                QCOMPARE(capsule.stored(), capsule.bytes() / (isIt ? 4 : 2));
            }
        }
        // Its row stays chosen, and its graphs are shown.
        QCOMPARE(bench.panel->hookOfChosen()->currentText(), QStringLiteral("fp8_e4m3"));
        bench.panel->tabs()->setCurrentWidget(bench.panel->capsuleView());
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.panel->capsuleView()->packView()->text().contains(QStringLiteral("float8_e4m3fn")),
            test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.panel->capsuleView()->unpackView()->text().contains(QStringLiteral("float32")),
            test::patience);
    }

    void aBrokenTextIsAnErrorAtItsLineAndTheCompileGoesOn() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        HookEditor* editor = bench.panel->editor();
        bench.panel->tabs()->setCurrentWidget(editor);
        test::InliningBench::take(editor->names(), "bf16");
        QVERIFY(editor->edit()->isReadOnly());
        QTest::mouseClick(editor->copyButton(), Qt::LeftButton);
        QVERIFY(bench.settled());
        QVERIFY(!editor->edit()->isReadOnly());
        QCOMPARE(bench.capsuleOf(bench.hooked()).hooked->hook, std::string("my_bf16"));
        QCOMPARE(bench.panel->bar()->hookForAllChoice()->currentText(), QStringLiteral("my_bf16"));

        const QString good = editor->edit()->toPlainText();
        QString bad = good;
        bad.replace(QStringLiteral("x.to(torch.bfloat16)"), QStringLiteral("x.no_such_operator()"));
        editor->edit()->setPlainText(bad);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->notice()->words().isEmpty(), test::patience);
        const int line = lineOf(bad, QStringLiteral("no_such_operator"));
        QVERIFY(line > 0);
        QVERIFY2(editor->edit()->errors().contains(line), qPrintable(bench.panel->notice()->words()));
        QVERIFY(editor->said().contains(QString::number(line)));
        QVERIFY2(bench.panel->notice()->words().contains(QStringLiteral("Without the hook my_bf16")),
                 qPrintable(bench.panel->notice()->words()));
        QVERIFY(bench.hooked().empty());
        QVERIFY(bench.split->snapshot()->profile);
        bench.panel->notice()->button()->click();
        QCOMPARE(editor->edit()->textCursor().blockNumber() + 1, line);

        // Four bytes less for each: graphs and bytes follow what is typed.
        QString smaller = good;
        smaller.replace(QStringLiteral("x.to(torch.bfloat16)"), QStringLiteral("x.to(torch.float8_e5m2)"));
        editor->edit()->setPlainText(smaller);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.hooked().empty() && bench.split->isCurrent(), test::patience);
        QVERIFY(bench.panel->notice()->words().isEmpty());
        QVERIFY(editor->edit()->errors().empty());
        const Capsule& capsule = bench.capsuleOf(bench.hooked());
        QCOMPARE(capsule.stored(), capsule.bytes() / 4);
        // All that was typed is one action; the copy before it another one.
        bench.panel->view()->setFocus();
        bench.split->undo();
        QVERIFY(bench.settled());
        QTRY_COMPARE_WITH_TIMEOUT(editor->edit()->toPlainText(), good, test::patience);
    }

    void theHalvesAreComparedAndTheHooksSaved() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const auto* compare = bench.window->panel<ComparePanel>();
        bench.panel->bar()->compareForward()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(compare->shown() != nullptr, test::patience);
        QCOMPARE(compare->shown()->left->reference, bench.split->snapshot()->hooks->forwardBefore);
        QCOMPARE(compare->shown()->right->reference, bench.split->snapshot()->forward);
        QVERIFY(!compare->shown()->diff.differences.empty());

        const test::TempFolder folder;
        const QString path = QString::fromStdString((folder.path() / "hooks.py").string());
        bool isDone = false;
        bench.panel->savePythonTo(path, [&](const QString& problem) {
            QCOMPARE(problem, QString());
            isDone = true;
        });
        QTRY_VERIFY_WITH_TIMEOUT(isDone, test::patience);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString saved = QString::fromUtf8(file.readAll());
        QVERIFY(saved.contains(QStringLiteral("saved_tensors_hooks")));
        bench.panel->bar()->copyPython()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(QGuiApplication::clipboard()->text(), saved, test::patience);
    }

    void anOwnTextIsTheHookForAll() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("fp8_e4m3"));
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "own text…");
        QVERIFY(bench.settled());
        QCOMPARE(bench.panel->bar()->hookForAllChoice()->currentText(), QStringLiteral("my_fp8_e4m3"));
        QVERIFY(bench.panel->tabs()->currentWidget() == bench.panel->editor());
        QVERIFY(!bench.panel->editor()->edit()->isReadOnly());
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || capsule.hooked->hook == "my_fp8_e4m3");
        }
        // The entry is no hook for single tensors.
        bench.panel->chooseTensor(bench.hooked());
        QCOMPARE(bench.panel->hookOfChosen()->findText(QStringLiteral("own text…")), -1);
        QVERIFY(bench.panel->hookOfChosen()->findText(QStringLiteral("my_fp8_e4m3")) >= 0);
    }

    void aFilterThatNothingMatchesSaysSo() {
        test::InliningBench bench;
        QVERIFY(bench.start());
        const int all = bench.rowCount();
        bench.panel->filter()->setText(QStringLiteral("name:nothing_is_called_so"));
        QCOMPARE(bench.rowCount(), 0);
        QVERIFY(bench.panel->tablePages()->message().contains(QStringLiteral("No tensor matches")));
        bench.panel->filter()->setText(QStringLiteral("dtype:f32"));
        QVERIFY(bench.rowCount() > 0);
        QVERIFY(!bench.panel->tablePages()->isEmpty());
        bench.panel->filter()->clear();
        QCOMPARE(bench.rowCount(), all);
    }

    void aGraphThatSavesNothingSaysSo() {
        test::InliningBench bench;
        const test::TempFolder folder;
        const auto file = folder.write(
            "joint.txt", "class joint(torch.nn.Module):\n"
                         "    def forward(self, primals, tangents):\n"
                         "        primals_1: \"f32[4][1]cpu\"; tangents_1: \"f32[4][1]cpu\"; \n"
                         "        primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], "
                         "self._in_spec)\n"
                         "        mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, 2)\n"
                         "        mul_1: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, 2)\n"
                         "        return pytree.tree_unflatten([mul, mul_1], self._out_spec)\n");
        QVERIFY(bench.open(file.string()));
        QVERIFY(bench.settled());
        QVERIFY2(bench.panel->pages()->message().contains(QStringLiteral("Nothing is saved")),
                 qPrintable(bench.panel->pages()->message()));
    }

    /// A logged joint graph does not have the hooks that PyTorch inlined; the panel traces it with them. The
    /// program's hooks store float8_e5m2, of float32 a quarter.
    void theProgramsOwnHooksAreTraced() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        test::InliningBench bench;
        QVERIFY(bench.open(test::corpusTrace("hooks_fp8_mlp").string()));
        QVERIFY(bench.select(bench.sibling("joint")));
        QVERIFY(bench.settled());
        bench.window->action(QStringLiteral("show-inlining"))->trigger();
        QVERIFY(bench.panel->notice()->words().contains(QStringLiteral("hooks of the program's own")));
        bench.panel->notice()->button()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.hooked().empty(), test::patience);
        QVERIFY(bench.panel->notice()->words().isEmpty());
        QCOMPARE(bench.panel->bar()->hookForAllChoice()->currentText(), QStringLiteral("logged"));
        for (const Capsule& capsule : bench.panel->model()->all()) {
            if (capsule.hasHook()) {
                QCOMPARE(capsule.hooked->packed.front().dtype, std::string("float8_e5m2"));
                QCOMPARE(capsule.stored(), capsule.bytes() / 4);
            }
        }
        // One of them is switched off, the others stay.
        const auto all = std::ranges::count_if(bench.panel->model()->all(), &Capsule::hasHook);
        bench.toggle(bench.hooked());
        QVERIFY(bench.settled());
        QCOMPARE(std::ranges::count_if(bench.panel->model()->all(), &Capsule::hasHook), all - 1);
        QVERIFY(bench.panel->notice()->words().isEmpty());
    }

    /// What is computed again is not saved any more; the way back is below the rows.
    void aTensorIsComputedAgainAndSavedAgain() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const auto choosable = [&](const Capsule& capsule) {
            const std::vector<std::string> names{capsule.saved->name};
            return !bench.split->choosable(names).empty();
        };
        const auto& all = bench.panel->model()->all();
        const auto found = std::ranges::find_if(all, choosable);
        QVERIFY(found != all.end());
        const std::string name = found->saved->name;
        bench.panel->chooseTensor(name);
        test::InliningBench::take(bench.panel->hookOfChosen(), "recompute");
        QVERIFY(bench.settled());
        QCOMPARE(bench.panel->model()->rowOf(name), -1);
        QVERIFY(bench.panel->recomputed()->words().contains(QString::fromStdString(name)));
        bench.panel->recomputed()->button()->click();
        QVERIFY(bench.settled());
        QVERIFY(bench.panel->model()->rowOf(name) >= 0);
        QVERIFY(bench.panel->recomputed()->words().isEmpty());
    }

    void theRowsStayWhereTheyAre() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QTreeView* view = bench.panel->view();
        view->scrollToBottom();
        const int place = view->verticalScrollBar()->value();
        QVERIFY(place > 0);
        const std::string last = bench.row(bench.rowCount() - 1).saved->name;
        bench.panel->chooseTensor(last);
        test::InliningBench::take(bench.panel->hookOfChosen(), "fp8_e4m3");
        QVERIFY(bench.settled());
        QCoreApplication::processEvents();
        QCOMPARE(view->verticalScrollBar()->value(), place);
        QCOMPARE(bench.panel->model()->tryRow(view->currentIndex().row())->saved->name, last);
    }

    void sortingAndFilterAreRemembered() {
        {
            test::InliningBench bench;
            QVERIFY(bench.start());
            bench.panel->view()->sortByColumn(CapsuleModel::Name, Qt::AscendingOrder);
            bench.panel->filter()->setText(QStringLiteral("dtype:f32"));
            bench.window->close();
        }
        test::InliningBench again;
        QVERIFY(again.start());
        QCOMPARE(again.panel->view()->header()->sortIndicatorSection(), int(CapsuleModel::Name));
        QCOMPARE(again.panel->filter()->text(), QStringLiteral("dtype:f32"));
        for (int row = 1; row < again.rowCount(); ++row) {
            QVERIFY(again.row(row - 1).saved->name <= again.row(row).saved->name);
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_inlining, WindowInliningTest)
#include "tst_window_inlining.moc"
