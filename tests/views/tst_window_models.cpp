// The rules of item models, checked on all models of the window in use.
#include "support/window_bench.h"
#include "support/window_test.h"

#include "base/progress.h"
#include "common/log_list.h"
#include "compare/compare_panel.h"
#include "compare/graph_list_model.h"
#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/json_model.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "window/go_to.h"
#include "window/quick_pick.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAbstractProxyModel>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QSet>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Attaches a tester to each of our models in the window; returns their class names.
QSet<QString> testAll(MainWindow* window) {
    QSet<QString> names;
    QSet<QAbstractItemModel*> models;
    for (QAbstractItemModel* model : window->findChildren<QAbstractItemModel*>()) {
        models.insert(model);
    }
    for (const QAbstractItemView* view : window->findChildren<QAbstractItemView*>()) {
        models.insert(view->model());
    }
    for (const QComboBox* choice : window->findChildren<QComboBox*>()) {
        models.insert(choice->model());
    }
    models.remove(nullptr);
    const QSet<QAbstractItemModel*> outer = models;
    for (QAbstractItemModel* model : outer) {
        if (const auto* proxy = qobject_cast<QAbstractProxyModel*>(model)) {
            models.insert(proxy->sourceModel());
        }
    }
    for (QAbstractItemModel* model : models) {
        const QString name = QString::fromLatin1(model->metaObject()->className());
        // The tree of JSON finds members when it is opened, which a tester does in the middle of a reset:
        // it is tested by itself below.
        if (name.startsWith(QLatin1String("aotscope::")) && !qobject_cast<JsonModel*>(model)) {
            new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::QtTest,
                                         model);
            names.insert(name.section(QStringLiteral("::"), -1));
        }
    }
    return names;
}

} // namespace

class WindowModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void everyModelKeepsItsRulesWhileTheWindowIsUsed() {
        test::WindowBench bench;
        const QSet<QString> expected = {QStringLiteral("CompileModel"),    QStringLiteral("ProblemModel"),
                                        QStringLiteral("RunModel"),        QStringLiteral("AlignedModel"),
                                        QStringLiteral("DifferenceModel"), QStringLiteral("UnifiedModel"),
                                        QStringLiteral("GraphListModel"),  QStringLiteral("PickModel"),
                                        QStringLiteral("EventModel"),      QStringLiteral("ValueModel")};
        const QSet<QString> tested = testAll(bench.window.get());
        QVERIFY2(tested.contains(expected), qPrintable(QStringList(tested.values()).join(QLatin1Char(' '))));

        QVERIFY(bench.open(test::sampleLogPath()));
        sortAndFilter(*bench.window->panel<CompilesPanel>());
        bench.backend->onRun = [](const ir::Graph& graph, const session::RunOptions& options,
                                  base::Progress&) -> base::Result<session::RunSnapshot> {
            session::RunSnapshot run = test::FakeBackend::everyNodeRan(graph, options);
            run.nodes.front().mismatch = "logged f32[2], computed f32[3]";
            return run;
        };
        QVERIFY(bench.run());
        RunModel* run = bench.window->panel<RunPanel>()->model();
        for (int column = 0; column < run->columnCount(); ++column) {
            run->sort(column, Qt::DescendingOrder);
        }
        ProblemModel* problems = bench.window->panel<ProblemsPanel>()->model();
        QVERIFY(problems->rowCount() > 0);
        problems->setFilter(QStringLiteral("no such word"));
        QCOMPARE(problems->rowCount(), 0);
        problems->setFilter({});

        Q_EMIT bench.window->panel<CompilesPanel>()->compareRequested(bench.sibling("joint"),
                                                                      bench.sibling("forward"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->panel<ComparePanel>()->shown(), test::patience);
        auto* graphs =
            qobject_cast<GraphListModel*>(bench.window->panel<ComparePanel>()
                                              ->findChild<QComboBox*>(QStringLiteral("compareLeft"))
                                              ->model());
        QVERIFY(graphs);
        QTRY_VERIFY_WITH_TIMEOUT(graphs->rowCount() > 0 && !graphs->isFilling(), test::patience);

        bench.window->parts().goTo->open(QStringLiteral("@"));
        QuickPick* pick = bench.window->quickPick();
        QTRY_VERIFY_WITH_TIMEOUT(pick->model()->rowCount() > 0, test::patience);
        pick->input()->setText(QStringLiteral("@no such node"));
        QTRY_COMPARE_WITH_TIMEOUT(pick->model()->rowCount(), 0, test::patience);
        pick->hide();

        bench.window->openPaths({test::sampleLogPath(), QStringLiteral("/no/such/file.log")});
        QTRY_VERIFY_WITH_TIMEOUT(problems->errors() > 0, test::patience);
        const auto open = bench.window->logs()->logs();
        for (const auto& [log, snapshot] : open) {
            Q_EMIT bench.window->panel<CompilesPanel>()->closeRequested(log);
        }
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->logs()->logs().empty(), test::patience);
    }

    void jsonOpensAsATreeWithoutRecursion() {
        JsonModel model;
        const auto outlineOf = [](const std::string& text) {
            base::Progress untold;
            return load::JsonOutline::of(text, untold).value();
        };
        const std::string small = "{\"a\": [1, NaN, {\"b\": \"x,]\"}], \"c\": {}}";
        model.setJson(outlineOf(small));
        {
            const QAbstractItemModelTester tester(&model,
                                                  QAbstractItemModelTester::FailureReportingMode::QtTest);
            QCOMPARE(model.rowCount(), 2);
        }
        const QModelIndex a = model.index(0, 0);
        while (model.canFetchMore(a)) {
            model.fetchMore(a);
        }
        QCOMPARE(model.rowCount(a), 3);
        QCOMPARE(model.data(model.index(1, 0, a), Qt::DisplayRole).toString(), QStringLiteral("1"));
        QCOMPARE(model.data(model.index(1, 1, a), Qt::DisplayRole).toString(), QStringLiteral("NaN"));
        QVERIFY(!model.hasChildren(model.index(1, 0)));
        const std::string deep(200'000, '[');
        model.setJson(outlineOf(deep));
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(!outlineOf("plain"));
        model.setJson(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

private:
    static void sortAndFilter(const CompilesPanel& panel) {
        CompileModel* model = panel.model();
        const std::size_t all = model->shownCompiles();
        QVERIFY(all > 0);
        panel.view()->expandAll();
        for (int column = 0; column < CompileModel::ColumnCount; ++column) {
            model->sort(column, Qt::AscendingOrder);
            model->sort(column, Qt::DescendingOrder);
        }
        model->setFilter(QStringLiteral("no such word"));
        QCOMPARE(model->shownCompiles(), std::size_t(0));
        model->setFilter({});
        QCOMPARE(model->shownCompiles(), all);
        panel.view()->expandAll();
    }

    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_models, WindowModelsTest)
#include "tst_window_models.moc"
