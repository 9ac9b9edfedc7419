// The Inlining dock over the real engine and the real LibTorch: hooks are chosen, switched off, edited,
// measured and suggested.
#include "support/corpus.h"
#include "support/pictures.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/empty_page.h"
#include "compare/compare_panel.h"
#include "hooks/capsule_model.h"
#include "hooks/capsule_view.h"
#include "hooks/gradient_model.h"
#include "hooks/gradient_view.h"
#include "hooks/hook_curves.h"
#include "hooks/hook_editor.h"
#include "hooks/hook_measures.h"
#include "hooks/hook_scatter.h"
#include "hooks/hook_text_edit.h"
#include "hooks/inlining_bar.h"
#include "hooks/inlining_panel.h"
#include "hooks/suggest_form.h"
#include "partition/current_partition.h"
#include "torch_module.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTreeView>

#include <algorithm>
#include <cmath>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The window with the sample's joint graph in the Inlining dock.
struct InliningBench : test::WindowBench {
    CurrentPartition* split = nullptr;
    InliningPanel* panel = nullptr;

    InliningBench() : test::WindowBench(app::torchBackendFactory()) {
        split = window->currentPartition();
        panel = window->panel<InliningPanel>();
    }
    [[nodiscard]] bool start() {
        if (!open(test::sampleLogPath()) || !select(sibling("joint")) || !settled()) {
            return false;
        }
        window->action(QStringLiteral("show-inlining"))->trigger();
        return QTest::qWaitFor([this] { return panel->isVisible(); }, test::patience);
    }
    /// Waits for the halves with the present choices.
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return split->isCurrent(); }, test::patience);
    }
    static void take(QComboBox* box, const char* words) {
        const int index = box->findText(QLatin1String(words));
        QVERIFY2(index >= 0, words);
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
    }
    /// One hook for every tensor that there is.
    [[nodiscard]] bool startWith(const char* hook) {
        if (!start()) {
            return false;
        }
        take(panel->bar()->modeChoice(), "all");
        take(panel->bar()->hookForAllChoice(), hook);
        return settled();
    }
    [[nodiscard]] bool measured() const {
        return QTest::qWaitFor(
            [this] {
                return panel->measures()->isCurrent(panel->measures()->whole()) &&
                       !panel->measures()->request()->isUnderWay();
            },
            test::patience);
    }
    [[nodiscard]] bool measure() const {
        QTest::mouseClick(panel->bar()->measureButton(), Qt::LeftButton);
        return measured();
    }
    [[nodiscard]] const Capsule& row(int number) const { return *panel->model()->tryRow(number); }
    [[nodiscard]] int rowCount() const { return panel->model()->rowCount(); }
    /// A tensor that has a hook.
    [[nodiscard]] std::string hooked() const {
        for (const Capsule& capsule : panel->model()->all()) {
            if (capsule.hasHook()) {
                return capsule.saved->name;
            }
        }
        return {};
    }
    [[nodiscard]] const Capsule& capsuleOf(const std::string& name) const {
        return row(panel->model()->rowOf(name));
    }
    [[nodiscard]] QModelIndex cell(const std::string& name, int column) const {
        return panel->model()->index(panel->model()->rowOf(name), column);
    }
    void toggle(const std::string& name) const {
        const QModelIndex index = cell(name, CapsuleModel::Name);
        const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        QVERIFY(panel->model()->setData(index, isOn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole));
    }
};

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
        InliningBench bench;
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No joint graph")));
        QVERIFY(!bench.panel->bar()->measureButton()->isEnabled());
    }

    void everySavedTensorIsARowAlsoWithoutHooks() {
        InliningBench bench;
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
        InliningBench bench;
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

    void oneTensorIsSwitchedOffAndOnAgain() {
        InliningBench bench;
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
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const std::string name = bench.hooked();
        bench.panel->chooseTensor(name);
        QCOMPARE(bench.selectedNode(), name);
        QCOMPARE(bench.panel->hookOfChosen()->currentText(), QStringLiteral("bf16"));
        InliningBench::take(bench.panel->hookOfChosen(), "fp8_e4m3");
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
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        HookEditor* editor = bench.panel->editor();
        bench.panel->tabs()->setCurrentWidget(editor);
        InliningBench::take(editor->names(), "bf16");
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
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->notice().isEmpty(), test::patience);
        const int line = lineOf(bad, QStringLiteral("no_such_operator"));
        QVERIFY(line > 0);
        QVERIFY2(editor->edit()->errors().contains(line), qPrintable(bench.panel->notice()));
        QVERIFY(editor->said().contains(QString::number(line)));
        QVERIFY2(bench.panel->notice().contains(QStringLiteral("Without the hook my_bf16")),
                 qPrintable(bench.panel->notice()));
        QVERIFY(bench.hooked().empty());
        QVERIFY(bench.split->snapshot()->profile);
        bench.panel->noticeButton()->click();
        QCOMPARE(editor->edit()->textCursor().blockNumber() + 1, line);

        // Four bytes less for each: graphs and bytes follow what is typed.
        QString smaller = good;
        smaller.replace(QStringLiteral("x.to(torch.bfloat16)"), QStringLiteral("x.to(torch.float8_e5m2)"));
        editor->edit()->setPlainText(smaller);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.hooked().empty() && bench.split->isCurrent(), test::patience);
        QVERIFY(bench.panel->notice().isEmpty());
        QVERIFY(editor->edit()->errors().empty());
        const Capsule& capsule = bench.capsuleOf(bench.hooked());
        QCOMPARE(capsule.stored(), capsule.bytes() / 4);
        // All that was typed is one action; the copy before it another one.
        bench.panel->view()->setFocus();
        bench.split->undo();
        QVERIFY(bench.settled());
        QTRY_COMPARE_WITH_TIMEOUT(editor->edit()->toPlainText(), good, test::patience);
    }

    void measuringFillsTheErrors() {
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const QAbstractItemModelTester tester(bench.panel->model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QCOMPARE(capsule.error.has_value(), capsule.hasHook());
            QCOMPARE(capsule.worstGradient.has_value(), capsule.hasHook());
            if (capsule.hasHook()) {
                // bfloat16 keeps 8 bits of precision.
                QVERIFY(capsule.error->relative <= std::ldexp(1, -8));
                QVERIFY(capsule.error->mean <= capsule.error->max);
            }
        }
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("worst gradient")));
        QCOMPARE(bench.panel->scatter()->itemCount(),
                 static_cast<int>(std::ranges::count_if(bench.panel->model()->all(), &Capsule::hasHook)));
        const std::string name = bench.panel->scatter()->points().back().saved;
        bench.panel->chooseTensor(name);
        bench.panel->tabs()->setCurrentWidget(bench.panel->gradientView());
        QVERIFY(bench.panel->gradientView()->model()->rowCount() > 0);
        QCOMPARE(
            bench.panel->gradientView()->model()->index(0, GradientModel::RelativeError).data().toString(),
            formatNumber(*bench.capsuleOf(name).worstGradient));

        // What is changed from now on is measured at once.
        InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        QVERIFY(bench.settled());
        QVERIFY(bench.measured());
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || capsule.error->max == 0); // Exact.
        }
    }

    /// What is measured of earlier hooks ends, and the new ones are measured.
    void hooksThatChangeWhileTheyAreMeasured() {
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QTest::mouseClick(bench.panel->bar()->measureButton(), Qt::LeftButton);
        QVERIFY(bench.panel->measures()->request()->isUnderWay());
        InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        QVERIFY(!bench.panel->measures()->request()->isUnderWay());
        QVERIFY(bench.settled());
        QVERIFY(bench.measured());
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || (capsule.hooked->hook == "cpu_offload" && capsule.error->max == 0));
        }
        // Canceled by a person, it stays so.
        InliningBench::take(bench.panel->bar()->hookForAllChoice(), "fp8_e4m3");
        QVERIFY(bench.settled());
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->measures()->request()->isUnderWay(), test::patience);
        QTest::mouseClick(bench.panel->bar()->cancelButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->measures()->request()->isUnderWay(), test::patience);
        QVERIFY(!bench.panel->measures()->isCurrent(bench.panel->measures()->whole()));
        QVERIFY(bench.panel->bar()->measureButton()->isEnabled());
        QVERIFY(bench.measure());
    }

    void aPointOfTheScatterSelectsItsRow() {
        InliningBench bench;
        QVERIFY(bench.startWith("fp8_e4m3_row"));
        QVERIFY(bench.measure());
        HookScatter* scatter = bench.panel->scatter();
        bench.panel->tabs()->setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(scatter->isVisible(), test::patience);
        const std::string name = scatter->points().back().saved;
        QTest::mouseClick(scatter, Qt::LeftButton, {},
                          scatter->placeOf(scatter->points().size() - 1).toPoint());
        QCOMPARE(bench.selectedNode(), name);
        QCOMPARE(bench.panel->view()->currentIndex().row(), bench.panel->model()->rowOf(name));
        scatter->setFocus();
        QTest::keyClick(scatter, Qt::Key_Home);
        QCOMPARE(bench.selectedNode(), scatter->points().front().saved);
        // And the other way round.
        bench.panel->chooseTensor(name);
        QCOMPARE(scatter->currentItem(), std::optional(scatter->itemCount() - 1));
    }

    void aSuggestionReachesItsGoalAndIsApplied() {
        InliningBench bench;
        QVERIFY(bench.start());
        InliningBench::take(bench.panel->bar()->modeChoice(), "all");
        QVERIFY(bench.settled());
        SuggestForm* form = bench.panel->suggestForm();
        bench.panel->tabs()->setCurrentWidget(form);
        QTest::mouseClick(form->suggestButton(), Qt::LeftButton);
        QVERIFY(form->said().contains(QStringLiteral("Write the bytes"))); // No goal.
        form->bytesField()->setText(QStringLiteral("60%"));
        QTest::mouseClick(form->suggestButton(), Qt::LeftButton);
        QVERIFY(QTest::qWaitFor([&] { return form->suggestion() != nullptr; }, 3 * test::patience));
        const session::HookSuggestionSnapshot& found = *form->suggestion();
        QVERIFY2(form->said().contains(QStringLiteral("Reached")), qPrintable(form->said()));
        QVERIFY(form->rules()->count() > 0);
        form->apply();
        QVERIFY(bench.settled());
        QCOMPARE(bench.split->choices().hooks->rules, found.plan.rules);
        const session::InlinedHooks& hooks = *bench.split->snapshot()->hooks;
        QVERIFY(hooks.bytesAfter <= hooks.bytesBefore * 6 / 10);
        QVERIFY(!form->applyButton()->isEnabled());
    }

    void hooksAndErrorsAreThereAfterLookingElsewhere() {
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const session::ArtifactReference joint = bench.sibling("joint");
        const auto file = test::TempFolder();
        const auto other = file.write("other.txt", "class GraphModule(torch.nn.Module):\n"
                                                   "    def forward(self, x: \"f32[2][1]cpu\"):\n"
                                                   "        return (x,)\n");
        bench.window->openPaths({QString::fromStdString(other.string())});
        QTRY_VERIFY_WITH_TIMEOUT(!bench.split->joint(), test::patience);
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No joint graph")));
        QVERIFY(bench.select(joint));
        QVERIFY(bench.settled());
        QVERIFY(!bench.hooked().empty());
        QVERIFY(bench.measured());
        QVERIFY(bench.capsuleOf(bench.hooked()).worstGradient.has_value());
    }

    void theHalvesAreComparedAndTheHooksSaved() {
        InliningBench bench;
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
        QVERIFY(file.readAll().contains("saved_tensors_hooks"));
    }

    void aFilterThatNothingMatchesSaysSo() {
        InliningBench bench;
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
        InliningBench bench;
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
        InliningBench bench;
        QVERIFY(bench.open(test::corpusTrace("hooks_fp8_mlp").string()));
        QVERIFY(bench.select(bench.sibling("joint")));
        QVERIFY(bench.settled());
        bench.window->action(QStringLiteral("show-inlining"))->trigger();
        QVERIFY(bench.panel->notice().contains(QStringLiteral("hooks of the program's own")));
        bench.panel->noticeButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!bench.hooked().empty(), test::patience);
        QVERIFY(bench.panel->notice().isEmpty());
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
        QVERIFY(bench.panel->notice().isEmpty());
    }

    void theRowsStayWhereTheyAre() {
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QTreeView* view = bench.panel->view();
        view->scrollToBottom();
        const int place = view->verticalScrollBar()->value();
        QVERIFY(place > 0);
        const std::string last = bench.row(bench.rowCount() - 1).saved->name;
        bench.panel->chooseTensor(last);
        InliningBench::take(bench.panel->hookOfChosen(), "fp8_e4m3");
        QVERIFY(bench.settled());
        QCoreApplication::processEvents();
        QCOMPARE(view->verticalScrollBar()->value(), place);
        QCOMPARE(bench.panel->model()->tryRow(view->currentIndex().row())->saved->name, last);
    }

    void sortingAndFilterAreRemembered() {
        {
            InliningBench bench;
            QVERIFY(bench.start());
            bench.panel->view()->sortByColumn(CapsuleModel::Name, Qt::AscendingOrder);
            bench.panel->filter()->setText(QStringLiteral("dtype:f32"));
            bench.window->close();
        }
        InliningBench again;
        QVERIFY(again.start());
        QCOMPARE(again.panel->view()->header()->sortIndicatorSection(), int(CapsuleModel::Name));
        QCOMPARE(again.panel->filter()->text(), QStringLiteral("dtype:f32"));
        for (int row = 1; row < again.rowCount(); ++row) {
            QVERIFY(again.row(row - 1).saved->name <= again.row(row).saved->name);
        }
    }

    void aScreenReaderFindsRowsAndPoints() {
        InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const QAccessibleInterface* table = QAccessible::queryAccessibleInterface(bench.panel->view());
        QVERIFY(table);
        QCOMPARE(table->text(QAccessible::Name), QStringLiteral("Saved tensors and their hooks"));
        const std::string name = bench.hooked();
        QVERIFY(bench.cell(name, CapsuleModel::Way)
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("stored")));
        const QAccessibleInterface* points = QAccessible::queryAccessibleInterface(bench.panel->scatter());
        QVERIFY(points);
        QCOMPARE(points->role(), QAccessible::List);
        QCOMPARE(points->childCount(), bench.panel->scatter()->itemCount());
        for (int i = 0; i < points->childCount(); ++i) {
            QVERIFY(!points->child(i)->text(QAccessible::Name).isEmpty());
            QVERIFY(points->child(i)->text(QAccessible::Description).contains(QStringLiteral("error")));
        }
        QVERIFY(!QAccessible::queryAccessibleInterface(bench.panel->curves())
                     ->text(QAccessible::Description)
                     .isEmpty());
        for (QWidget* widget : bench.panel->findChildren<QWidget*>()) {
            const bool isField = qobject_cast<QComboBox*>(widget) || qobject_cast<QLineEdit*>(widget);
            const bool isPart = widget->parentWidget() && qobject_cast<QComboBox*>(widget->parentWidget());
            QVERIFY2(!isField || isPart || !widget->accessibleName().isEmpty(),
                     qPrintable(widget->objectName()));
        }
    }

    /// Of all tabs, with a plan that was found and a text that is broken.
    void itsPictures() {
        InliningBench bench;
        QVERIFY(bench.startWith("fp8_e4m3_row"));
        QVERIFY(bench.measure());
        bench.panel->chooseTensor(bench.panel->scatter()->points().back().saved);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->capsuleView()->packView()->text().isEmpty(), test::patience);
        bench.panel->suggestForm()->bytesField()->setText(QStringLiteral("40%"));
        bench.panel->suggestForm()->suggest();
        QVERIFY(QTest::qWaitFor([&] { return bench.panel->suggestForm()->suggestion() != nullptr; },
                                3 * test::patience));
        const auto takePictures = [&](const char* what) {
            for (const bool dark : {true, false}) {
                bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
                QCoreApplication::processEvents();
                const QImage picture = bench.window->grab().toImage();
                QVERIFY(!test::isBlank(picture));
                QVERIFY(
                    picture.save(test::artifactPath(QStringLiteral("window-inlining-%1-%2.png")
                                                        .arg(QLatin1String(what), dark ? "dark" : "light"))));
            }
        };
        const char* names[] = {"effects", "graphs", "gradients", "text", "suggest"};
        QCOMPARE(bench.panel->tabs()->count(), int(std::size(names)));
        for (int tab = 0; tab < bench.panel->tabs()->count(); ++tab) {
            bench.panel->tabs()->setCurrentIndex(tab);
            takePictures(names[tab]);
        }
        HookEditor* editor = bench.panel->editor();
        bench.panel->tabs()->setCurrentWidget(editor);
        editor->editCopy();
        editor->edit()->setPlainText(editor->edit()->toPlainText().replace(QStringLiteral("x.abs()"),
                                                                           QStringLiteral("x.absolutely()")));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->notice().isEmpty(), test::patience);
        bench.panel->noticeButton()->click();
        takePictures("broken");
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_inlining, WindowInliningTest)
#include "tst_window_inlining.moc"
