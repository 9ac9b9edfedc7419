// Background work: each kind has threads of its own, and long lists are sorted there.
#include "support/window_test.h"

#include "common/background.h"
#include "common/latest_answer.h"
#include "common/theme.h"
#include "compare/compare_models.h"
#include "partition/saved_model.h"

#include "session/explore/partition_snapshot.h"

#include <QSignalSpy>

#include <future>
#include <memory>
#include <string>

using namespace aotscope;
using namespace aotscope::views;

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
    }
    void whatTakesLongHoldsUpNoOtherLane() {
        QFETCH(int, lane);
        std::promise<void> end;
        const std::shared_future<void> ended = end.get_future().share();
        constexpr int many = 8;
        for (int i = 0; i < many; ++i) {
            startInBackground([ended] { ended.wait(); }, Lane(lane));
        }
        for (const Lane other : {Lane::Showing, Lane::Files, Lane::Following}) {
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
};

AOTSCOPE_WINDOW_TEST(tst_background, TestBackground)

#include "tst_background.moc"
