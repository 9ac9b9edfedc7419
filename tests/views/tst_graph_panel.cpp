#include "graph_panel_bench.h"

#include "graph/graph_export.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QXmlStreamReader>

using namespace aotscope;
using namespace aotscope::views;

namespace {

class TestGraphPanel : public QObject, test::GraphPanelBench {
    Q_OBJECT

private Q_SLOTS:
    void init() { QVERIFY(open()); }
    void cleanup() { close(); }
    void saysWhatWouldBeHereBeforeAGraphIsSelected();
    void drawsTheSelectedGraph();
    void clickSelectsForTheWholeWindow();
    void selectionElsewhereIsRingedAndCentred();
    void hoverElsewhereLightsUpWithoutMoving();
    void otherGraphDimsTheOldOneUntilItIsThere();
    void aNarrowToolBarGivesWayAndItsMenuHasWhatIsGone();
    void searchCountsHitsAndStepsThroughThem();
    void badPatternIsExplainedInline();
    void colorsFollowTheChoice();
    void runTimesColourAfterARun();
    void exportsAreNotBlank();
    void failureIsShownWithItsPlace();
    void cancelingSaysHowToGoOn();
    void closingTheLogEmptiesThePanel();
    void bothThemesArePainted();
};

void TestGraphPanel::saysWhatWouldBeHereBeforeAGraphIsSelected() {
    QVERIFY(!m_panel->shown());
    QVERIFY(shownTexts().contains(QLatin1String("Ctrl+O")));
    for (const PictureFormat format : {PictureFormat::Svg, PictureFormat::Png}) {
        QVERIFY(test::contentOf(pictureFile(m_panel->picture(false), format)).isEmpty());
    }
    QTest::keyClick(canvas(), Qt::Key_Down);
    QTest::keyClick(canvas(), Qt::Key_Space);
    QVERIFY(!canvas()->current().valid());
}

void TestGraphPanel::drawsTheSelectedGraph() {
    QVERIFY(show("joint"));
    QVERIFY(canvas()->isVisible());
    QVERIFY(m_panel->shown()->layout->folded);
    QVERIFY(shownTexts().contains(QLatin1String("Joint")));
    QVERIFY(m_bench->pictureOf(*m_panel).save(test::artifactPath(QStringLiteral("graph_panel.png"))));
    canvas()->fit();
    QVERIFY(m_bench->pictureOf(*m_panel).save(test::artifactPath(QStringLiteral("graph_panel_fit.png"))));
    QVERIFY(!test::isBlank(canvas()->grab().toImage()));
}

void TestGraphPanel::clickSelectsForTheWholeWindow() {
    QVERIFY(show("joint"));
    const std::string name = visibleNode(5);
    canvas()->centerOn(box(name));
    QSignalSpy selected(&m_bench->hub, &SelectionHub::selectionChanged);
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, canvas()->rect().center());
    QCOMPARE(selected.size(), 1);
    QCOMPARE(m_bench->hub.current()->node, name);
    QCOMPARE(canvas()->current(), box(name));
}

void TestGraphPanel::selectionElsewhereIsRingedAndCentred() {
    QVERIFY(show("joint"));
    const std::string name = visibleNode(20);
    m_bench->hub.select({m_panel->shown()->graph->reference, name});
    QCOMPARE(canvas()->current(), box(name));
    const QPointF middle = canvas()->toPixel(canvas()->scene()->rect(box(name))).center();
    QVERIFY((middle - QRectF(canvas()->rect()).center()).manhattanLength() < 4);
    // The ring is in the accent colour, two pixels outside the box.
    const QImage image = canvas()->grab().toImage();
    const QRectF ring = canvas()->toPixel(canvas()->scene()->rect(box(name)));
    const QColor color = image.pixelColor(int(ring.center().x()), int(ring.top()) - 2);
    const QColor accent = m_bench->theme.theme().accent;
    QVERIFY(std::abs(color.blue() - accent.blue()) < 90 && std::abs(color.red() - accent.red()) < 90);
}

void TestGraphPanel::hoverElsewhereLightsUpWithoutMoving() {
    QVERIFY(show("joint"));
    const QRectF before = canvas()->visibleArea();
    const std::string name = visibleNode(9);
    m_bench->hub.hover(session::Selection{m_panel->shown()->graph->reference, name});
    QCOMPARE(canvas()->look().hovered, box(name));
    QCOMPARE(canvas()->visibleArea(), before);
    m_bench->hub.hover(std::nullopt);
    QVERIFY(!canvas()->look().hovered.valid());
}

