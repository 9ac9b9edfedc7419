// Bands of saved values in the whole window: each can be clicked and has a menu, and a choice is drawn at
// once.
#include "explore_bench.h"
#include "support/window_test.h"

#include "common/breakpoint_list.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "graph/legend.h"
#include "partition/why_bar.h"
#include "steps/current_call.h"
#include "window/graph_dock.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>

#include <algorithm>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct BandBench : ExploreBench {
    GraphCanvas* canvas = nullptr;

    [[nodiscard]] bool begin() {
        if (!start()) {
            return false;
        }
        auto* panel = window->panel<GraphDock>()->panel();
        canvas = panel->findChild<GraphCanvas*>();
        panel->openAllGroups(true);
        return QTest::qWaitFor([this] { return marked() && !hasClosedGroup(); }, test::patience);
    }
    [[nodiscard]] bool hasClosedGroup() const {
        return std::ranges::any_of(canvas->scene()->layout().boxes, &layout::Box::isGroup);
    }
    [[nodiscard]] bool marked() const {
        return canvas->scene() && canvas->look().marks && canvas->look().marks->answer().split &&
               canvas->look().marks->answer().split->choices == split->choices();
    }
    [[nodiscard]] std::string nameOf(ir::NodeId node) const {
        return canvas->scene()->graph().node(node).name;
    }
    /// The band that carries a value, alone.
    [[nodiscard]] std::optional<std::size_t> bandOf(const std::string& name) const {
        const layout::SplitMarks& marks = canvas->look().marks->split();
        for (std::size_t i = 0; i < marks.bands.size(); ++i) {
            const auto& saved = marks.bands[i].saved;
            if (saved.size() == 1 && nameOf(marks.saved[saved.front()].node) == name) {
                return i;
            }
        }
        return std::nullopt;
    }
    /// A pixel of a band's label, as painted.
    [[nodiscard]] QPoint pixelOf(std::size_t band) const {
        const layout::Band& shown = canvas->look().marks->split().bands[band];
        canvas->zoomTo(1, QPointF(0, 0));
        const layout::Point& first = shown.path.front();
        const layout::Point& last = shown.path.back();
        canvas->centerOn(QPointF((first.x + last.x) / 2, (first.y + last.y) / 2));
        (void)canvas->grab();
        for (const PaintedScene::Label& label : canvas->painted().labels) {
            if (label.band == band) {
                return canvas->toPixel(label.rect.center()).toPoint();
            }
        }
        return canvas->toPixel(QPointF(first.x, first.y)).toPoint();
    }
    [[nodiscard]] QMenu* menuAt(const QPoint& pixel) const {
        QContextMenuEvent event(QContextMenuEvent::Mouse, pixel, canvas->mapToGlobal(pixel));
        QCoreApplication::sendEvent(canvas, &event);
        return window->findChild<QMenu*>(QStringLiteral("graphMenu"));
    }
    static QAction* entry(const QMenu& menu, const char* title) {
        for (QAction* action : menu.actions()) {
            if (action->text().section(QLatin1Char('\t'), 0, 0) == QLatin1String(title)) {
                return action;
            }
        }
        return nullptr;
    }
    /// What is painted at a node's box; only what is in sight is painted.
    [[nodiscard]] QString badgeOf(const std::string& name) const {
        canvas->centerOn(canvas->scene()->boxOf(*canvas->scene()->graph().tryFind(name)));
        (void)canvas->grab();
        for (const PaintedScene::Badge& badge : canvas->painted().badges) {
            if (nameOf(canvas->scene()->box(badge.box).node) == name) {
                return badge.text;
            }
        }
        return {};
    }
};

} // namespace

