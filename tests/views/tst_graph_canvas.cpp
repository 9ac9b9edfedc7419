#include "canvas_picture.h"
#include "support/window_test.h"

#include "contract/category_facts.h"
#include "graph/graph_canvas.h"
#include "graph/graph_export.h"
#include "graph/graph_search.h"
#include "graph/minimap.h"
#include "graph/png_file.h"
#include "graph/spatial_index.h"
#include "ir/graph_builder.h"
#include "ir/text/descriptor_text.h"

#include <QBuffer>
#include <QRandomGenerator>
#include <QXmlStreamReader>

#include <cmath>

using namespace aotscope;
using namespace aotscope::views;

namespace {

class TestGraphCanvas : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spatialIndexFindsWhatAScanFinds();
    void categoriesFollowDescriptorsSourcesAndDataflow();
    void clickPicksTheBoxUnderTheMouse();
    void hoverKeepsNeighboursAndFadesTheRestWithoutMoving();
    void arrowsWalkAlongEdgesAndAcrossSavedOnes();
    void wheelPansAndControlWheelZoomsAtTheCursor();
    void shiftDragSelectsARectangle();
    void foldingKeepsTheGroupsPlaceOnScreen();
    void titleAndKeysAskToFold();
    void fitShowsEverything();
    void paintsAtEveryZoom_data();
    void paintsAtEveryZoom();
    void savedBandGrowsWithBytes();
    void svgIsWellFormedAndNamesNodes();
    void imageStaysWithinItsBounds();
    void searchLooksIntoEveryFieldAndReportsBadPatterns();
    void endlessBacktrackingGivesUp();
    void minimapMovesTheView();
    void titlesAreLeftOutOfAnOverview();
    void theFirstViewShowsWhatTheFirstNodeReads();
    void aPngIsWrittenWithItsShareAndCanBeStopped();
};

