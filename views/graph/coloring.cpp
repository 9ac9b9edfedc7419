#include "graph/coloring.h"

#include "common/format.h"
#include "contract/category_facts.h"
#include "graph/graph_facts.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace aotscope::views {
namespace {

QString translate(const char* text) {
    return QCoreApplication::translate("GraphView", text);
}

/// The Okabe–Ito palette without black, then the same colours darker or lighter. For names without a fixed
/// colour.
QColor paletteColor(std::size_t index, bool dark) {
    static constexpr std::array<QRgb, 7> base{0xff56b4e9, 0xffe69f00, 0xff009e73, 0xffcc79a7,
                                              0xfff0e442, 0xffd55e00, 0xff0072b2};
    const QColor color(base[index % base.size()]);
    switch (index / base.size() % 3) {
    case 0:
        return color;
    case 1:
        return dark ? color.lighter(140) : color.darker(140);
    default:
        return dark ? color.darker(140) : color.lighter(140);
    }
}

constexpr int rampSteps = 6;

/// From low to high: towards light in a dark theme, towards dark in a light one.
QColor rampColor(int step, bool dark) {
    static constexpr std::array<QRgb, rampSteps> ramp{0xff2b4a7f, 0xff4e6a8e, 0xff7c8a82,
                                                      0xffa99f6a, 0xffd6b94a, 0xfffde64b};
    static constexpr std::array<QRgb, rampSteps> lightRamp{0xffc9d6ea, 0xff9fb9d8, 0xff7397bf,
                                                           0xff4b74a0, 0xff2b5280, 0xff0b2f5e};
    const auto index = std::size_t(std::clamp(step, 0, rampSteps - 1));
    return QColor(dark ? ramp[index] : lightRamp[index]);
}

/// What most of a box's nodes are: the box of a closed group looks like them. The earlier of equally many.
template<typename Value>
std::vector<Value> mostInBoxes(const GraphScene& scene, const std::vector<Value>& ofNode) {
    std::vector<std::map<Value, std::size_t>> counts(scene.boxCount());
    std::vector<Value> most(scene.boxCount());
    std::vector<std::size_t> best(scene.boxCount(), 0);
    for (const ir::NodeId node : scene.graph().order()) {
        const BoxId box = scene.boxOf(node);
        if (!box.valid()) {
            continue;
        }
        const std::size_t count = ++counts[box.index()][ofNode[node.index()]];
        if (count > best[box.index()]) {
            best[box.index()] = count;
            most[box.index()] = ofNode[node.index()];
        }
    }
    return most;
}

/// Assigns legend entries by name: one for each of the most frequent names, one for all others. Nodes are
/// counted, so that opening a group changes no number.
class NameEntries {
public:
    NameEntries(Coloring& coloring, const Theme& theme) : m_coloring(coloring), m_theme(theme) {}

    template<typename NameOf>
    void fill(const GraphScene& scene, const NameOf& nameOf, std::size_t most) {
        std::vector<QString> names(scene.graph().idBound());
        std::map<QString, std::size_t> counts;
        for (const ir::NodeId node : scene.graph().order()) {
            names[node.index()] = nameOf(node);
            ++counts[names[node.index()]];
        }
        std::vector<std::pair<QString, std::size_t>> sorted(counts.begin(), counts.end());
        std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& entry) { return entry.second; });
        std::map<QString, std::uint16_t> entryOf;
        std::size_t colored = 0;
        std::size_t rest = 0;
        for (const auto& [name, count] : sorted) {
            if (!name.isEmpty() && colored < most) {
                entryOf[name] = std::uint16_t(m_coloring.entries.size());
                m_coloring.entries.push_back({paletteColor(colored++, m_theme.dark), name, count});
            } else {
                rest += count;
            }
        }
        const auto other = std::uint16_t(m_coloring.entries.size());
        const bool others = sorted.size() > most + (counts.contains({}) ? 1 : 0);
        m_coloring.entries.push_back(
            {m_theme.category(Category::Unknown), others ? translate("others") : translate("unknown"), rest});
        for (const QString& name : mostInBoxes(scene, names)) {
            const auto found = entryOf.find(name);
            m_coloring.entryOfBox.push_back(found == entryOf.end() ? other : found->second);
        }
    }

private:
    Coloring& m_coloring;
    const Theme& m_theme;
};

/// The split that the engine answered for this graph; null: none, or of another graph.
const session::SplitMarksSnapshot* marksOf(const GraphScene& scene,
                                           const session::SplitMarksSnapshot* marks) {
    return marks != nullptr && marks->picture->graph->graph.get() == &scene.graph() ? marks : nullptr;
}

