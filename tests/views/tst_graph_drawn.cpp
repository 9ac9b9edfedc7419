// The picture says what the tables say: numbers and marks are read out of what was painted, and compared with
// the partition's lists, for every joint graph of the packs.
#include "session/partition_bench.h"
#include "support/corpus.h"
#include "support/window_test.h"

#include "common/format.h"
#include "common/theme.h"
#include "files/logged_partitions.h"
#include "graph/coloring.h"
#include "graph/legend.h"
#include "graph/partition_marks.h"
#include "graph/scene_painter.h"
#include "layout/picture_colors.h"

#include <QImage>
#include <QPainter>

#include <map>
#include <set>

using namespace aotscope;
using namespace aotscope::views;

namespace {

using Names = std::set<std::string>;

/// A joint graph as the window draws it, and the partition that it shows.
struct Drawn {
    session::PartitionSnapshotPtr split;
    session::SplitMarksSnapshotPtr marks;
    GraphScenePtr scene;
    PaintedScene painted;
    QStringList legend;

    [[nodiscard]] std::string nameOf(ir::NodeId node) const { return scene->graph().node(node).name; }
    /// The values that the painted bands carry.
    [[nodiscard]] Names carried() const {
        Names names;
        for (const std::size_t band : painted.bands) {
            for (const std::uint32_t index : marks->marks.bands[band].saved) {
                names.insert(nameOf(marks->marks.saved[index].node));
            }
        }
        return names;
    }
    [[nodiscard]] Names namesOf(const std::vector<BoxId>& boxes) const {
        Names names;
        for (const BoxId box : boxes) {
            names.insert(nameOf(scene->box(box).node));
        }
        return names;
    }
};

/// What an image of this size would show; the image itself is smaller, because nobody looks at it.
PaintedScene paintedWhole(const GraphScenePtr& scene, const SceneLook& look) {
    QImage image(64, 64, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&image);
    ScenePainter scenePainter;
    scenePainter.setScene(scene);
    const QRectF area = scene->bounds().adjusted(-16, -16, 16, 16);
    scenePainter.paint(painter, look, QRectF(QPointF(), area.size()), area.topLeft(), 1);
    return scenePainter.painted();
}

std::optional<Drawn> drawn(test::Bench& bench, const session::ArtifactReference& joint,
                           const session::PartitionChoices& choices, const ThemeSource& theme) {
    Drawn picture;
    session::LayOutGraph command{joint, {}, {}};
    command.options.grouping = layout::Grouping::None;
    // Where boxes are does not matter here.
    command.options.mostBoxesForDot = 0;
    const auto laidOut = bench.ask(command).get<session::LayoutSnapshotPtr>();
    picture.split = bench.ask(session::PartitionJoint{joint, choices}).get<session::PartitionSnapshotPtr>();
    if (!laidOut || !laidOut->layout || !picture.split) {
        return std::nullopt;
    }
    picture.marks = bench.ask(session::MarkSplit{joint, laidOut->number, joint, choices})
                        .get<session::SplitMarksSnapshotPtr>();
    picture.scene = GraphScene::make(laidOut);
    SceneLook look = SceneLook::of(theme.theme());
    look.marks = std::make_shared<const PartitionMarks>(picture.marks);
    look.coloring = makeColoring(*picture.scene, ColorBy::Kind, look.theme, nullptr, picture.marks.get());
    picture.painted = paintedWhole(picture.scene, look);
    Legend legend(theme);
    legend.resize(4'000, 40);
    legend.setMarks(look.marks);
    legend.setColoring(look.coloring);
    (void)legend.grab();
    picture.legend = legend.drawn();
    return picture;
}

/// The first thing in a picture that its partition does not say; empty: they agree.
QString disagreement(const Drawn& picture) {
    Names saved;
    std::map<std::string, std::int64_t> bytesOf;
    Names withoutPlace;
    for (const session::SavedTensor& row : picture.split->saved) {
        saved.insert(row.name);
        bytesOf[row.name] = row.dtype.empty() ? 0 : row.bytes;
        if (!picture.scene->graph().tryFind(row.name)) {
            withoutPlace.insert(row.name);
        }
    }
    Names places = saved;
    for (const std::string& name : withoutPlace) {
        places.erase(name);
    }
    if (picture.namesOf(picture.painted.saved) != places) {
        return QStringLiteral("marked as saved: other boxes than the list's");
    }
    const Names carried = picture.carried();
    for (const std::string& name : carried) {
        if (!saved.contains(name)) {
            return QStringLiteral("a band of %1, which is not saved").arg(text(name));
        }
    }
    for (const std::string& name : places) {
        if (!carried.contains(name) && bytesOf[name] > 0) {
            return QStringLiteral("no band of %1").arg(text(name));
        }
    }
    for (const PaintedScene::Label& label : picture.painted.labels) {
        std::int64_t bytes = 0;
        for (const std::uint32_t index : picture.marks->marks.bands[label.band].saved) {
            bytes += bytesOf[picture.nameOf(picture.marks->marks.saved[index].node)];
        }
        if (label.text != formatBytes(bytes)) {
            return QStringLiteral("a band says %1, its values have %2").arg(label.text, formatBytes(bytes));
        }
    }
    // Amber is what is saved, and nothing else.
    const ColoringPtr coloring =
        makeColoring(*picture.scene, ColorBy::Kind, Theme::lightTheme(), nullptr, picture.marks.get());
    std::vector<BoxId> amber;
    for (std::uint32_t box = 0; box < picture.scene->boxCount(); ++box) {
        if (coloring->colorOf(BoxId(box)) == Theme::lightTheme().category(Category::Saved)) {
            amber.emplace_back(box);
        }
    }
    if (picture.namesOf(amber) != places) {
        return QStringLiteral("in the colour of saved values: other boxes than the list's");
    }
    Names again;
    for (const session::RecomputedValue& row : picture.split->recomputed) {
        // A partition may rewrite calls of subgraphs before it cuts; those are in no picture of the joint
        // graph.
        if (picture.scene->graph().tryFind(row.name)) {
            again.insert(row.name);
        }
    }
    if (picture.namesOf(picture.painted.recomputed) != again) {
        return QStringLiteral("marked as computed again: other boxes than the list's");
    }
    if (!saved.empty() && withoutPlace.empty()) {
        QString wanted = QStringLiteral("saved ") + formatCount(saved.size());
        if (picture.split->savedBytes > 0) {
            wanted += QStringLiteral(" · ") + formatBytes(picture.split->savedBytes);
        }
        if (!picture.legend.contains(wanted)) {
            return QStringLiteral("the legend says “%1”, not “%2”")
                .arg(picture.legend.join(QStringLiteral("; ")), wanted);
        }
    }
    if (!again.empty() &&
        !picture.legend.contains(QStringLiteral("recomputed ") + formatCount(again.size()))) {
        return QStringLiteral("the legend says “%1”, not %2 again")
            .arg(picture.legend.join(QStringLiteral("; ")))
            .arg(again.size());
    }
    return {};
}

std::vector<std::filesystem::path> packLogs() {
    std::vector<std::filesystem::path> found;
    for (const char* folder : {"packs", "packs-2.15"}) {
        const std::filesystem::path golden = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / folder;
        for (const auto& entry : std::filesystem::directory_iterator(golden)) {
            if (entry.path().string().ends_with(".log.xz")) {
                found.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

} // namespace

class TestGraphDrawn : public QObject {
    Q_OBJECT

    ThemeSource m_theme;

private Q_SLOTS:
    void everyPackIsDrawnAsItIsSplit_data() {
        QTest::addColumn<QString>("path");
        for (const std::filesystem::path& path : packLogs()) {
            QTest::newRow((path.parent_path().filename() / path.filename()).string().c_str())
                << QString::fromStdString(path.string());
        }
    }

    void everyPackIsDrawnAsItIsSplit() {
        QFETCH(QString, path);
        test::Bench bench(path.toStdString());
        QVERIFY(bench.log);
        for (std::uint32_t index = 0; index < bench.log->traceLog()->compiles().size(); ++index) {
            const load::CompileId id = bench.log->traceLog()->compiles()[index].id;
            for (const session::LoggedPartition& logged :
                 session::loggedPartitions(*bench.log, load::CompileIndex(index), id)) {
                const auto picture = drawn(bench, logged.joint, {}, m_theme);
                const QString wrong = picture ? disagreement(*picture) : QString();
                QVERIFY2(wrong.isEmpty(),
                         qPrintable(QString::fromStdString(id.text()) + QStringLiteral(": ") + wrong));
            }
        }
    }

    /// A lower budget: more is computed again, and less is saved.
    void aChoiceIsDrawnAsItIsSplit() {
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        for (const char* name : {"mlp_sgd", "transformer_encoder_layer", "conv_bn_relu"}) {
            test::Bench bench(test::corpusTrace(name));
            for (const double budget : {1.0, 0.7, 0.3, 0.0}) {
                session::PartitionChoices choices;
                choices.memoryBudget = budget;
                const auto picture = drawn(bench, bench.reference("joint"), choices, m_theme);
                QVERIFY(picture);
                const QString wrong = disagreement(*picture);
                QVERIFY2(
                    wrong.isEmpty(),
                    qPrintable(QStringLiteral("%1 %2: %3").arg(QLatin1String(name)).arg(budget).arg(wrong)));
            }
        }
    }

    /// A half of a hook's values is stored: its band is a capsule with both numbers.
    void aHookStandsOnItsBand() {
        test::Bench bench(std::string(AOTSCOPE_SOURCE_DIR) +
                          "/resources/sample/transformer_encoder_layer.log");
        auto picture = drawn(bench, bench.reference("joint"), {}, m_theme);
        QVERIFY(picture && !picture->painted.labels.empty());
        auto hooked = std::make_shared<session::SplitMarksSnapshot>(*picture->marks);
        for (layout::SavedValue& value : hooked->facts.saved) {
            value.stored = value.bytes / 4;
        }
        hooked->marks = layout::splitMarks(picture->scene->graph(), picture->scene->layout(), hooked->facts);
        SceneLook look = SceneLook::of(m_theme.theme());
        look.marks = std::make_shared<const PartitionMarks>(hooked);
        look.coloring = makeColoring(*picture->scene, ColorBy::Kind, look.theme, nullptr, hooked.get());
        const PaintedScene painted = paintedWhole(picture->scene, look);
        QVERIFY(!painted.labels.empty());
        for (const PaintedScene::Label& label : painted.labels) {
            const layout::Band& band = hooked->marks.bands[label.band];
            QVERIFY(band.stored && *band.stored < band.bytes);
            QCOMPARE(label.text, formatBytes(band.bytes) + QStringLiteral(" → ") + formatBytes(*band.stored));
        }
    }

    /// Without a partition nothing is said to be saved.
    void withoutAPartitionNothingIsSaved() {
        test::Bench bench(std::string(AOTSCOPE_SOURCE_DIR) +
                          "/resources/sample/transformer_encoder_layer.log");
        const auto laidOut = bench.ask(session::LayOutGraph{bench.reference("joint"), {}, {}})
                                 .get<session::LayoutSnapshotPtr>();
        const GraphScenePtr scene = GraphScene::make(laidOut);
        SceneLook look = SceneLook::of(m_theme.theme());
        look.coloring = makeColoring(*scene, ColorBy::Kind, look.theme, nullptr);
        const PaintedScene painted = paintedWhole(scene, look);
        QVERIFY(painted.bands.empty() && painted.saved.empty() && painted.labels.empty());
        for (const Coloring::Entry& entry : look.coloring->entries) {
            QVERIFY(!entry.isSaved);
        }
    }
};

AOTSCOPE_WINDOW_TEST(tst_graph_drawn, TestGraphDrawn)
#include "tst_graph_drawn.moc"