class TestWindowBands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aClickOnABandSelectsWhatItSaves() {
        BandBench bench;
        QVERIFY(bench.begin());
        const std::string node = bench.choosableSaved();
        const auto band = bench.bandOf(node);
        QVERIFY2(band, node.c_str());
        const QPoint pixel = bench.pixelOf(*band);
        QCOMPARE(bench.canvas->bandAt(pixel), band);
        QTest::mouseClick(bench.canvas, Qt::LeftButton, {}, pixel);
        QCOMPARE(bench.selectedNode(), node);
    }

    void aBandHasAMenuWithWhatCanBeDone() {
        BandBench bench;
        QVERIFY(bench.begin());
        const std::string node = bench.choosableSaved();
        const QMenu* menu = bench.menuAt(bench.pixelOf(*bench.bandOf(node)));
        QVERIFY(menu);
        for (const char* title : {"Why saved?", "Save", "Recompute", "Rerun", "Breakpoint"}) {
            QAction* action = BandBench::entry(*menu, title);
            QVERIFY2(action && action->isEnabled(), title);
        }
        BandBench::entry(*menu, "Breakpoint")->trigger();
        QCOMPARE(bench.window->breakpoints()->all().size(), std::size_t(1));
        QCOMPARE(bench.window->breakpoints()->all().front().text, node);
        QCOMPARE(bench.window->parts().context.call->breakpoints().size(), std::size_t(1));
        QCOMPARE(bench.selectedNode(), node);
    }

    void aChoiceIsDrawnAtOnceAndItsChangesAreMarked() {
        BandBench bench;
        QVERIFY(bench.begin());
        const std::string node = bench.choosableSaved();
        const std::size_t before = bench.canvas->look().marks->split().saved.size();
        QMenu* menu = bench.menuAt(bench.pixelOf(*bench.bandOf(node)));
        QVERIFY(menu);
        BandBench::entry(*menu, "Recompute")->trigger();
        // Before the engine has answered.
        QVERIFY(bench.canvas->look().choices && bench.canvas->look().choices->pending);
        QCOMPARE(bench.badgeOf(node), QStringLiteral("recompute"));
        QTRY_VERIFY_WITH_TIMEOUT(bench.marked(), test::patience);
        QVERIFY(!bench.canvas->look().choices->pending);
        QCOMPARE(bench.badgeOf(node), QStringLiteral("recompute"));
        QVERIFY(!bench.bandOf(node));
        QVERIFY(bench.canvas->look().choices->all.noLongerSaved > 0);
        const std::size_t after = bench.canvas->look().marks->split().saved.size();
        const auto* legend = bench.window->panel<GraphDock>()->panel()->findChild<Legend*>();
        QVERIFY(legend->toolTip().contains(QStringLiteral("your choices for nodes")));
        QVERIFY(legend->toolTip().contains(QStringLiteral("%1 · ").arg(after)));
        bench.split->undo();
        QTRY_VERIFY_WITH_TIMEOUT(bench.marked(), test::patience);
        QVERIFY(!bench.canvas->look().choices);
        QCOMPARE(bench.canvas->look().marks->split().saved.size(), before);
    }

    void aChoiceSaysWhichNodesItTakes() {
        BandBench bench;
        QVERIFY(bench.begin());
        const WhyBar* bar = bench.inspector->whyBar();
        const auto* taken = bar->findChild<QLabel*>(QStringLiteral("takenNodes"));
        QVERIFY(taken);
        const std::string node = bench.choosableSaved();
        bench.pick(node);
        QCOMPARE(taken->text(), QStringLiteral("takes ") + QString::fromStdString(node));
        bar->scope()->setCurrentIndex(1);
        QVERIFY(taken->text().contains(QString::fromStdString(node)));
        QVERIFY(taken->text().contains(QStringLiteral("derived")));
        // A node of the backward cannot be chosen, and its module is not taken in its place.
        bar->scope()->setCurrentIndex(0);
        const ir::Graph& joint = *bench.split->snapshot()->joint->graph;
        const auto backward = std::ranges::find_if(joint.order(), [&](ir::NodeId id) {
            return bench.split->choosable(std::vector{joint.node(id).name}).empty() &&
                   joint.node(id).op == ir::Opcode::CallFunction;
        });
        bench.pick(joint.node(*backward).name);
        QCOMPARE(bar->scope()->currentIndex(), 0);
        QVERIFY(!bar->saveButton()->isEnabled() && !bar->recomputeButton()->isEnabled());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_bands, TestWindowBands)
#include "tst_window_bands.moc"
