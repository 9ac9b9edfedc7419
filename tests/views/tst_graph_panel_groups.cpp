// Groups in the Graph panel: opened, closed and picked.
#include "graph_panel_bench.h"

#include <algorithm>

using namespace aotscope;
using namespace aotscope::views;

namespace {

class TestGraphPanelGroups : public QObject, test::GraphPanelBench {
    Q_OBJECT

private Q_SLOTS:
    void init() { QVERIFY(open()); }
    void cleanup() { close(); }
    void foldedGroupOpensInPlaceAndKeepsItsNodes();
    void anOpenedGroupHasSomethingInSight();
    void theTitleOfAnOpenGroupPicksAllOfIt();
    void pickingAClosedGroupSelectsItsFirstNode();

private:
    const layout::Group* closeFirstGroup();
};

void TestGraphPanelGroups::foldedGroupOpensInPlaceAndKeepsItsNodes() {
    QVERIFY(show("joint"));
    const auto& groups = m_panel->shown()->layout->groups;
    QVERIFY(!groups.empty());
    std::uint32_t open = 0;
    while (open < groups.size() && !groups[open].open) {
        ++open;
    }
    QVERIFY(open < groups.size());
    const std::string path = groups[open].path;
    const ir::NodeId inside = groups[open].nodes.front();
    const std::size_t before = m_panel->shown()->layout->boxes.size();
    const session::LayoutSnapshotPtr first = m_panel->shown();
    canvas()->showArea(canvas()->scene()->frame(GroupId(open)));
    Q_EMIT canvas()->toggleGroup(GroupId(open));
    QTRY_VERIFY_WITH_TIMEOUT(m_panel->shown() != first, test::patience);
    QVERIFY(m_panel->shown()->layout->boxes.size() < before);
    const BoxId closed = canvas()->scene()->boxOf(inside);
    QVERIFY(canvas()->scene()->box(closed).isGroup);
    const QPointF place = canvas()->toPixel(canvas()->scene()->rect(closed)).topLeft();

    canvas()->setCurrent(closed);
    QTest::keyClick(canvas(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(m_panel->shown()->layout->boxes.size(), before, test::patience);
    bool found = false;
    const auto& reopened = m_panel->shown()->layout->groups;
    for (std::uint32_t i = 0; i < reopened.size(); ++i) {
        if (reopened[i].path == path && reopened[i].isBackward == groups[open].isBackward &&
            reopened[i].open) {
            const QPointF now = canvas()->toPixel(canvas()->scene()->frame(GroupId(i))).topLeft();
            QVERIFY((now - place).manhattanLength() < 1);
            found = true;
        }
    }
    QVERIFY(found);
}

/// Closes the first open group and returns it as it was; null if none is open. Valid as long as the shown
/// layout.
const layout::Group* TestGraphPanelGroups::closeFirstGroup() {
    const auto& groups = m_panel->shown()->layout->groups;
    const auto open = std::ranges::find_if(groups, [](const layout::Group& group) { return group.open; });
    if (open == groups.end()) {
        return nullptr;
    }
    Q_EMIT canvas()->toggleGroup(GroupId(static_cast<std::uint32_t>(open - groups.begin())));
    return &*open;
}

void TestGraphPanelGroups::anOpenedGroupHasSomethingInSight() {
    QVERIFY(show("joint"));
    const session::LayoutSnapshotPtr first = m_panel->shown();
    const layout::Group* open = closeFirstGroup();
    QVERIFY(open != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(m_panel->shown() != first, test::patience);
    const session::LayoutSnapshotPtr folded = m_panel->shown();
    const BoxId closed = canvas()->scene()->boxOf(open->nodes.front());
    // As near as it gets, with the group's upper left corner at the window's lower right one.
    canvas()->zoomBy(1e6);
    canvas()->centerOn(canvas()->scene()->rect(closed).topLeft() -
                       QPointF(canvas()->visibleArea().width(), canvas()->visibleArea().height()) * 0.49);
    Q_EMIT canvas()->toggleGroup(canvas()->scene()->box(closed).group);
    QTRY_VERIFY_WITH_TIMEOUT(m_panel->shown() != folded, test::patience);
    QVERIFY(std::ranges::any_of(open->nodes, [&](ir::NodeId node) {
        return canvas()->visibleArea().intersects(canvas()->scene()->rect(canvas()->scene()->boxOf(node)));
    }));
}

void TestGraphPanelGroups::theTitleOfAnOpenGroupPicksAllOfIt() {
    QVERIFY(show("joint"));
    const auto groups = m_panel->shown()->layout->groups;
    const auto open = std::ranges::find_if(groups, [](const layout::Group& each) { return each.open; });
    QVERIFY(open != groups.end());
    canvas()->zoomTo(1, QRectF(canvas()->rect()).center());
    const QPointF corner(open->frame.x, open->frame.y);
    canvas()->centerOn(corner + QPointF(200, 200));
    const QPoint title = canvas()->toPixel(corner + QPointF(60, 8)).toPoint();
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, title);
    std::vector<ir::NodeId> wanted = open->nodes;
    std::vector<ir::NodeId> found = m_panel->picked();
    std::ranges::sort(wanted);
    std::ranges::sort(found);
    QVERIFY(wanted.size() > 1);
    QVERIFY(found == wanted);
    QTest::keyClick(canvas(), Qt::Key_Escape);
    QVERIFY(m_panel->picked().empty());
}

void TestGraphPanelGroups::pickingAClosedGroupSelectsItsFirstNode() {
    QVERIFY(show("joint"));
    const session::LayoutSnapshotPtr first = m_panel->shown();
    const layout::Group* open = closeFirstGroup();
    QVERIFY(open != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(m_panel->shown() != first, test::patience);
    const ir::Graph& graph = *first->graph->graph;
    ir::NodeId expected;
    for (const ir::NodeId node : graph.order()) {
        const bool inside = std::ranges::find(open->nodes, node) != open->nodes.end();
        expected = inside && !expected.valid() ? node : expected;
    }
    const BoxId box = canvas()->scene()->boxOf(expected);
    QVERIFY(canvas()->scene()->box(box).isGroup);
    canvas()->centerOn(box);
    QTest::mouseClick(canvas(), Qt::LeftButton, {},
                      canvas()->toPixel(canvas()->scene()->rect(box).center()).toPoint());
    QCOMPARE(m_bench->hub.current()->node, graph.node(expected).name);
    QCOMPARE(canvas()->current(), box);
    // What is exported as the selection is the group.
    QCOMPARE(m_panel->picked().size(), open->nodes.size());
    // Another node of the group that was selected before stays.
    const std::string last = graph.node(open->nodes.back()).name;
    m_bench->hub.select({m_panel->shown()->graph->reference, last});
    Q_EMIT canvas()->picked(box);
    QCOMPARE(m_bench->hub.current()->node, last);
}

} // namespace

AOTSCOPE_WINDOW_TEST(tst_graph_panel_groups, TestGraphPanelGroups)
#include "tst_graph_panel_groups.moc"
