#include "compare/compare_models.h"
#include "compare/compare_panel.h"
#include "compare/graph_list_model.h"
#include "support/temp_folder.h"
#include "support/view_bench.h"
#include "support/window_test.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

std::string graphText(const std::string& first, const std::string& scale, bool withRelu) {
    return "class GraphModule(torch.nn.Module):\n"
           "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n"
           "        " +
           first + ": \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.mul.Tensor(arg0_1, " + scale +
           ");  arg0_1 = None\n" +
           (withRelu ? "        relu: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.relu.default(" + first +
                           ");  " + first + " = None\n"
                     : std::string()) +
           "        return (" + (withRelu ? "relu" : first) + ",)\n        \n";
}

class TestComparePanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void saysWhatToChooseFirst();
    void listsEveryGraphOfTheOpenLogs();
    void differencesAreCountedListedAndAligned();
    void equalGraphsSaySo();
    void pickingADifferenceSelectsTheNodeEverywhere();
    void selectionElsewhereIsFollowed();
    void swapTurnsTheComparisonAround();
    void modelsKeepTheirRules();
    void failureIsExplained();

private:
    /// Opens a graph file and names its graph.
    [[nodiscard]] session::ArtifactReference file(const char* name, const std::string& text) {
        [[maybe_unused]] const bool opened = m_bench->open(m_folder.write(name, text));
        Q_ASSERT(opened);
        return m_bench->log->graphs().front()->reference;
    }
    [[nodiscard]] bool compare(const session::ArtifactReference& left,
                               const session::ArtifactReference& right) {
        m_panel->compare(left, right);
        return QTest::qWaitFor(
            [&] {
                return m_panel->shown() && m_panel->shown()->left->reference == left &&
                       m_panel->shown()->right->reference == right;
            },
            test::patience);
    }
    [[nodiscard]] QString summary() const {
        return m_panel->findChild<QLabel*>(QStringLiteral("compareSummary"))->text();
    }
    template<typename View>
    [[nodiscard]] View* view(const char* name) const {
        return m_panel->findChild<View*>(QLatin1String(name));
    }

    test::TempFolder m_folder;
    std::unique_ptr<test::ViewBench> m_bench;
    std::unique_ptr<ComparePanel> m_panel;
};

void TestComparePanel::init() {
    m_bench = std::make_unique<test::ViewBench>();
    m_panel = std::make_unique<ComparePanel>(m_bench->context());
    m_panel->resize(1'000, 700);
    m_panel->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_panel.get(), test::patience));
}

void TestComparePanel::cleanup() {
    m_panel.reset();
    m_bench.reset();
}

void TestComparePanel::saysWhatToChooseFirst() {
    QVERIFY(!m_panel->shown());
    bool said = false;
    for (const QLabel* label : m_panel->findChildren<QLabel*>()) {
        said = said || (label->isVisible() && label->text().contains(QLatin1String("Choose two graphs")));
    }
    QVERIFY(said);
}

void TestComparePanel::listsEveryGraphOfTheOpenLogs() {
    QVERIFY(m_bench->open(test::sampleLog()));
    std::size_t expected = 0;
    const load::TraceLog& log = *m_bench->log->traceLog();
    for (std::uint32_t i = 0; i < log.compiles().size(); ++i) {
        for (const load::Artifact& artifact : log.artifacts(load::CompileIndex(i))) {
            expected += artifact.isGraph ? 1 : 0;
        }
    }
    auto* left = view<QComboBox>("compareLeft");
    QTRY_COMPARE_WITH_TIMEOUT(std::size_t(left->count()), expected, test::patience);
    const int joint = left->findText(QStringLiteral("0/0 · Joint"), Qt::MatchContains);
    const int forward = left->findText(QStringLiteral("0/0 · Forward"), Qt::MatchContains);
    QVERIFY(joint >= 0 && forward >= 0);
    left->setCurrentIndex(joint);
    Q_EMIT left->activated(joint);
    auto* right = view<QComboBox>("compareRight");
    right->setCurrentIndex(forward);
    Q_EMIT right->activated(forward);
    QTRY_VERIFY_WITH_TIMEOUT(m_panel->shown(), test::patience);
    QCOMPARE(m_panel->shown()->left->reference.artifact, std::string("joint"));
    QCOMPARE(m_panel->shown()->right->reference.artifact, std::string("forward"));
    QVERIFY(m_bench->pictureOf(*m_panel).save(test::artifactPath(QStringLiteral("compare_panel.png"))));
}

void TestComparePanel::differencesAreCountedListedAndAligned() {
    const auto left = file("left.txt", graphText("mul", "2", false));
    const auto right = file("right.txt", graphText("mul", "3", true));
    QVERIFY(compare(left, right));
    QVERIFY2(summary().contains(QLatin1String("added")), qPrintable(summary()));
    QVERIFY2(summary().contains(QLatin1String("changed")), qPrintable(summary()));
    const QAbstractItemModel* rows = view<QTreeView>("compareColumns")->model();
    const ir::Graph& graph = *m_panel->shown()->right->graph;
    QCOMPARE(std::size_t(rows->rowCount()), graph.size());
    int added = 0;
    for (int row = 0; row < rows->rowCount(); ++row) {
        const QString marker = rows->index(row, AlignedModel::Marker).data().toString();
        if (rows->index(row, AlignedModel::Right).data().toString().startsWith(QLatin1String("relu"))) {
            QCOMPARE(marker, QStringLiteral("+"));
            QVERIFY(rows->index(row, AlignedModel::Left).data().toString().isEmpty());
            ++added;
        }
    }
    QCOMPARE(added, 1);
    auto* only = m_panel->findChild<QCheckBox*>();
    only->setChecked(true);
    QVERIFY(rows->rowCount() < int(graph.size()));
    for (int row = 0; row < rows->rowCount(); ++row) {
        QVERIFY(!rows->index(row, AlignedModel::Marker).data().toString().isEmpty());
    }
}

