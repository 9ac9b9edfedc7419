// The Values dock over a session whose runs are made up: what it asks for, what it shows, and its empty
// pages.
#include "values/values_panel.h"

#include "common/empty_page.h"
#include "values/histogram_canvas.h"
#include "values/value_canvas.h"
#include "values/value_dimensions.h"
#include "values/value_table_model.h"

#include "graph_run_bench.h"

#include <QComboBox>
#include <QSpinBox>
#include <QTableView>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// A [3, 16, 24] tensor of waves around 0: an image with three channels.
session::NodeTensor waves() {
    session::NodeTensor tensor{{"float32", {3, 16, 24}, {}}, {}};
    std::vector<float> numbers;
    for (int channel = 0; channel < 3; ++channel) {
        for (int row = 0; row < 16; ++row) {
            for (int column = 0; column < 24; ++column) {
                numbers.push_back(std::sin(0.3F * static_cast<float>(row + channel)) *
                                  std::cos(0.2F * static_cast<float>(column)));
            }
        }
    }
    tensor.data.bytes.assign(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    session::TensorSummary& summary = tensor.summary;
    summary.dtype = "float32";
    summary.shape = tensor.data.shape;
    summary.bytes = static_cast<std::int64_t>(tensor.data.bytes.size());
    const auto [least, greatest] = std::ranges::minmax(numbers);
    summary.minimum = least;
    summary.maximum = greatest;
    summary.mean = 0.125;
    summary.zeroCount = 3;
    session::Histogram histogram{least, greatest, std::vector<std::uint64_t>(32, 0)};
    for (const float number : numbers) {
        const float share = (number - least) / (greatest - least);
        ++histogram.counts[std::min<std::size_t>(31, static_cast<std::size_t>(share * 32))];
    }
    summary.histogram = std::move(histogram);
    return tensor;
}

std::shared_ptr<test::FakeBackendControl> runsWithWaves() {
    auto control = std::make_shared<test::FakeBackendControl>();
    control->onRun = [](const ir::Graph& graph, const session::RunOptions& options, base::Progress&) {
        session::RunSnapshot run = test::FakeBackend::everyNodeRan(graph, options);
        for (const std::string& name : options.keepValues) {
            session::NodeValue value;
            value.node = *graph.tryFind(name);
            value.tensors.push_back(waves());
            run.values.push_back(std::make_shared<const session::NodeValue>(std::move(value)));
        }
        return base::Result<session::RunSnapshot>(std::move(run));
    };
    return control;
}

struct ValuesBench : test::GraphRunBench {
    std::unique_ptr<ValuesPanel> panel;

    ValuesBench() : test::GraphRunBench(runsWithWaves(), "joint") {
        panel = std::make_unique<ValuesPanel>(sharedContext());
        panel->resize(1100, 360);
    }

    void selectFirstOperator() const {
        const ir::Graph& nodes = *graph->graph()->graph;
        const auto node = std::ranges::find_if(
            nodes.order(), [&](ir::NodeId id) { return nodes.node(id).op == ir::Opcode::CallFunction; });
        graph->selectNode(*node);
    }
    [[nodiscard]] bool shown() const {
        const bool isShown = QTest::qWaitFor([this] { return panel->value() != nullptr; }, test::patience);
        return isShown;
    }
    [[nodiscard]] bool show() {
        if (!showWithRun(*panel)) {
            return false;
        }
        selectFirstOperator();
        return shown();
    }
    [[nodiscard]] std::vector<session::LoadValue> asked() const {
        std::vector<session::LoadValue> asked;
        for (const session::Command& command : engine.sent()) {
            if (const auto* load = std::get_if<session::LoadValue>(&command)) {
                asked.push_back(*load);
            }
        }
        return asked;
    }
    [[nodiscard]] QString cell(int row, int column) const {
        return panel->model()->index(row, column).data().toString();
    }
};

} // namespace

class TestValuesPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void emptyPagesSayHowToGetAValue() {
        ValuesBench bench;
        bench.panel->show();
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No graph")));
        QVERIFY(bench.selectGraph());
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->pages()->message().contains(QStringLiteral("has not been run")),
                                 test::patience);
        QVERIFY(bench.run());
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->pages()->message().contains(QStringLiteral("No node")),
                                 test::patience);
        QVERIFY(bench.asked().empty());
        bench.selectFirstOperator();
        QVERIFY(bench.shown());
        QVERIFY(!bench.panel->pages()->isEmpty());
    }

    void nothingIsAskedWhileThePanelIsOutOfSight() {
        ValuesBench bench;
        QVERIFY(bench.selectGraph());
        QVERIFY(bench.run());
        bench.selectFirstOperator();
        QVERIFY(bench.asked().empty());
        bench.panel->show();
        QVERIFY(bench.shown());
    }

    void theValueIsOfTheRunThatIsShown() {
        ValuesBench bench;
        QVERIFY(bench.show());
        QCOMPARE(bench.asked().size(), std::size_t(1));
        QCOMPARE(bench.asked().front().run.seed, std::uint64_t(7));
        QCOMPARE(bench.panel->model()->rowCount(), 16);
        QCOMPARE(bench.panel->model()->columnCount(), 24);
        QCOMPARE(bench.cell(0, 0), QStringLiteral("0"));
        QCOMPARE(bench.cell(1, 0), QStringLiteral("0.29552"));
        QVERIFY(bench.panel->statistics().contains(QStringLiteral("largest magnitude")));
        QVERIFY(bench.panel->histogram()->accessibleDescription().contains(QStringLiteral("32 ranges")));
        QVERIFY(!bench.panel->heatMap()->picture().isNull());
        QCOMPARE(bench.panel->image()->picture().size(), QSize(24, 16));
    }

    void anotherPlaneIsAskedForAndShown() {
        ValuesBench bench;
        QVERIFY(bench.show());
        const auto indices = bench.panel->dimensions()->indexBoxes();
        QCOMPARE(indices.size(), std::size_t(1));
        indices.front()->setValue(2);
        QTRY_COMPARE_WITH_TIMEOUT(bench.cell(0, 0), QStringLiteral("0.564642"), test::patience);
        QComboBox* rows = bench.panel->dimensions()->rowBox();
        rows->setCurrentIndex(0);
        Q_EMIT rows->activated(0);
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->model()->rowCount(), 3, test::patience);
        // Choosing the columns' dimension for the rows exchanges the two.
        rows->setCurrentIndex(2);
        Q_EMIT rows->activated(2);
        QTRY_COMPARE_WITH_TIMEOUT(bench.panel->model()->rowCount(), 24, test::patience);
        QCOMPARE(bench.panel->model()->columnCount(), 3);
    }

    void picturesInBothThemes() {
        for (const auto choice : {ThemeSource::Choice::Dark, ThemeSource::Choice::Light}) {
            ValuesBench bench;
            bench.theme.choose(choice);
            QVERIFY(bench.show());
            const QString theme =
                choice == ThemeSource::Choice::Dark ? QStringLiteral("dark") : QStringLiteral("light");
            for (const auto& [view, name] :
                 {std::pair(ValuesPanel::Table, "table"), std::pair(ValuesPanel::HeatMap, "heat_map"),
                  std::pair(ValuesPanel::Image, "image")}) {
                bench.panel->viewBox()->setCurrentIndex(view);
                const QImage picture = bench.pictureOf(*bench.panel);
                QVERIFY(picture.save(
                    test::artifactPath(QStringLiteral("values_%1_%2.png").arg(QLatin1String(name), theme))));
                QVERIFY(!test::isBlank(picture));
            }
        }
    }

    void theDrawingsTellWhatIsBelowThePointer() {
        ValuesBench bench;
        QVERIFY(bench.show());
        bench.panel->viewBox()->setCurrentIndex(ValuesPanel::HeatMap);
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->heatMap()->isVisible(), test::patience);
        QVERIFY(bench.panel->heatMap()->placeText({10, 10}).startsWith(QStringLiteral("[0, 0]")));
        QVERIFY(bench.panel->heatMap()->placeText({0, 0}).isEmpty());
        QVERIFY(bench.panel->histogram()->rangeText({12, 20}).contains(QStringLiteral("element")));
    }
};

AOTSCOPE_WINDOW_TEST(tst_values_panel, TestValuesPanel)
#include "tst_values_panel.moc"
