// Partition choices in the whole window: why a node is saved, forcing it, the saved tensors.
#include "explore_bench.h"
#include "support/pictures.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "common/verdict_label.h"
#include "panels/problem_model.h"
#include "panels/text_panel.h"
#include "partition/saved_model.h"
#include "partition/saved_panel.h"
#include "partition/why_bar.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QFrame>
#include <QListWidget>
#include <QMenu>
#include <QTemporaryDir>
#include <QTextBrowser>

using namespace aotscope;
using namespace aotscope::views;

class TestWindowPartition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theStepOfTheSelectedCompileIsSplitAndShown() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const session::PartitionSnapshotPtr split = bench.split->snapshot();
        // As PyTorch split it.
        QVERIFY(split->differences.has_value());
        QVERIFY(split->differences->empty());
        QCOMPARE(bench.saved->model()->rowCount(), static_cast<int>(split->saved.size()));
        const QAbstractItemModelTester tester(bench.saved->model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        bench.saved->view()->sortByColumn(SavedModel::Name, Qt::AscendingOrder);
        for (int row = 1; row < bench.saved->model()->rowCount(); ++row) {
            QVERIFY(bench.saved->model()->tryRow(row - 1)->name <= bench.saved->model()->tryRow(row)->name);
        }
        QVERIFY(bench.saved->footer()->text().contains(QString::number(split->saved.size())));
    }

    void bothVerdictsBesideTheLogAreShownAndExplained() {
        ExploreBench bench;
        QVERIFY(bench.start());
        bench.window->dock(QStringLiteral("saved"))->raise();
        VerdictLabel* saved = bench.saved->savedVerdict();
        QVERIFY(saved->isVisible());
        QCOMPARE(saved->verdict(), bench.split->snapshot()->savedVerdict);
        QCOMPARE(saved->verdict()->word, base::VerdictWord::Equal);
        QCOMPARE(bench.saved->graphsVerdict()->verdict()->word, base::VerdictWord::Equal);
        QTest::mouseClick(saved, Qt::LeftButton);
        QVERIFY(saved->page());
        QVERIFY(saved->explanation().contains(QStringLiteral("set, bytes and order")));
        saved->page()->close();
        // What a person chose is another partition than the log's.
        const std::string node = bench.choosableSaved();
        bench.pick(node);
        bench.inspector->whyBar()->recomputeButton()->click();
        QVERIFY(bench.settled());
        QCOMPARE(saved->verdict()->word, base::VerdictWord::Differs);
        QVERIFY(saved->line().contains(QString::fromStdString(node)));
    }

    void whyTellsTheFateTheRuleAndTheOtherWay() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const std::string node = bench.choosableSaved();
        QVERIFY(!node.empty());
        bench.pick(node);
        QTRY_VERIFY_WITH_TIMEOUT(bench.split->alternativeOf(node) != nullptr, test::patience);
        const QString shown = bench.inspector->view()->toPlainText();
        QVERIFY(shown.contains(QStringLiteral("saved for the backward")));
        QVERIFY(shown.contains(QStringLiteral("alternative")));
        QVERIFY(shown.contains(QString::fromStdString(bench.saves(node)->reason)));
        QVERIFY(!bench.inspector->whyBar()->isHidden());

        // The same node by name in the forward graph, where it is told, too.
        QVERIFY(bench.select(bench.sibling("forward")));
        bench.pick(node);
        QVERIFY(bench.inspector->view()->toPlainText().contains(QStringLiteral("saved for the backward")));
        // Dynamo's names mean something else.
        QVERIFY(bench.select(bench.sibling("dynamo")));
        QVERIFY(!bench.split->concerns(bench.sibling("dynamo")));
    }

    void aRecomputedNodeLinksToItsCopy() {
        ExploreBench bench;
        QVERIFY(bench.start());
        QVERIFY(!bench.split->snapshot()->recomputed.empty());
        const std::string node = bench.split->snapshot()->recomputed.front().name;
        bench.pick(node);
        QVERIFY(bench.inspector->view()->toPlainText().contains(QStringLiteral("recomputed")));
        bench.inspector->followLink(QUrl(QStringLiteral("half:") + QString::fromStdString(node)));
        QCOMPARE(bench.window->selection()->current()->artifact,
                 bench.split->snapshot()->loggedBackward->reference);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->node().valid(), test::patience);
        QCOMPARE(bench.selectedNode(), node);
    }

    void aChoiceMovesTheCutAndIsTakenBack() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const std::string node = bench.choosableSaved();
        bench.pick(node);
        const std::int64_t before = bench.split->snapshot()->savedBytes;
        bench.inspector->whyBar()->recomputeButton()->click();
        QVERIFY(!bench.split->isCurrent());
        QVERIFY(bench.settled());
        QVERIFY(bench.saves(node) == nullptr);
        QVERIFY(bench.saved->model()->rowOf(node) < 0);
        QCOMPARE(bench.saved->choices()->count(), 1);
        QVERIFY(bench.inspector->view()->toPlainText().contains(QStringLiteral("your choice")));

        bench.window->action(QStringLiteral("undoChoice"))->trigger();
        QVERIFY(bench.settled());
        QVERIFY(bench.saves(node) != nullptr);
        QCOMPARE(bench.split->snapshot()->savedBytes, before);
        QCOMPARE(bench.saved->choices()->count(), 0);
        QVERIFY(!bench.split->canUndo());

        bench.inspector->whyBar()->recomputeButton()->click();
        QVERIFY(bench.settled());
        bench.saved->choices()->item(0)->setSelected(true);
        bench.saved->releaseChosen();
        QVERIFY(bench.settled());
        QCOMPARE(bench.split->snapshot()->savedBytes, before);
    }

    void choicesAreMadeByModuleAndBySearch() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const std::string node = bench.choosableSaved();
        bench.pick(node);
        QComboBox* scope = bench.inspector->whyBar()->scope();
        QVERIFY(scope->count() >= 2);
        QVERIFY(scope->itemText(1).startsWith(QStringLiteral("all of ")));
        scope->setCurrentIndex(1);
        bench.inspector->whyBar()->saveButton()->click();
        QVERIFY(bench.settled());
        QVERIFY(bench.split->choices().nodes.size() > 1);
        QVERIFY(bench.saves(node) != nullptr);
        bench.window->action(QStringLiteral("undoChoices"))->trigger();
        QVERIFY(bench.settled());
        QVERIFY(bench.split->choices().nodes.empty());

        bench.inspector->whyBar()->setFound({node, "no_such_node"});
        QCOMPARE(scope->itemText(scope->count() - 1), QStringLiteral("search result (1)"));
    }

    void theOtherPartitionerIsChosenInTheMenu() {
        ExploreBench bench;
        QVERIFY(bench.start());
        QAction* const other = bench.window->action(QStringLiteral("otherPartitioner"));
        QVERIFY(bench.split->snapshot()->options.partitioner == passes::Partitioner::MinCut);
        QCOMPARE(other->text(), QStringLiteral("Use the &default partitioner"));
        const auto before = bench.split->snapshot()->saved.size();
        other->trigger();
        QVERIFY(bench.settled());
        QVERIFY(bench.split->snapshot()->options.partitioner == passes::Partitioner::Default);
        // It keeps what the backward needs, and recomputes nothing.
        QVERIFY(bench.split->snapshot()->saved.size() > before);
        QTRY_COMPARE_WITH_TIMEOUT(other->text(), QStringLiteral("Use no &chosen partitioner"),
                                  test::patience);
        other->trigger();
        QVERIFY(bench.settled());
        QVERIFY(bench.split->snapshot()->options.partitioner == passes::Partitioner::MinCut);
        QCOMPARE(bench.split->snapshot()->saved.size(), before);
    }

    void whatIsNotPossibleIsSaidAndTakenBack() {
        ExploreBench bench;
        QVERIFY(bench.start());
        std::string input;
        for (const session::SavedTensor& row : bench.split->snapshot()->saved) {
            if (row.name.starts_with("primals_")) {
                input = row.name;
            }
        }
        QVERIFY(!input.empty());
        bench.pick(input);
        bench.split->force(std::vector<std::string>{input}, passes::Forced::Recompute);
        QTRY_VERIFY_WITH_TIMEOUT(bench.split->error().has_value(), test::patience);
        QVERIFY(bench.inspector->view()->toPlainText().contains(QStringLiteral("not possible")));
        QVERIFY(bench.saved->footer()->text().contains(QStringLiteral("Not possible")));
        QVERIFY(bench.saved->model()->rowCount() > 0);
        bench.split->undo();
        QVERIFY(bench.settled());
        QVERIFY(!bench.split->error());
    }

    void theFilterChoosesRowsAndTellsWhatItCannotRead() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const int all = bench.saved->model()->rowCount();
        bench.saved->filter()->setText(QStringLiteral("bytes>0 primals"));
        const int some = bench.saved->model()->rowCount();
        QVERIFY(some > 0 && some < all);
        for (int row = 0; row < some; ++row) {
            QVERIFY(bench.saved->model()->tryRow(row)->name.starts_with("primals"));
        }
        bench.saved->filter()->setText(QStringLiteral("bytes>much"));
        QVERIFY(!bench.saved->filterProblem()->isHidden());
        QVERIFY(bench.saved->filterProblem()->text().contains(QStringLiteral("much")));
        QCOMPARE(bench.saved->model()->rowCount(), some);
        bench.saved->filter()->clear();
        QVERIFY(bench.saved->filterProblem()->isHidden());
        QCOMPARE(bench.saved->model()->rowCount(), all);
    }

    void aRowSelectsItsNodeAndTheOtherWayRound() {
        ExploreBench bench;
        QVERIFY(bench.start());
        bench.saved->view()->setCurrentIndex(bench.saved->model()->index(1, 0));
        QCOMPARE(bench.selectedNode(), bench.saved->model()->tryRow(1)->name);
        bench.pick(bench.saved->model()->tryRow(0)->name);
        QCOMPARE(bench.saved->view()->currentIndex().row(), 0);
    }

    void rowsAreWrittenAsCsv() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("saved.csv"));
        QString told = QStringLiteral("nothing");
        bench.saved->exportTo(path, SavedPanel::Rows::Saved,
                              [&told](const QString& failure) { told = failure; });
        QTRY_COMPARE_WITH_TIMEOUT(told, QString(), test::patience);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().split('\n');
        QCOMPARE(lines.size() - 2, bench.saved->model()->rowCount());
        QVERIFY(lines[1].startsWith(QByteArray::fromStdString(bench.saved->model()->tryRow(0)->name)));

        told = QStringLiteral("nothing");
        const QString again = folder.filePath(QStringLiteral("recomputed.csv"));
        bench.saved->exportTo(again, SavedPanel::Rows::Recomputed,
                              [&told](const QString& failure) { told = failure; });
        QTRY_COMPARE_WITH_TIMEOUT(told, QString(), test::patience);
        QFile recomputed(again);
        QVERIFY(recomputed.open(QIODevice::ReadOnly));
        const QList<QByteArray> values = recomputed.readAll().split('\n');
        const auto& wanted = bench.split->snapshot()->recomputed;
        QVERIFY(!wanted.empty());
        QCOMPARE(std::size_t(values.size() - 2), wanted.size());
        QVERIFY(values[1].startsWith(QByteArray::fromStdString(wanted.front().name + ",")));
    }

    void whySavedIsAskedFromTheTextMenu() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const std::string node = bench.choosableSaved();
        bench.pick(node);
        QMenu menu;
        CodeView* view = bench.window->panel<TextPanel>()->view();
        Q_EMIT view->menuOpening(&menu, view->currentLine());
        QVERIFY(!menu.actions().isEmpty());
        const QSignalSpy asked(bench.window->panel<TextPanel>(), &TextPanel::whyRequested);
        menu.actions().last()->trigger();
        QCOMPARE(asked.size(), 1);
        QCOMPARE(bench.selectedNode(), node);
        QTRY_COMPARE_WITH_TIMEOUT(bench.window->focusWidget(), static_cast<QWidget*>(bench.inspector->view()),
                                  test::patience);
    }

    void itLooksAsItShouldInBothThemes() {
        ExploreBench bench;
        QVERIFY(bench.start());
        const std::string node = bench.choosableSaved();
        bench.pick(node);
        bench.split->force(std::vector<std::string>{node}, passes::Forced::Recompute);
        QVERIFY(bench.settled());
        bench.window->dock(QStringLiteral("saved"))->raise();
        QTRY_VERIFY_WITH_TIMEOUT(bench.split->alternativeOf(node) != nullptr, test::patience);
        bench.inspector->showWhy();
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = bench.window->grab().toImage();
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("step-dark.png")
                                                         : QStringLiteral("step-light.png"))));
        }
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_partition, TestWindowPartition)
#include "tst_window_partition.moc"