void TestComparePanel::equalGraphsSaySo() {
    const auto left = file("left.txt", graphText("mul", "2", true));
    const auto right = file("right.txt", graphText("mul", "2", true));
    QVERIFY(compare(left, right));
    QVERIFY2(summary().contains(QLatin1String("The graphs are equal")), qPrintable(summary()));
    const auto renamed = file("renamed.txt", graphText("mul_7", "2", true));
    QVERIFY(compare(left, renamed));
    QVERIFY2(summary().contains(QLatin1String("Equal except for names")), qPrintable(summary()));
}

void TestComparePanel::pickingADifferenceSelectsTheNodeEverywhere() {
    const auto left = file("left.txt", graphText("mul", "2", false));
    const auto right = file("right.txt", graphText("mul", "2", true));
    QVERIFY(compare(left, right));
    auto* table = view<QTreeView>("compareTable");
    int relu = -1;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
        if (table->model()->index(row, DifferenceModel::Right).data().toString() == QLatin1String("relu")) {
            relu = row;
        }
    }
    QVERIFY(relu >= 0);
    const QModelIndex index = table->model()->index(relu, 0);
    table->scrollTo(index);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
    QVERIFY(m_bench->hub.current().has_value());
    QCOMPARE(m_bench->hub.current()->node, std::string("relu"));
    QCOMPARE(m_bench->hub.current()->artifact, right);
    const QModelIndex shown = view<QTreeView>("compareColumns")->currentIndex();
    QVERIFY(shown.siblingAtColumn(AlignedModel::Right).data().toString().startsWith(QLatin1String("relu")));
}

void TestComparePanel::selectionElsewhereIsFollowed() {
    const auto left = file("left.txt", graphText("mul", "2", true));
    const auto right = file("right.txt", graphText("mul", "3", true));
    QVERIFY(compare(left, right));
    m_bench->hub.select({left, "mul"});
    const QModelIndex shown = view<QTreeView>("compareColumns")->currentIndex();
    QVERIFY(shown.siblingAtColumn(AlignedModel::Left).data().toString().startsWith(QLatin1String("mul")));
}

void TestComparePanel::swapTurnsTheComparisonAround() {
    const auto left = file("left.txt", graphText("mul", "2", false));
    const auto right = file("right.txt", graphText("mul", "2", true));
    QVERIFY(compare(left, right));
    QVERIFY(summary().contains(QLatin1String("added")));
    view<QToolButton>("compareSwap")->click();
    QTRY_COMPARE_WITH_TIMEOUT(m_panel->shown()->left->reference, right, test::patience);
    QVERIFY2(summary().contains(QLatin1String("removed")), qPrintable(summary()));
}

void TestComparePanel::modelsKeepTheirRules() {
    const auto left = file("left.txt", graphText("mul", "2", false));
    const auto right = file("right.txt", graphText("mul", "3", true));
    QVERIFY(compare(left, right));
    AlignedModel aligned(m_bench->theme);
    DifferenceModel differences(m_bench->theme);
    UnifiedModel unified(m_bench->theme);
    for (QAbstractItemModel* model :
         {static_cast<QAbstractItemModel*>(&aligned), static_cast<QAbstractItemModel*>(&differences),
          static_cast<QAbstractItemModel*>(&unified)}) {
        new QAbstractItemModelTester(model, QAbstractItemModelTester::FailureReportingMode::QtTest, model);
    }
    aligned.setDiff(m_panel->shown());
    differences.setDiff(m_panel->shown());
    unified.setDiff(m_panel->shown());
    QVERIFY(aligned.rowCount() > 0 && differences.rowCount() > 0 && unified.rowCount() > 0);
    aligned.setOnlyDifferences(true);
    aligned.setDiff(nullptr);
    differences.setDiff(nullptr);
    unified.setDiff(nullptr);
    QCOMPARE(aligned.rowCount() + differences.rowCount() + unified.rowCount(), 0);
}

void TestComparePanel::failureIsExplained() {
    const auto left = file("left.txt", graphText("mul", "2", false));
    session::ArtifactReference missing = left;
    missing.log = 99;
    QSignalSpy failed(&m_bench->engine, &EngineClient::failed);
    m_panel->compare(left, missing);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, test::patience);
    bool said = false;
    for (const QLabel* label : m_panel->findChildren<QLabel*>()) {
        said = said || (label->isVisible() && label->text().contains(QLatin1String("can't be compared")));
    }
    QVERIFY(said);
}

} // namespace

AOTSCOPE_WINDOW_TEST(tst_compare_panel, TestComparePanel)
#include "tst_compare_panel.moc"