/// Amber is exactly what the partition saves.
void colorByKind(Coloring& coloring, const GraphScene& scene, const Theme& theme,
                 const session::SplitMarksSnapshot* marks) {
    const std::vector<Category> ofNode = categoriesWith(scene, marks);
    std::array<std::size_t, layout::categoryCount> counts{};
    for (const ir::NodeId node : scene.graph().order()) {
        ++counts[std::size_t(ofNode[node.index()])];
    }
    // The kind of most nodes in a closed group; the legend needs an entry for it even if it counts no node.
    const std::vector<Category> ofBox = layout::boxCategories(scene.layout(), ofNode);
    std::array<bool, layout::categoryCount> isUsed{};
    for (const Category category : ofBox) {
        isUsed[std::size_t(category)] = true;
    }
    std::array<std::uint16_t, layout::categoryCount> entryOf{};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] > 0 || isUsed[i]) {
            entryOf[i] = std::uint16_t(coloring.entries.size());
            coloring.entries.push_back({theme.category(Category(i)), categoryText(Category(i)), counts[i],
                                        Category(i) == Category::Saved});
        }
    }
    for (const Category category : ofBox) {
        coloring.entryOfBox.push_back(entryOf[std::size_t(category)]);
    }
}

/// Entries for numbers on a logarithmic scale; 0 means unknown. `nodes` is by box.
template<typename Format>
void colorByNumber(Coloring& coloring, const std::vector<std::int64_t>& values,
                   const std::vector<std::size_t>& nodes, const Theme& theme, const Format& format) {
    double low = 1e300;
    double high = 0;
    for (const std::int64_t value : values) {
        if (value > 0) {
            low = std::min(low, double(value));
            high = std::max(high, double(value));
        }
    }
    coloring.entryOfBox.assign(values.size(), rampSteps);
    const bool known = high > 0;
    const double from = known ? std::log(low) : 0;
    const double step = known ? std::max(1e-9, (std::log(high) - from) / rampSteps) : 1;
    for (int i = 0; i < rampSteps; ++i) {
        const auto bound = [&](int at) {
            return format(std::int64_t(std::llround(std::exp(from + at * step))));
        };
        const QString label = known ? QStringLiteral("%1 – %2").arg(bound(i), bound(i + 1)) : QString();
        coloring.entries.push_back({rampColor(i, theme.dark), label, 0});
    }
    coloring.entries.push_back({theme.category(Category::Unknown), translate("unknown"), 0});
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] > 0) {
            const int at = int((std::log(double(values[i])) - from) / step);
            coloring.entryOfBox[i] = std::uint16_t(std::clamp(at, 0, rampSteps - 1));
        }
        coloring.entries[coloring.entryOfBox[i]].count += nodes[i];
    }
}

/// By box.
std::vector<std::size_t> nodeCounts(const GraphScene& scene) {
    std::vector<std::size_t> counts(scene.boxCount(), 0);
    for (std::uint32_t i = 0; i < scene.boxCount(); ++i) {
        counts[i] = scene.box(BoxId(i)).nodeCount;
    }
    return counts;
}

std::vector<std::int64_t> sumOverNodes(const GraphScene& scene, const std::vector<std::int64_t>& ofNode) {
    std::vector<std::int64_t> values(scene.boxCount(), 0);
    for (const ir::NodeId node : scene.graph().order()) {
        const BoxId box = scene.boxOf(node);
        if (box.valid()) {
            values[box.index()] += ofNode[node.index()];
        }
    }
    return values;
}

