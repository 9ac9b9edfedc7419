// The Payload dock in the whole window: JSON as a tree, stacks as lists, whether the md5 is right.
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/log_list.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/json_model.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/graph_dock.h"

#include <QLabel>
#include <QListWidget>
#include <QTabBar>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

std::string artifact(const std::string& name, const std::string& payload, const std::string& digest = {}) {
    const std::string stack =
        R"-("stack": [{"line": 12, "name": "main", "filename": "train.py", "loc": "step(x)"},)-"
        R"-( {"line": 34, "name": "step", "filename": "model.py", "loc": "return f(x)"}])-";
    return test::payloadRecord(
        "\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}, " + stack, 0, payload, digest);
}

/// As torch 2.15 logs it; the second wrapper begins at line 103.
std::string wrappersCode() {
    std::string code = "# subclass_wrapper\ndef inner_fn(args):\n";
    for (int i = 0; i < 99; ++i) {
        code += "    x = x + " + std::to_string(i) + "\n";
    }
    return code + "\n# mutation_epilogue\ndef _apply_mutations(orig_inputs):\n    return None\n";
}

struct PayloadBench : test::WindowBench {
    test::TempFolder folder;

    [[nodiscard]] bool openLog() {
        const std::string log =
            test::dynamoStart(0) + test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText()) +
            artifact("settings", "{\"size\": [1, NaN], \"deep\": {\"on\": true}}") +
            artifact("notes", "one\ntwo") + artifact("aot_autograd_runtime_wrappers", wrappersCode()) +
            artifact("spoilt", "changed afterwards", std::string(32, '0'));
        return open(folder.write("payloads.log", log).string());
    }
    [[nodiscard]] PayloadPanel* panel() const { return window->panel<PayloadPanel>(); }
    /// Picks an artifact in the Compiles panel and waits for its payload.
    [[nodiscard]] bool pick(const std::string& name) const {
        const CompilesPanel* compiles = window->panel<CompilesPanel>();
        const QModelIndex compile = compiles->model()->index(0, 0, compiles->model()->index(0, 0));
        compiles->view()->expand(compile);
        const QModelIndex row = compiles->model()->indexOf(sibling(name), true);
        compiles->view()->scrollTo(row);
        QTest::mouseClick(compiles->view()->viewport(), Qt::LeftButton, {},
                          compiles->view()->visualRect(row).center());
        return QTest::qWaitFor(
            [&] { return panel()->shown() && panel()->shown()->reference.artifact == name; }, test::patience);
    }
    /// The tab of that title, made current; false: there is none.
    [[nodiscard]] bool tab(const char* title) const {
        for (int i = 0; i < panel()->tabs()->count(); ++i) {
            if (panel()->tabs()->tabText(i) == QLatin1String(title)) {
                panel()->tabs()->setCurrentIndex(i);
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] bool says(const char* words) const {
        const auto labels = panel()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text().contains(QString::fromUtf8(words));
        });
    }
};

} // namespace

class WindowPayloadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void jsonIsATreeAndAText() {
        PayloadBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick("settings"));
        JsonModel* json = bench.panel()->json();
        QVERIFY(bench.tab("Tree"));
        QCOMPARE(json->rowCount(), 2);
        QCOMPARE(json->index(0, 0).data().toString(), QStringLiteral("size"));
        const QModelIndex size = json->index(0, 0);
        while (json->canFetchMore(size)) {
            json->fetchMore(size);
        }
        QCOMPARE(json->rowCount(size), 2);
        QCOMPARE(json->index(1, 1, size).data().toString(), QStringLiteral("NaN"));
        QVERIFY(bench.tab("Text"));
        QCOMPARE(bench.panel()->textView()->text(),
                 QStringLiteral("{\"size\": [1, NaN], \"deep\": {\"on\": true}}"));
    }

    void theStackIsAListWithTheInnermostFrameLast() {
        PayloadBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick("notes"));
        QVERIFY(!bench.tab("Tree"));
        QVERIFY(bench.tab("Stack"));
        const auto* list = bench.panel()->findChild<QListWidget*>(QStringLiteral("payloadStack"));
        QCOMPARE(list->count(), 2);
        QVERIFY(list->item(0)->text().contains(QLatin1String("train.py:12")));
        QVERIFY(list->item(1)->text().contains(QLatin1String("return f(x)")));
        QVERIFY(bench.tab("Envelope"));
        QCOMPARE(bench.panel()->json()->index(0, 0).data().toString(), QStringLiteral("artifact"));
    }

    void theWrappersCodeHasAListOfItsSections() {
        PayloadBench bench;
        QVERIFY(bench.openLog());
        bench.window->docks()->raisePanel(QStringLiteral("payload"));
        QVERIFY(bench.pick("aot_autograd_runtime_wrappers"));
        QListWidget* sections = bench.panel()->sections();
        CodeView* code = bench.panel()->textView();
        QTRY_VERIFY_WITH_TIMEOUT(sections->isVisible(), test::patience);
        QCOMPARE(sections->count(), 2);
        QCOMPARE(sections->item(0)->text(), QStringLiteral("subclass_wrapper"));
        QCOMPARE(sections->currentRow(), 0);
        const auto edge = [&](const QWidget* widget, QPoint at) {
            return widget->mapTo(bench.panel(), at).x();
        };
        QTRY_VERIFY_WITH_TIMEOUT(edge(code, {}) > edge(sections, sections->rect().topRight()),
                                 test::patience);
        QVERIFY(sections->width() > sections->sizeHintForColumn(0));
        QTest::mouseClick(sections->viewport(), Qt::LeftButton, {},
                          sections->visualItemRect(sections->item(1)).center());
        QCOMPARE(code->currentLine(), 102);
        QCOMPARE(code->line(102), QStringLiteral("# mutation_epilogue"));
        QVERIFY(code->viewport()->rect().contains(code->characterRect({102, 0})));
        // The list follows the cursor, and leads back from a place within the section.
        QTest::keyClick(sections, Qt::Key_Up);
        QCOMPARE(sections->currentRow(), 0);
        QCOMPARE(code->currentLine(), 0);
        QTest::keyClick(code, Qt::Key_End, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(sections->currentRow(), 1, test::patience);
        // Other text has no such list.
        QVERIFY(bench.pick("notes"));
        QVERIFY(!sections->isVisibleTo(bench.panel()));
    }

    void aTrueAndAFalseMd5AreToldApart() {
        PayloadBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick("notes"));
        QCOMPARE(bench.panel()->shown()->state, load::PayloadState::Good);
        QVERIFY(bench.says("md5 ✓"));
        QVERIFY(bench.pick("spoilt"));
        QCOMPARE(bench.panel()->shown()->state, load::PayloadState::Bad);
        QVERIFY(bench.says("md5 ✗"));
        QVERIFY(bench.tab("Text"));
        QCOMPARE(bench.panel()->textView()->text(), QStringLiteral("changed afterwards"));
    }

    /// Selected, left for records without one, and selected again: it stayed empty.
    void aRecordIsShownAgainAfterNone() {
        PayloadBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick("notes"));
        session::ArtifactReference compile = bench.sibling("");
        bench.window->selection()->select({compile, {}});
        QVERIFY(!bench.panel()->shown());
        QVERIFY(bench.pick("notes"));
    }

    void aFailedCompileSaysWhyItHasNoGraph() {
        PayloadBench bench;
        const std::string log =
            test::dynamoStart(0) +
            test::plainRecord(
                R"("compilation_metrics": {"fail_type": "Unsupported", "fail_reason": "a call to print"})",
                0);
        bench.window->show();
        bench.window->openPaths({QString::fromStdString(bench.folder.write("failed.log", log).string())});
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->logs()->logs().size(), std::size_t(1), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->logs()->logs().begin()->second->complete, test::patience);
        const session::LogSnapshotPtr opened = bench.window->logs()->logs().begin()->second;
        bench.window->selection()->select({session::referenceTo(*opened, opened->compiles().front()), {}});
        const auto says = [&](const char* words) {
            const auto labels = bench.window->panel<GraphDock>()->findChildren<QLabel*>();
            return std::ranges::any_of(labels, [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(QLatin1String(words));
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(says("0/0 has no graph"), test::patience);
        QVERIFY(says("failed: Unsupported: a call to print"));
    }

    void anArtifactThatIsNoGraphEmptiesThePanelsOfGraphs() {
        PayloadBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick("notes"));
        QVERIFY(!bench.window->currentGraph()->graph());
        QVERIFY(!bench.window->action(QStringLiteral("run"))->isEnabled());
        bench.window->action(QStringLiteral("goBack"))->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph(), test::patience);
        QVERIFY(bench.window->action(QStringLiteral("run"))->isEnabled());
    }

    void aBadRecordIsListedWithItsLine() {
        const test::TempFolder folder;
        const std::string log = test::dynamoStart(0) +
                                test::payloadRecord("\"aot_joint_graph\": {}", 0, test::smallGraphText()) +
                                "V1121 00:13:53.025000 22725 torch/a.py:1] {\"artifact\": {\"name\": \n";
        test::WindowBench bench;
        QVERIFY(bench.open(folder.write("bad.log", log).string()));
        ProblemModel* model = bench.window->panel<ProblemsPanel>()->model();
        QTRY_VERIFY_WITH_TIMEOUT(model->rowCount() > 0, test::patience);
        const auto line = QStringLiteral("line %1").arg(std::count(log.begin(), log.end(), '\n'));
        int bad = -1;
        for (int row = 0; row < model->rowCount(); ++row) {
            bad = model->problemAt(row)->where == line ? row : bad;
        }
        QVERIFY(bad >= 0);
        QCOMPARE(model->problemAt(bad)->what, QStringLiteral("bad record"));
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_payload, WindowPayloadTest)
#include "tst_window_payload.moc"
