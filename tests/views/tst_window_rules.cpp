// Whose rules the window compiles by: the status bar says so, and its menu chooses.
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "ir/text/parser.h"
#include "partition/current_partition.h"
#include "retrace/retrace_panel.h"

#include <QMenu>
#include <QStatusBar>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>

#include <mutex>
#include <optional>
#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The window over a log that torch 2.15 made; what is re-traced is remembered.
struct RulesBench : test::WindowBench {
    test::TempFolder folder;
    std::mutex mutex;
    std::vector<aot::TorchVersion> traced;

    RulesBench() {
        backend->onRetrace = [this](const aot::RetraceRequest& request, const session::TracePauses&,
                                    base::Progress&) -> base::Result<aot::RetraceResult> {
            const std::lock_guard lock(mutex);
            traced.push_back(request.torch);
            aot::RetraceResult result;
            result.function.graph = *ir::parseGraphText(test::smallGraphText());
            result.function.reason = "no input requires grad";
            return result;
        };
    }
    [[nodiscard]] bool openMadeBy(const std::string& release) {
        const std::string log =
            test::artifactRecord("torch_version", test::firstCompile,
                                 "{\"pytorch_version\": \"" + release + "\"}") +
            test::graphRecord("dynamo_output_graph", test::firstCompile, test::smallGraphText()) +
            test::graphRecord("aot_inference_graph", test::firstCompile, test::smallGraphText());
        return open(folder.write("made_by_" + release + ".log", log).string());
    }
    [[nodiscard]] QToolButton* status() const {
        return window->statusBar()->findChild<QToolButton*>(QStringLiteral("rules"));
    }
    /// What the status bar says, without the mark of its menu.
    [[nodiscard]] QString said() const { return status()->text().chopped(2); }
    /// Picks an entry of the status bar's menu with the mouse.
    [[nodiscard]] bool choose(const QString& start) const {
        QMenu* menu = status()->menu();
        for (QAction* action : menu->actions()) {
            if (!action->text().startsWith(start)) {
                continue;
            }
            menu->popup(status()->mapToGlobal(QPoint(0, 0)));
            if (!QTest::qWaitForWindowExposed(menu)) {
                return false;
            }
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            return true;
        }
        return false;
    }
    [[nodiscard]] bool retrace() const {
        RetracePanel* panel = window->panel<RetracePanel>();
        panel->retraceCompile();
        return QTest::qWaitFor([panel] { return !panel->running(); }, test::patience);
    }
};

} // namespace

class TestWindowRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theStatusBarSaysWhoseRulesApply() {
        RulesBench bench;
        QVERIFY(!bench.status()->isVisible());
        QVERIFY(bench.openMadeBy("2.15.0+cu132"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.status()->isVisible(), test::patience);
        QCOMPARE(bench.said(), QStringLiteral("rules of torch 2.15"));
        QVERIFY(bench.status()->menu()->actions().front()->isChecked());
        QCOMPARE(bench.status()->menu()->actions().front()->text(),
                 QStringLiteral("As the log says (torch 2.15)"));
    }

    void aReleaseWithoutRulesOfItsOwnIsTold() {
        RulesBench bench;
        QVERIFY(bench.openMadeBy("2.17.1"));
        QTRY_COMPARE_WITH_TIMEOUT(bench.said(), QStringLiteral("rules of torch 2.15 (nearest to 2.17)"),
                                  test::patience);
        QVERIFY(bench.status()->toolTip().contains(QStringLiteral("whose own rules are not known")));
        QVERIFY(bench.retrace());
        const auto* rows = bench.window->panel<RetracePanel>()->findChild<QTreeWidget*>();
        QVERIFY(rows->topLevelItem(0)->text(1).contains(QStringLiteral("made by torch 2.17")));
    }

    void chosenRulesApplyToWhatIsTracedFromThenOn() {
        RulesBench bench;
        QVERIFY(bench.openMadeBy("2.15.0"));
        QVERIFY(bench.retrace());
        QCOMPARE(bench.traced.back(), (aot::TorchVersion{2, 15}));
        RetracePanel* panel = bench.window->panel<RetracePanel>();
        const auto* rows = panel->findChild<QTreeWidget*>();
        QVERIFY(!rows->topLevelItem(0)->text(1).contains(QStringLiteral("rules")));
        QVERIFY(panel->details()->toPlainText().contains(QStringLiteral("By the rules of torch 2.15")));

        QVERIFY(bench.choose(QStringLiteral("Rules of torch 2.11")));
        QTRY_COMPARE_WITH_TIMEOUT(bench.said(), QStringLiteral("rules of torch 2.11 (chosen)"),
                                  test::patience);
        QVERIFY(bench.retrace());
        QCOMPARE(bench.traced.back(), (aot::TorchVersion{2, 11}));
        QVERIFY(rows->topLevelItem(0)->text(1).contains(
            QStringLiteral("by the rules of torch 2.11 (chosen; made by torch 2.15)")));

        QVERIFY(bench.choose(QStringLiteral("As the log says")));
        QCOMPARE(bench.said(), QStringLiteral("rules of torch 2.15"));
        QVERIFY(bench.retrace());
        QCOMPARE(bench.traced.back(), (aot::TorchVersion{2, 15}));
    }

    void chosenRulesApplyToTheSplitWithoutBeingAnActionToUndo() {
        RulesBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        CurrentPartition* partition = bench.window->currentPartition();
        QTRY_VERIFY_WITH_TIMEOUT(partition->isCurrent(), test::patience);
        QCOMPARE(partition->snapshot()->rules.text(), std::string("rules of torch 2.11"));
        QVERIFY(bench.choose(QStringLiteral("Rules of torch 2.15")));
        QTRY_VERIFY_WITH_TIMEOUT(partition->snapshot() && partition->snapshot()->rules.chosen &&
                                     partition->isCurrent(),
                                 test::patience);
        QCOMPARE(partition->snapshot()->rules.text(),
                 std::string("rules of torch 2.15 (chosen; made by torch 2.11)"));
        QVERIFY(!partition->canUndo());
        partition->setBudget(0.5);
        QTRY_VERIFY_WITH_TIMEOUT(partition->isCurrent(), test::patience);
        QCOMPARE(partition->snapshot()->choices.torch, std::optional(aot::TorchVersion{2, 15}));
        partition->undo();
        QCOMPARE(partition->choices().torch, std::optional(aot::TorchVersion{2, 15}));
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_rules, TestWindowRules)
#include "tst_window_rules.moc"