QString dtypeLabel(const GraphScene& scene, ir::NodeId node) {
    const ir::TensorMeta* tensor = ir::asTensor(scene.graph().node(node).value);
    if (tensor == nullptr || tensor->dtype == ir::DType::Unknown) {
        return {};
    }
    const std::string_view name = ir::dtypeName(tensor->dtype);
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

/// A module path up to and including its first number: "layers.0" of "layers.0.attn".
QString moduleLabel(const GraphScene& scene, ir::NodeId node) {
    const auto& paths = scene.snapshot()->graph->modules.ofNode;
    const std::string path = node.index() < paths.size() ? paths[node.index()].path : std::string();
    const QStringList parts = QString::fromStdString(path).split(QLatin1Char('.'));
    QStringList kept;
    for (const QString& part : parts) {
        kept << part;
        bool isNumber = false;
        part.toInt(&isNumber);
        if (isNumber) {
            return kept.join(QLatin1Char('.'));
        }
    }
    return parts.mid(0, 2).join(QLatin1Char('.'));
}

void colorByRunTime(Coloring& coloring, const GraphScene& scene, const Theme& theme,
                    const session::RunSnapshot* run) {
    std::vector<std::int64_t> ofNode(scene.graph().idBound(), 0);
    const bool ours =
        run != nullptr && run->graph && run->graph->reference == scene.snapshot()->graph->reference;
    if (ours) {
        for (const session::NodeRun& node : run->nodes) {
            if (node.node.valid() && node.node.index() < ofNode.size()) {
                ofNode[node.node.index()] = std::max<std::int64_t>(1, node.nanoseconds);
            }
        }
    } else {
        coloring.note = translate("No run of this graph yet: start one in the Run panel.");
    }
    colorByNumber(coloring, sumOverNodes(scene, ofNode), nodeCounts(scene), theme,
                  [](std::int64_t value) { return formatNanoseconds(value); });
}

struct FateEntry {
    ir::NodeFate fate;
    Category category;
    const char* label;
};
/// For a closed group: the first of these that one of its nodes has.
constexpr std::array<FateEntry, 5> fateEntries{{
    {ir::NodeFate::Saved, Category::Saved, "saved"},
    {ir::NodeFate::Recomputed, Category::Recomputed, "recomputed"},
    {ir::NodeFate::ForwardOnly, Category::Temporary, "forward only"},
    {ir::NodeFate::BackwardOnly, Category::Gradient, "backward only"},
    {ir::NodeFate::Removed, Category::Unknown, "removed, or not part of the step"},
}};

std::uint16_t fateEntryOf(ir::NodeFate fate) {
    return std::uint16_t(std::ranges::find(fateEntries, fate, &FateEntry::fate) - fateEntries.begin());
}

void colorByFate(Coloring& coloring, const GraphScene& scene, const Theme& theme,
                 const session::SplitMarksSnapshot* marks) {
    for (const FateEntry& entry : fateEntries) {
        coloring.entries.push_back({theme.category(entry.category), translate(entry.label), 0,
                                    entry.fate == ir::NodeFate::Saved,
                                    entry.fate == ir::NodeFate::Recomputed});
    }
    const auto last = std::uint16_t(fateEntries.size() - 1);
    coloring.entryOfBox.assign(scene.boxCount(), last);
    if (marksOf(scene, marks) == nullptr) {
        coloring.note = translate("No partition of this graph: nothing is known to be saved.");
        return;
    }
    for (const ir::NodeId node : scene.graph().order()) {
        const std::uint16_t ofNode = fateEntryOf(marks->facts.fates[node.index()]);
        ++coloring.entries[ofNode].count;
        if (const BoxId box = scene.boxOf(node); box.valid()) {
            std::uint16_t& entry = coloring.entryOfBox[box.index()];
            entry = std::min(entry, ofNode);
        }
    }
}

} // namespace

std::vector<Category> categoriesWith(const GraphScene& scene, const session::SplitMarksSnapshot* marks) {
    if (marksOf(scene, marks) == nullptr) {
        return scene.categories();
    }
    layout::CategoryFacts facts = session::categoryFacts(*scene.snapshot()->graph);
    facts.split = &marks->facts;
    return layout::nodeCategories(facts);
}

ColoringPtr makeColoring(const GraphScene& scene, ColorBy by, const Theme& theme,
                         const session::RunSnapshot* run, const session::SplitMarksSnapshot* marks) {
    auto coloring = std::make_shared<Coloring>();
    coloring->by = by;
    NameEntries names(*coloring, theme);
    constexpr std::size_t mostNames = 14;
    switch (by) {
    case ColorBy::Kind:
        colorByKind(*coloring, scene, theme, marks);
        break;
    case ColorBy::DType:
        names.fill(
            scene, [&](ir::NodeId node) { return dtypeLabel(scene, node); }, mostNames);
        break;
    case ColorBy::Module:
        names.fill(
            scene, [&](ir::NodeId node) { return moduleLabel(scene, node); }, mostNames);
        break;
    case ColorBy::Bytes: {
        std::vector<std::int64_t> ofNode(scene.graph().idBound(), 0);
        for (const ir::NodeId node : scene.graph().order()) {
            ofNode[node.index()] = nodeBytes(scene.graph(), node);
        }
        colorByNumber(*coloring, sumOverNodes(scene, ofNode), nodeCounts(scene), theme,
                      [](std::int64_t value) { return formatBytes(value); });
        break;
    }
    case ColorBy::RunTime:
        colorByRunTime(*coloring, scene, theme, run);
        break;
    case ColorBy::Fate:
        colorByFate(*coloring, scene, theme, marks);
        break;
    }
    return coloring;
}

QColor mix(const QColor& under, const QColor& over, double share) {
    const auto channel = [&](int a, int b) { return int(std::lround(a + (b - a) * share)); };
    return {channel(under.red(), over.red()), channel(under.green(), over.green()),
            channel(under.blue(), over.blue())};
}

} // namespace aotscope::views