void TestGraphPanel::otherGraphDimsTheOldOneUntilItIsThere() {
    QVERIFY(show("joint"));
    m_bench->engine.hold();
    m_bench->hub.select({m_bench->reference("0/0", "forward"), {}});
    QVERIFY(canvas()->isStale());
    QCOMPARE(m_panel->shown()->graph->reference.artifact, std::string("joint"));
    m_bench->engine.release();
    QCOMPARE(m_panel->shown()->graph->reference.artifact, std::string("forward"));
    QVERIFY(!canvas()->isStale());
    // What is no graph leaves the picture alone.
    const load::TraceLog& log = *m_bench->log->traceLog();
    const load::CompileIndex compile = log.tryFindCompile(load::CompileId::parse("0/0").value()).value();
    for (const load::Artifact& artifact : log.artifacts(compile)) {
        if (!artifact.isGraph) {
            const std::size_t sent = m_bench->engine.sent().size();
            m_bench->hub.select({m_bench->reference("0/0", artifact.name), {}});
            QVERIFY(!canvas()->isStale());
            QCOMPARE(m_bench->engine.sent().size(), sent);
            return;
        }
    }
    QFAIL("the sample log has nothing but graphs");
}

void TestGraphPanel::aNarrowToolBarGivesWayAndItsMenuHasWhatIsGone() {
    QVERIFY(show("joint"));
    auto* colours = m_panel->findChild<QComboBox*>(QStringLiteral("graphColorBy"));
    auto* groups = m_panel->findChild<QComboBox*>(QStringLiteral("graphGrouping"));
    QVERIFY(colours->isVisible() && groups->isVisible());
    m_panel->resize(300, 500);
    QTRY_VERIFY_WITH_TIMEOUT(!groups->isVisible(), test::patience);
    for (const QWidget* widget :
         colours->parentWidget()->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (widget->isVisible() && widget->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored) {
            // What is left is laid out once the event loop turns.
            QTRY_VERIFY_WITH_TIMEOUT(widget->width() >= widget->minimumSizeHint().width(), test::patience);
            QTRY_VERIFY_WITH_TIMEOUT(widget->geometry().right() <= widget->parentWidget()->width(),
                                     test::patience);
        }
    }
    QMenu* menu = nullptr;
    for (const auto* button : m_panel->findChildren<QToolButton*>()) {
        menu = button->menu() ? button->menu() : menu;
    }
    QVERIFY(menu);
    Q_EMIT menu->aboutToShow();
    const QList<QMenu*> choices = menu->findChildren<QMenu*>(Qt::FindDirectChildrenOnly);
    QCOMPARE(choices.size(), 2);
    choices[1]->actions().at(1)->trigger();
    QCOMPARE(colours->currentIndex(), 1);
    QVERIFY(choices[0]->actions().at(0)->isChecked());
    m_panel->resize(1'100, 760);
    QTRY_VERIFY_WITH_TIMEOUT(groups->isVisible() && colours->isVisible(), test::patience);
}

void TestGraphPanel::searchCountsHitsAndStepsThroughThem() {
    QVERIFY(show("joint"));
    m_panel->focusSearch();
    auto* input = m_panel->findChild<QLineEdit*>(QStringLiteral("graphSearchInput"));
    auto* state = m_panel->findChild<QLabel*>(QStringLiteral("graphSearchState"));
    QVERIFY(input->isVisible());
    std::vector<std::string> expected;
    const ir::Graph& graph = *m_panel->shown()->graph->graph;
    for (const ir::NodeId node : graph.order()) {
        if (graph.node(node).target == "aten.addmm.default") {
            expected.push_back(graph.node(node).name);
        }
    }
    QVERIFY(expected.size() > 1);
    QTest::keyClicks(input, QStringLiteral("aten\\.addmm\\."));
    QTRY_COMPARE_WITH_TIMEOUT(state->text(), QString::number(expected.size()), test::patience);
    std::uint32_t hits = 0;
    for (const std::uint32_t count : *canvas()->look().hits) {
        hits += count;
    }
    QCOMPARE(std::size_t(hits), expected.size());
    for (std::size_t i = 0; i < expected.size() + 1; ++i) {
        QTest::keyClick(input, Qt::Key_Return);
        QCOMPARE(m_bench->hub.current()->node, expected[i % expected.size()]);
    }
    QTest::keyClick(input, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(m_bench->hub.current()->node, expected.back());
    QVERIFY(m_bench->pictureOf(*m_panel).save(test::artifactPath(QStringLiteral("graph_panel_search.png"))));
    QTest::keyClick(input, Qt::Key_Escape);
    QVERIFY(!input->isVisible());
    QVERIFY(!canvas()->look().hits);
}

void TestGraphPanel::badPatternIsExplainedInline() {
    QVERIFY(show("joint"));
    m_panel->focusSearch();
    auto* input = m_panel->findChild<QLineEdit*>(QStringLiteral("graphSearchInput"));
    QTest::keyClicks(input, QStringLiteral("(mm"));
    auto* state = m_panel->findChild<QLabel*>(QStringLiteral("graphSearchState"));
    QTRY_VERIFY_WITH_TIMEOUT(state->text().contains(QLatin1String("column")), test::patience);
}

void TestGraphPanel::colorsFollowTheChoice() {
    QVERIFY(show("joint"));
    auto* combo = m_panel->findChild<QComboBox*>(QStringLiteral("graphColorBy"));
    for (int i = 0; i < combo->count(); ++i) {
        combo->setCurrentIndex(i);
        const ColoringPtr& coloring = canvas()->look().coloring;
        QCOMPARE(coloring->entryOfBox.size(), canvas()->scene()->boxCount());
        std::size_t counted = 0;
        for (const Coloring::Entry& entry : coloring->entries) {
            counted += entry.count;
            QVERIFY(entry.count == 0 || !entry.label.isEmpty());
        }
        // Values are counted, not boxes: opening a group changes no number.
        QVERIFY2(counted == canvas()->scene()->graph().size() || !coloring->note.isEmpty(),
                 qPrintable(combo->itemText(i)));
    }
    // This model's inputs are parameters: Dynamo's sources say so.
    combo->setCurrentIndex(0);
    QStringList kinds;
    for (const Coloring::Entry& entry : canvas()->look().coloring->entries) {
        kinds << entry.label;
    }
    for (const char* kind : {"parameter", "gradient", "tangent", "output"}) {
        QVERIFY2(kinds.contains(QLatin1String(kind)), kind);
    }
}

void TestGraphPanel::runTimesColourAfterARun() {
    QVERIFY(show("joint"));
    auto* combo = m_panel->findChild<QComboBox*>(QStringLiteral("graphColorBy"));
    combo->setCurrentIndex(combo->findData(int(ColorBy::RunTime)));
    QVERIFY(!canvas()->look().coloring->note.isEmpty());
    auto run = std::make_shared<session::RunSnapshot>();
    run->graph = m_panel->shown()->graph;
    for (const ir::NodeId node : run->graph->graph->order()) {
        session::NodeRun each;
        each.node = node;
        each.nanoseconds = 1'000 + 1'000 * std::int64_t(node.index());
        run->nodes.push_back(each);
    }
    m_panel->setRun(run);
    QVERIFY(canvas()->look().coloring->note.isEmpty());
    std::size_t unknown = 0;
    for (std::uint32_t i = 0; i < canvas()->scene()->boxCount(); ++i) {
        unknown += canvas()->look().coloring->entryOfBox[i] + 1U == canvas()->look().coloring->entries.size();
    }
    QCOMPARE(unknown, std::size_t(0));
}

void TestGraphPanel::exportsAreNotBlank() {
    QVERIFY(show("joint"));
    const QImage whole = toImage(m_panel->picture(false), 1);
    QVERIFY(!test::isBlank(whole));
    const std::string name = visibleNode(5);
    m_bench->hub.select({m_panel->shown()->graph->reference, name});
    const QImage part = toImage(m_panel->picture(true), 1);
    QVERIFY(!test::isBlank(part));
    QVERIFY(part.width() * part.height() < whole.width() * whole.height());
    for (const bool selectionOnly : {false, true}) {
        const QByteArray svg =
            test::contentOf(pictureFile(m_panel->picture(selectionOnly), PictureFormat::Svg));
        QXmlStreamReader reader(svg);
        while (!reader.atEnd()) {
            reader.readNext();
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(svg.contains(name.c_str()));
    }
}

void TestGraphPanel::failureIsShownWithItsPlace() {
    QVERIFY(m_bench->open(test::sampleLog()));
    m_bench->engine.hold();
    m_bench->hub.select({m_bench->reference("0/0", "joint"), {}});
    base::Error error{"ir.text_syntax", "Unexpected \"!\"", {"joint", 12, 7, ""}, {}, {}};
    m_bench->engine.pretend(
        {m_bench->engine.lastJob(), m_bench->engine.tagOfLast().toStdString(), session::Failed{error}});
    const QString texts = shownTexts();
    QVERIFY(texts.contains(QLatin1String("12:7")));
    QVERIFY(texts.contains(QLatin1String("Text panel")));
}

void TestGraphPanel::cancelingSaysHowToGoOn() {
    QVERIFY(m_bench->open(test::sampleLog()));
    m_bench->engine.hold();
    m_bench->hub.select({m_bench->reference("0/0", "joint"), {}});
    m_bench->engine.cancel(m_bench->engine.lastJob());
    QVERIFY(shownTexts().contains(QLatin1String("canceled")));
}

void TestGraphPanel::closingTheLogEmptiesThePanel() {
    QVERIFY(show("joint"));
    m_bench->engine.send(session::CloseLog{m_bench->log->log});
    QTRY_VERIFY_WITH_TIMEOUT(!m_panel->shown(), test::patience);
    QVERIFY(!canvas()->scene());
    QVERIFY(shownTexts().contains(QLatin1String("No graph selected")));
}

void TestGraphPanel::bothThemesArePainted() {
    QVERIFY(show("joint"));
    canvas()->fit();
    m_bench->theme.choose(ThemeSource::Choice::Dark);
    const QImage dark = canvas()->grab().toImage();
    m_bench->theme.choose(ThemeSource::Choice::Light);
    const QImage light = canvas()->grab().toImage();
    const QPoint corner(3, canvas()->height() - 4);
    QCOMPARE(dark.pixelColor(corner), Theme::darkTheme().background);
    QCOMPARE(light.pixelColor(corner), Theme::lightTheme().background);
}

} // namespace

AOTSCOPE_WINDOW_TEST(tst_graph_panel, TestGraphPanel)
#include "tst_graph_panel.moc"