void TestGraphCanvas::spatialIndexFindsWhatAScanFinds() {
    QRandomGenerator random(7);
    std::vector<QRectF> rects;
    for (int i = 0; i < 2'000; ++i) {
        const bool longOne = i % 50 == 0;
        rects.emplace_back(random.bounded(5'000.0), random.bounded(90'000.0),
                           longOne ? 4'000 : random.bounded(200.0), i % 3 == 0 ? 0 : random.bounded(60.0));
    }
    const SpatialIndex index(rects);
    for (int i = 0; i < 200; ++i) {
        const QRectF area(random.bounded(5'000.0) - 500, random.bounded(90'000.0) - 500,
                          random.bounded(3'000.0) + 1, random.bounded(9'000.0) + 1);
        std::vector<std::uint32_t> found;
        index.forEachIn(area, [&](std::uint32_t item) { found.push_back(item); });
        std::vector<std::uint32_t> expected;
        for (std::uint32_t item = 0; item < index.size(); ++item) {
            if (index.rect(item).intersects(area)) {
                expected.push_back(item);
            }
        }
        std::sort(found.begin(), found.end());
        QCOMPARE(found, expected);
    }
}

void TestGraphCanvas::categoriesFollowDescriptorsSourcesAndDataflow() {
    const session::LayoutSnapshotPtr picture = smallPicture(false);
    const ir::Graph& graph = *picture->graph->graph;
    const std::vector<Category> categories = layout::nodeCategories(session::categoryFacts(*picture->graph));
    const auto of = [&](const char* name) { return categories[graph.tryFind(name)->index()]; };
    QCOMPARE(of("primals_1"), Category::Parameter);
    QCOMPARE(of("primals_2"), Category::Input);
    QCOMPARE(of("tangents_1"), Category::Tangent);
    QCOMPARE(of("mm"), Category::Temporary);
    QCOMPARE(of("relu"), Category::Output);
    QCOMPARE(of("mul"), Category::Gradient);
}

void TestGraphCanvas::clickPicksTheBoxUnderTheMouse() {
    Shown shown;
    QSignalSpy picked(&shown.canvas, &GraphCanvas::picked);
    for (const char* name : {"mm", "mul", "output"}) {
        QTest::mouseClick(&shown.canvas, Qt::LeftButton, {}, shown.pixel(shown.box(name)));
        QCOMPARE(shown.name(shown.canvas.current()), std::string(name));
    }
    QCOMPARE(picked.size(), 3);
    QTest::mouseClick(&shown.canvas, Qt::LeftButton, {}, shown.canvas.toPixel(QPointF(400, 20)).toPoint());
    QVERIFY(!shown.canvas.current().valid());
}

void TestGraphCanvas::hoverKeepsNeighboursAndFadesTheRestWithoutMoving() {
    Shown shown;
    const QRectF before = shown.canvas.visibleArea();
    QTest::mouseMove(&shown.canvas, shown.pixel(shown.box("mm")));
    QTRY_COMPARE_WITH_TIMEOUT(shown.canvas.look().hovered, shown.box("mm"), test::patience);
    const auto& kept = shown.canvas.look().kept;
    for (const char* name : {"mm", "primals_1", "primals_2", "relu"}) {
        QVERIFY2(kept.contains(shown.box(name).index()), name);
    }
    QVERIFY(!kept.contains(shown.box("mul").index()));
    QVERIFY(!kept.contains(shown.box("output").index()));
    QCOMPARE(shown.canvas.visibleArea(), before);
    QTest::mouseMove(&shown.canvas, shown.canvas.toPixel(QPointF(400, 20)).toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(shown.canvas.look().kept.empty(), test::patience);
}

void TestGraphCanvas::arrowsWalkAlongEdgesAndAcrossSavedOnes() {
    Shown shown;
    shown.canvas.setFocus();
    shown.canvas.setCurrent(shown.box("primals_1"));
    const auto press = [&](Qt::Key key) {
        QTest::keyClick(&shown.canvas, key);
        return shown.name(shown.canvas.current());
    };
    QCOMPARE(press(Qt::Key_Down), std::string("mm"));
    QCOMPARE(press(Qt::Key_S), std::string("relu"));
    QCOMPARE(press(Qt::Key_Right), std::string("mul"));
    QCOMPARE(press(Qt::Key_A), std::string("relu"));
    QCOMPARE(press(Qt::Key_W), std::string("mm"));
    QCOMPARE(press(Qt::Key_Up), std::string("primals_1"));
    QCOMPARE(press(Qt::Key_D), std::string("primals_2"));
    QCOMPARE(press(Qt::Key_Up), std::string("primals_2"));
    QTest::keyClick(&shown.canvas, Qt::Key_Escape);
    QVERIFY(!shown.canvas.current().valid());
}

void TestGraphCanvas::wheelPansAndControlWheelZoomsAtTheCursor() {
    Shown shown;
    shown.canvas.zoomTo(2, QPointF(450, 300));
    const QPointF cursor(300, 200);
    const auto turn = [&](Qt::KeyboardModifiers modifiers, int amount) {
        QWheelEvent event(cursor, shown.canvas.mapToGlobal(cursor), QPoint(), QPoint(0, amount), Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&shown.canvas, &event);
    };
    const QRectF before = shown.canvas.visibleArea();
    turn({}, -120);
    QCOMPARE(shown.canvas.zoom(), 2.0);
    QVERIFY(shown.canvas.visibleArea().top() > before.top());
    const QPointF under = shown.canvas.toScene(cursor);
    turn(Qt::ControlModifier, 120);
    QVERIFY(shown.canvas.zoom() > 2);
    QVERIFY((shown.canvas.toScene(cursor) - under).manhattanLength() < 1e-6);
}

void TestGraphCanvas::shiftDragSelectsARectangle() {
    Shown shown;
    const QPoint from = shown.canvas.toPixel(QPointF(60, 60)).toPoint();
    const QPoint to = shown.canvas.toPixel(QPointF(320, 240)).toPoint();
    const QRectF before = shown.canvas.visibleArea();
    QTest::mousePress(&shown.canvas, Qt::LeftButton, Qt::ShiftModifier, from);
    QMouseEvent move(QEvent::MouseMove, to, shown.canvas.mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                     Qt::ShiftModifier);
    QCoreApplication::sendEvent(&shown.canvas, &move);
    QTest::mouseRelease(&shown.canvas, Qt::LeftButton, Qt::ShiftModifier, to);
    QCOMPARE(shown.canvas.visibleArea(), before);
    QCOMPARE(shown.canvas.marked().size(), std::size_t(2));
    QVERIFY(shown.canvas.marked().contains(shown.box("mm").index()));
    QVERIFY(shown.canvas.marked().contains(shown.box("relu").index()));
}

void TestGraphCanvas::foldingKeepsTheGroupsPlaceOnScreen() {
    Shown shown(true);
    shown.canvas.zoomTo(1.7, QPointF(200, 200));
    const BoxId group = shown.box("mm");
    const QPointF before = shown.canvas.toPixel(shown.scene->rect(group)).topLeft();
    const GraphScenePtr open = GraphScene::make(smallPicture(false));
    shown.show(open, GraphCanvas::Anchor{"fc", false}, true);
    const QPointF after = shown.canvas.toPixel(open->frame(GroupId(0))).topLeft();
    QVERIFY((after - before).manhattanLength() < 1e-6);
    QCOMPARE(shown.canvas.zoom(), 1.7);
}

void TestGraphCanvas::titleAndKeysAskToFold() {
    Shown shown(true);
    QSignalSpy toggled(&shown.canvas, &GraphCanvas::toggleGroup);
    shown.canvas.setCurrent(shown.box("mm"));
    QTest::keyClick(&shown.canvas, Qt::Key_Return);
    QCOMPARE(toggled.size(), 1);
    QTest::mouseDClick(&shown.canvas, Qt::LeftButton, {}, shown.pixel(shown.box("mm")));
    QCOMPARE(toggled.size(), 2);
    Shown opened(false);
    QSignalSpy closing(&opened.canvas, &GraphCanvas::toggleGroup);
    const QRectF title = opened.canvas.toPixel(opened.scene->titleRect(GroupId(0)));
    QTest::mouseClick(&opened.canvas, Qt::LeftButton, {},
                      QPointF(title.left() + 8, title.center().y()).toPoint());
    QCOMPARE(closing.size(), 1);
}

void TestGraphCanvas::fitShowsEverything() {
    Shown shown;
    shown.canvas.zoomTo(3, QPointF(10, 10));
    QTest::keyClick(&shown.canvas, Qt::Key_Space);
    QVERIFY(shown.canvas.visibleArea().contains(shown.scene->bounds()));
    shown.canvas.centerOn(QPointF(1e9, -1e9));
    QVERIFY(shown.canvas.visibleArea().intersects(shown.scene->bounds()));
}

void TestGraphCanvas::paintsAtEveryZoom_data() {
    QTest::addColumn<double>("zoom");
    for (const double zoom : {0.02, 0.1, 0.2, 0.45, 0.6, 1.0, 3.0}) {
        QTest::addRow("%g", zoom) << zoom;
    }
}

void TestGraphCanvas::paintsAtEveryZoom() {
    QFETCH(double, zoom);
    for (const bool closed : {false, true}) {
        Shown shown(closed);
        shown.canvas.zoomTo(zoom, shown.canvas.toPixel(shown.scene->bounds().center()));
        QVERIFY(!test::isBlank(shown.canvas.grab().toImage()));
    }
}

void TestGraphCanvas::savedBandGrowsWithBytes() {
    // The band between relu and mul, cut across half way.
    const auto thickness = [](std::int64_t bytes) {
        const ThemeSource theme;
        const session::LayoutSnapshotPtr made = smallPicture(false);
        const GraphScenePtr scene = GraphScene::make(made);
        SceneLook look = SceneLook::of(theme.theme());
        look.coloring = makeColoring(*scene, ColorBy::Kind, look.theme, nullptr);
        look.marks = savedMarks(made, {"relu"}, bytes);
        const QImage image = toImage({scene, look, {}}, 2);
        int count = 0;
        const int x = int(340 + 16) * 2;
        for (int y = int(180 + 16) * 2; y < int(220 + 16) * 2; ++y) {
            count += image.pixelColor(x, y) != look.theme.background;
        }
        return count;
    };
    const int small = thickness(2'048);
    const int large = thickness(std::int64_t(1) << 29);
    QVERIFY(small > 0);
    QVERIFY2(large > 2 * small, qPrintable(QStringLiteral("%1 against %2").arg(large).arg(small)));
}

void TestGraphCanvas::svgIsWellFormedAndNamesNodes() {
    Shown shown;
    const QByteArray svg = test::contentOf(
        pictureFile({shown.scene, shown.canvas.look(), QStringLiteral("a graph")}, PictureFormat::Svg));
    QXmlStreamReader reader(svg);
    QString texts;
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::Characters) {
            texts += reader.text();
        }
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    for (const char* name : {"primals_1", "mm", "relu", "mul"}) {
        QVERIFY2(texts.contains(QLatin1String(name)), name);
    }
}

void TestGraphCanvas::imageStaysWithinItsBounds() {
    Shown shown;
    const QImage image = toImage({shown.scene, shown.canvas.look(), {}}, 2);
    QVERIFY(!test::isBlank(image));
    QCOMPARE(image.width(), int((shown.scene->bounds().width() + 32) * 2));
    const double scale = allowedScale(QSizeF(1'000, 3'000'000), 2);
    QVERIFY(scale * 3'000'000 <= 16'384);
    QVERIFY(allowedScale(QSizeF(10'000, 10'000), 2) <= 1);
}

void TestGraphCanvas::searchLooksIntoEveryFieldAndReportsBadPatterns() {
    const session::LayoutSnapshotPtr picture = smallPicture(false);
    const ir::Graph& graph = *picture->graph->graph;
    GraphSearch search;
    search.setGraph(picture->graph);
    const auto find = [&](const char* pattern) {
        search.setPattern(QLatin1String(pattern));
        [[maybe_unused]] const bool ended =
            QTest::qWaitFor([&] { return !search.isRunning(); }, test::patience);
        QStringList names;
        for (const ir::NodeId node : search.found()) {
            names << QString::fromStdString(graph.node(node).name);
        }
        return names.join(QLatin1Char(' '));
    };
    QCOMPARE(find("^prim.*_[12]$"), QStringLiteral("primals_1 primals_2"));
    QCOMPARE(find("aten\\.(mm|mul)"), QStringLiteral("mm mul"));
    QCOMPARE(find("MM"), QString());
    QCOMPARE(find("_parameters\\['weight"), QStringLiteral("primals_1"));
    QCOMPARE(find("^fc$"), QStringLiteral("mm relu"));
    QVERIFY(find("f32\\[8, 4\\]").contains(QLatin1String("relu")));
    QCOMPARE(find("(["), QString());
    QVERIFY(search.error().contains(QLatin1String("column")));
    QCOMPARE(find("relu"), QStringLiteral("relu"));
    QVERIFY(search.error().isEmpty());
}

void TestGraphCanvas::endlessBacktrackingGivesUp() {
    ir::GraphBuilder graph;
    graph.append(tensorNode(std::string(4'000, 'a'), ir::Opcode::Placeholder, "", {}));
    auto snapshot = std::make_shared<session::GraphSnapshot>();
    snapshot->graph = graph.finish();
    GraphSearch search;
    search.setGraph(snapshot);
    search.setPattern(QStringLiteral("(a+)+b"));
    QVERIFY(QTest::qWaitFor([&] { return !search.isRunning(); }, test::patience));
    QVERIFY(search.found().empty());
}

void TestGraphCanvas::titlesAreLeftOutOfAnOverview() {
    const Shown shown;
    SceneLook look = SceneLook::of(shown.theme.theme());
    ScenePainter painter;
    painter.setScene(shown.scene);
    // The group's frame is large enough for its title, near and far.
    const QRectF viewport(0, 0, 400, 300);
    for (const double zoom : {1.0, 0.3}) {
        look.titles = true;
        QCOMPARE(painter.titles(look, viewport, {}, zoom).size(), std::size_t(1));
        look.titles = false;
        QVERIFY(painter.titles(look, viewport, {}, zoom).empty());
    }
}

void TestGraphCanvas::theFirstViewShowsWhatTheFirstNodeReads() {
    Shown shown;
    for (const QSize size : {QSize(260, 220), QSize(330, 160), QSize(420, 180)}) {
        shown.canvas.resize(size);
        shown.show(shown.scene);
        const QRectF view = shown.canvas.visibleArea();
        const QRectF mm = shown.scene->rect(shown.box("mm"));
        QVERIFY2(view.top() <= mm.top() && mm.bottom() <= view.bottom(),
                 qPrintable(QString::number(size.width())));
        const double inputs = std::min(shown.scene->rect(shown.box("primals_1")).top(),
                                       shown.scene->rect(shown.box("primals_2")).top());
        const bool haveRoom = mm.bottom() - inputs + 60 < view.height();
        QVERIFY2(!haveRoom || view.top() <= inputs, qPrintable(QString::number(size.width())));
    }
}

void TestGraphCanvas::aPngIsWrittenWithItsShareAndCanBeStopped() {
    QImage image(700, 300, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    for (int i = 0; i < 300; ++i) {
        image.setPixelColor(i * 2, i, QColor(i % 256, 7 * i % 256, 3));
    }
    QBuffer whole;
    QVERIFY(whole.open(QIODevice::WriteOnly));
    std::uint64_t most = 0;
    base::Progress progress([&](const base::ProgressState& state) { most = std::max(most, state.total); },
                            {});
    QVERIFY(writePng(image, whole, progress));
    QCOMPARE(most, std::uint64_t(300));
    QImage read;
    QVERIFY(read.loadFromData(whole.data(), "PNG"));
    QCOMPARE(read.convertToFormat(QImage::Format_RGB32), image.convertToFormat(QImage::Format_RGB32));

    std::stop_source stop;
    base::Progress stopped([&](const base::ProgressState&) { stop.request_stop(); }, stop.get_token());
    QBuffer part;
    QVERIFY(part.open(QIODevice::WriteOnly));
    QVERIFY(!writePng(image, part, stopped));
    QVERIFY(part.size() < whole.size());
}

void TestGraphCanvas::minimapMovesTheView() {
    Shown shown;
    Minimap minimap(&shown.canvas);
    minimap.refresh();
    shown.canvas.zoomTo(4, QPointF(0, 0));
    QVERIFY(minimap.isVisible());
    const QPointF before = shown.canvas.visibleArea().center();
    QTest::mousePress(&minimap, Qt::LeftButton, {}, QPoint(minimap.width() - 10, minimap.height() - 10));
    QTest::mouseRelease(&minimap, Qt::LeftButton, {}, QPoint(minimap.width() - 10, minimap.height() - 10));
    const QPointF after = shown.canvas.visibleArea().center();
    QVERIFY(after.x() > before.x() && after.y() > before.y());
    QTest::keyClick(&shown.canvas, Qt::Key_Space);
    QVERIFY(!minimap.isVisible());
}

} // namespace

AOTSCOPE_WINDOW_TEST(tst_graph_canvas, TestGraphCanvas)
#include "tst_graph_canvas.moc"
