#include "graph/graph_canvas.h"

#include "graph/graph_facts.h"

#include <QPainter>

#include <algorithm>

namespace aotscope::views {
namespace {

/// Below this zoom bands are merged, and no one can point at one.
constexpr double farBandZoom = 0.15;

} // namespace

GraphCanvas::GraphCanvas(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("graphCanvas"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    describePictures();
    setAccessibleName(tr("Graph"));
    setMinimumSize(160, 120);
    connect(&theme, &ThemeSource::changed, this, &GraphCanvas::refreshTheme);
    m_look = SceneLook::of(theme.theme());
}

void GraphCanvas::refreshTheme() {
    const SceneLook fresh = SceneLook::of(m_theme.theme());
    m_look.theme = fresh.theme;
    m_look.nameFont = fresh.nameFont;
    m_look.codeFont = fresh.codeFont;
    m_painter.forgetLabels();
    update();
}

void GraphCanvas::setScene(const GraphScenePtr& scene, const ColoringPtr& coloring,
                           const std::optional<Anchor>& anchor, bool keepView) {
    m_painter.forgetPainted();
    const auto placeOf = [](const GraphScene& in, const Anchor& group) -> std::optional<QPointF> {
        const auto& groups = in.layout().groups;
        for (std::uint32_t i = 0; i < groups.size(); ++i) {
            if (groups[i].path != group.path || groups[i].isBackward != group.isBackward) {
                continue;
            }
            if (groups[i].open) {
                return in.frame(GroupId(i)).topLeft();
            }
            for (std::uint32_t box = 0; box < in.boxCount(); ++box) {
                if (in.box(BoxId(box)).isGroup && in.box(BoxId(box)).group == GroupId(i)) {
                    return in.rect(BoxId(box)).topLeft();
                }
            }
        }
        return {};
    };
    std::optional<QPointF> before;
    if (anchor && m_scene) {
        before = placeOf(*m_scene, *anchor);
    }
    m_scene = scene;
    m_painter.setScene(scene);
    m_look.current = {};
    m_look.hovered = {};
    m_look.hoveredTitle = {};
    m_look.marked.clear();
    m_look.hits.reset();
    m_look.coloring = coloring;
    m_look.marks.reset();
    m_look.choices.reset();
    m_look.hoveredBand.reset();
    m_stale = false;
    refreshKept();
    if (m_scene) {
        const std::optional<QPointF> after = before ? placeOf(*m_scene, *anchor) : std::nullopt;
        if (after) {
            setView(m_origin + (*after - *before), m_zoom);
            ensureInside(*anchor);
        } else if (!keepView || !seesAnything()) {
            showBeginning();
        }
    }
    pictureChanged(this);
    Q_EMIT markedChanged();
    Q_EMIT viewChanged();
    update();
}

int GraphCanvas::itemCount() const {
    const std::size_t bands = m_look.marks ? m_look.marks->split().bands.size() : 0;
    return m_scene ? static_cast<int>(m_scene->boxCount() + bands) : 0;
}

std::optional<std::size_t> GraphCanvas::bandOfItem(int item) const {
    const auto index = static_cast<std::size_t>(item);
    return index < m_scene->boxCount() ? std::nullopt : std::optional(index - m_scene->boxCount());
}

QString GraphCanvas::itemName(int item) const {
    if (const auto band = bandOfItem(item)) {
        return bandName(*m_scene, *m_look.marks, *band);
    }
    const layout::Box& box = m_scene->box(BoxId(static_cast<std::uint32_t>(item)));
    return QString::fromStdString(box.isGroup ? m_scene->layout().groups[box.group.index()].title
                                              : m_scene->graph().node(box.node).name);
}

QString GraphCanvas::itemDescription(int item) const {
    return bandOfItem(item)
               ? tr("band of saved values")
               : boxDescription(*m_scene, BoxId(static_cast<std::uint32_t>(item)), m_look.marks.get());
}

QRect GraphCanvas::itemRect(int item) const {
    const auto band = bandOfItem(item);
    const QRectF onScreen = toPixel(band ? m_look.marks->bands().rect(static_cast<std::uint32_t>(*band))
                                         : m_scene->rect(BoxId(static_cast<std::uint32_t>(item))));
    return onScreen.toAlignedRect().intersected(rect());
}

std::optional<int> GraphCanvas::itemAt(QPoint place) const {
    const BoxId box = m_scene ? boxAt(place) : BoxId();
    if (box.valid()) {
        return static_cast<int>(box.index());
    }
    const auto band = m_scene ? bandAt(place) : std::nullopt;
    return band ? std::optional(static_cast<int>(m_scene->boxCount() + *band)) : std::nullopt;
}

std::optional<int> GraphCanvas::currentItem() const {
    return m_look.current.valid() ? std::optional(static_cast<int>(m_look.current.index())) : std::nullopt;
}

bool GraphCanvas::isPicked(int item) const {
    return currentItem() == item || m_look.marked.contains(static_cast<std::uint32_t>(item));
}

void GraphCanvas::chooseItem(int item) {
    if (const auto band = bandOfItem(item)) {
        Q_EMIT bandPicked(*band);
        return;
    }
    const BoxId box(static_cast<std::uint32_t>(item));
    setCurrent(box);
    Q_EMIT picked(box);
}

bool GraphCanvas::seesAnything() const {
    bool any = false;
    m_scene->boxes().forEachIn(visibleArea(), [&any](std::uint32_t /*box*/) { any = true; });
    return any;
}

void GraphCanvas::setColoring(const ColoringPtr& coloring) {
    m_look.coloring = coloring;
    update();
}

void GraphCanvas::setMarks(const PartitionMarksPtr& marks) {
    m_painter.forgetPainted();
    m_look.marks = marks;
    m_look.hoveredBand.reset();
    refreshKept();
    pictureChanged(this);
    update();
}

void GraphCanvas::setChoices(const ChoiceMarksPtr& choices) {
    m_look.choices = choices;
    update();
}

void GraphCanvas::setHoveredBand(std::optional<std::size_t> band) {
    if (band != m_look.hoveredBand) {
        m_look.hoveredBand = band;
        setCursor(band ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
}

std::optional<std::size_t> GraphCanvas::bandAt(const QPointF& pixel) const {
    if (!m_scene || !m_look.marks || m_zoom < farBandZoom) {
        return std::nullopt;
    }
    const QPointF point = toScene(pixel);
    for (const PaintedScene::Label& label : m_painter.painted().labels) {
        if (label.rect.contains(point)) {
            return label.band;
        }
    }
    constexpr double reach = 5;
    return m_look.marks->bandAt(point, reach / m_zoom);
}

std::vector<BoxId> GraphCanvas::neighboursOf(BoxId box) const {
    std::vector<BoxId> found = m_scene->neighbours(box);
    if (m_look.marks) {
        for (const layout::Band& band : m_look.marks->split().bands) {
            if (band.from == box || band.to == box) {
                found.push_back(band.from == box ? band.to : band.from);
            }
        }
    }
    return found;
}

void GraphCanvas::setStale(bool stale) {
    m_stale = stale;
    update();
}

void GraphCanvas::setHits(std::shared_ptr<const std::vector<std::uint32_t>> hits) {
    m_look.hits = std::move(hits);
    update();
}

void GraphCanvas::setCurrent(BoxId box) {
    if (box == m_look.current) {
        return;
    }
    m_look.current = box;
    refreshKept();
    currentItemChanged(this);
    update();
}

void GraphCanvas::setHovered(BoxId box) {
    if (box == m_look.hovered) {
        return;
    }
    m_look.hovered = box;
    refreshKept();
    update();
}

void GraphCanvas::clearMarked() {
    if (!m_look.marked.empty()) {
        m_look.marked.clear();
        Q_EMIT markedChanged();
        update();
    }
}

void GraphCanvas::setSpotlight(std::optional<std::unordered_set<std::uint32_t>> boxes) {
    if (boxes != m_spotlight) {
        m_spotlight = std::move(boxes);
        refreshKept();
        update();
    }
}

/// Boxes that keep their colour: the hovered one, else the spotlight, else the current box and its
/// neighbours.
void GraphCanvas::refreshKept() {
    m_look.kept.clear();
    m_look.focus = m_look.hovered.valid() ? m_look.hovered : m_look.current;
    if (m_scene && m_spotlight && !m_look.hovered.valid()) {
        m_look.kept = *m_spotlight;
        // An index that no box has: if nothing is alive, all boxes fade.
        m_look.kept.insert(BoxId().index());
        return;
    }
    if (!m_scene || !m_look.focus.valid()) {
        return;
    }
    m_look.kept.insert(m_look.focus.index());
    if (m_look.current.valid()) {
        m_look.kept.insert(m_look.current.index());
    }
    for (const BoxId box : neighboursOf(m_look.focus)) {
        m_look.kept.insert(box.index());
    }
}

GroupId GraphCanvas::innermostGroup(BoxId box) const {
    return m_scene && box.valid() ? m_scene->box(box).group : GroupId();
}

void GraphCanvas::activate(BoxId box) {
    if (m_scene->box(box).isGroup) {
        Q_EMIT toggleGroup(m_scene->box(box).group);
    } else {
        centerOn(box);
    }
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    m_painter.paint(painter, m_look, rect(), m_origin, m_zoom);
    if (m_drag == Drag::Select) {
        const QRectF band = QRectF(m_pressPixel, m_lastPixel).normalized();
        QColor fill = m_look.theme.accent;
        fill.setAlphaF(0.15F);
        painter.setPen(QPen(m_look.theme.accent, 1));
        painter.setBrush(fill);
        painter.drawRect(band);
    }
    if (m_stale) {
        QColor veil = m_look.theme.background;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(m_look.theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    if (m_atBeginning) {
        showBeginning();
    }
    Q_EMIT viewChanged();
}

} // namespace aotscope::views
