// Background work: each kind has threads of its own, and long lists are sorted there.
#include "support/window_test.h"

#include "common/background.h"
#include "common/latest_answer.h"
#include "common/theme.h"
#include "compare/compare_models.h"
#include "partition/saved_model.h"

#include "contract/partition_snapshot.h"
#include "ir/compare/graph_diff.h"
#include "ir/text/parser.h"

#include <QSignalSpy>

#include <future>
#include <memory>
#include <string>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// A chain of additions, the first of which adds `first`.
session::GraphSnapshotPtr chain(int nodes, int first) {
    std::string lines;
    std::string last = "arg0_1";
    for (int i = 0; i < nodes; ++i) {
        const std::string name = "add_" + std::to_string(i);
        lines += "        " + name + ": \"f32[8][1]cpu\" = torch.ops.aten.add.Tensor(" + last + ", " +
                 std::to_string(i == 0 ? first : 1) + ")\n";
        last = name;
    }
    auto snapshot = std::make_shared<session::GraphSnapshot>();
    snapshot->graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                                         "    def forward(self, arg0_1: \"f32[8][1]cpu\"):\n" +
                                         lines + "        return (" + last + ",)\n        \n")
                          .value();
    return snapshot;
}

/// Two chains that differ in their first addition.
session::DiffSnapshotPtr diffOfChains(int nodes) {
    auto diff = std::make_shared<session::DiffSnapshot>();
    diff->left = chain(nodes, 2);
    diff->right = chain(nodes, 3);
    diff->diff = ir::diffGraphs(*diff->left->graph, *diff->right->graph);
    return diff;
}

} // namespace

class TestBackground : public QObject {
    Q_OBJECT

    /// Whether work that is given now comes to an end.
    [[nodiscard]] bool isServed(Lane lane) {
        bool done = false;
        runInBackground<int>(
            this, [] { return 1; }, [&done](const int&) { done = true; }, lane);
        return QTest::qWaitFor([&done] { return done; }, test::patience);
    }

private Q_SLOTS:
    void whatTakesLongHoldsUpNoOtherLane_data() {
        QTest::addColumn<int>("lane");
        QTest::newRow("scenes") << int(Lane::Showing);
        QTest::newRow("files") << int(Lane::Files);
        QTest::newRow("following") << int(Lane::Following);
        QTest::newRow("reading") << int(Lane::Reading);
    }
    void whatTakesLongHoldsUpNoOtherLane() {
        QFETCH(int, lane);
        std::promise<void> end;
        const std::shared_future<void> ended = end.get_future().share();
        constexpr int many = 8;
        for (int i = 0; i < many; ++i) {
            startInBackground([ended] { ended.wait(); }, Lane(lane));
        }
        for (const Lane other : {Lane::Showing, Lane::Files, Lane::Following, Lane::Reading}) {
            if (other != Lane(lane)) {
                QVERIFY(isServed(other));
            }
        }
        end.set_value();
        QVERIFY(isServed(Lane(lane)));
    }

    void onlyTheLastQuestionIsAnswered() {
        constexpr std::size_t many = 100'000;
        std::vector<int> heard;
        LatestAnswer answer;
        for (int i = 0; i < 5; ++i) {
            answer.ask<int>(
                many, [i] { return i; }, [&heard](const int& found) { heard.push_back(found); });
        }
        QVERIFY(answer.isAwaited());
        QTRY_VERIFY_WITH_TIMEOUT(!answer.isAwaited(), test::patience);
        QCOMPARE(heard, std::vector<int>{4});
        // Nobody is told when the one who asked has gone.
        auto gone = std::make_unique<LatestAnswer>();
        gone->ask<int>(
            many, [] { return 5; }, [&heard](const int& found) { heard.push_back(found); });
        gone.reset();
        QVERIFY(isServed(Lane::Showing) && isServed(Lane::Showing));
        QCOMPARE(heard, std::vector<int>{4});
    }

    void manySavedTensorsAreSortedAndFilteredBesideTheWindow() {
        constexpr int rows = 30'000;
        auto split = std::make_shared<session::PartitionSnapshot>();
        for (int i = 0; i < rows; ++i) {
            session::SavedTensor tensor;
            tensor.name = "t" + std::to_string(i);
            tensor.bytes = (i * 7919) % rows;
            split->saved.push_back(std::move(tensor));
        }
        const ThemeSource theme;
        SavedModel model(&theme);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.setPartition(split);
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), rows, test::patience);
        resets.clear();
        model.sort(SavedModel::Bytes, Qt::AscendingOrder);
        QCOMPARE(resets.size(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(resets.size(), 1, test::patience);
        for (int row = 1; row < rows; ++row) {
            QVERIFY(model.tryRow(row - 1)->bytes <= model.tryRow(row)->bytes);
        }
        model.setFilter(*session::SavedFilter::parse("name:t29999"));
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, test::patience);
        QCOMPARE(model.tryRow(0)->name, std::string("t29999"));
    }

    void manyDifferencesAreSortedBesideTheWindow() {
        constexpr int rows = 30'000;
        auto diff = std::make_shared<session::DiffSnapshot>();
        for (int i = 0; i < rows; ++i) {
            ir::NodeDifference difference;
            difference.kind = ir::NodeDifference::Kind::Changed;
            difference.details = {std::to_string((i * 7919) % rows + rows)};
            diff->diff.differences.push_back(std::move(difference));
        }
        const ThemeSource theme;
        DifferenceModel model(theme);
        model.setDiff(diff);
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), rows, test::patience);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.sort(DifferenceModel::Details, Qt::DescendingOrder);
        QCOMPARE(resets.size(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(resets.size(), 1, test::patience);
        for (int row = 1; row < rows; ++row) {
            QVERIFY(model.difference(row - 1).details >= model.difference(row).details);
        }
    }

    void largeGraphsAreAlignedBesideTheWindow() {
        constexpr int nodes = 5'000;
        const auto diff = diffOfChains(nodes);
        const ThemeSource theme;
        AlignedModel model(theme);
        model.setDiff(diff);
        QCOMPARE(model.rowCount(), 0);
        // Nodes, an input and the output.
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), nodes + 2, test::patience);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.setOnlyDifferences(true);
        QCOMPARE(resets.size(), 0);
        QCOMPARE(model.rowCount(), nodes + 2);
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 1, test::patience);
        QVERIFY(model.row(0).difference.has_value());
        // Of two answers that are awaited only the second is shown.
        resets.clear();
        model.setOnlyDifferences(false);
        model.setOnlyDifferences(true);
        QTRY_COMPARE_WITH_TIMEOUT(resets.size(), 1, test::patience);
        QVERIFY(isServed(Lane::Showing) && isServed(Lane::Showing));
        QCOMPARE(resets.size(), 1);
        QCOMPARE(model.rowCount(), 1);
        // What is asked of a comparison that is gone is not shown either.
        model.setOnlyDifferences(false);
        model.setDiff(nullptr);
        QVERIFY(isServed(Lane::Showing) && isServed(Lane::Showing));
        QCOMPARE(model.rowCount(), 0);
    }
};

AOTSCOPE_WINDOW_TEST(tst_background, TestBackground)

#include "tst_background.moc"
