#include "graph/graph_canvas.h"

#include "graph/graph_facts.h"
#include "graph/minimap.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr double largestZoom = 4;
constexpr double readableZoom = 0.7;
/// Node names are readable from this zoom on.
constexpr double fullWidthZoom = 0.5;
/// Margin in pixels when fitting.
constexpr double margin = 24;

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
    return m_scene ? static_cast<int>(m_scene->boxCount()) : 0;
}

QString GraphCanvas::itemName(int item) const {
    const layout::Box& box = m_scene->box(BoxId(static_cast<std::uint32_t>(item)));
    return QString::fromStdString(box.isGroup ? m_scene->layout().groups[box.group.index()].title
                                              : m_scene->graph().node(box.node).name);
}

QString GraphCanvas::itemDescription(int item) const {
    return boxDescription(*m_scene, BoxId(static_cast<std::uint32_t>(item)));
}

QRect GraphCanvas::itemRect(int item) const {
    const QRectF onScreen = toPixel(m_scene->rect(BoxId(static_cast<std::uint32_t>(item))));
    return onScreen.toAlignedRect().intersected(rect());
}

std::optional<int> GraphCanvas::itemAt(QPoint place) const {
    const BoxId box = m_scene ? boxAt(place) : BoxId();
    return box.valid() ? std::optional(static_cast<int>(box.index())) : std::nullopt;
}

std::optional<int> GraphCanvas::currentItem() const {
    return m_look.current.valid() ? std::optional(static_cast<int>(m_look.current.index())) : std::nullopt;
}

bool GraphCanvas::isPicked(int item) const {
    return currentItem() == item || m_look.marked.contains(static_cast<std::uint32_t>(item));
}

void GraphCanvas::chooseItem(int item) {
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
    m_look.marks = marks;
    update();
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
    for (const BoxId box : m_scene->neighbours(m_look.focus)) {
        m_look.kept.insert(box.index());
    }
}

QRectF GraphCanvas::visibleArea() const {
    return {m_origin, QSizeF(size()) / m_zoom};
}

QRectF GraphCanvas::toPixel(const QRectF& rect) const {
    return {toPixel(rect.topLeft()), rect.size() * m_zoom};
}

double GraphCanvas::smallestZoom() const {
    if (!m_scene || m_scene->bounds().isEmpty()) {
        return 0.01;
    }
    const QSizeF bounds = m_scene->bounds().size();
    return std::min(
        {0.1, width() / (bounds.width() + margin) / 2, height() / (bounds.height() + margin) / 2});
}

void GraphCanvas::setView(const QPointF& origin, double zoom) {
    QPointF kept = origin;
    if (m_scene && !m_scene->bounds().isEmpty()) {
        // Half of the view always overlaps the graph's bounds, so the graph cannot be lost.
        const QRectF& bounds = m_scene->bounds();
        const QSizeF half = QSizeF(size()) / zoom / 2;
        kept.setX(std::clamp(kept.x(), bounds.left() - half.width(), bounds.right() - half.width()));
        kept.setY(std::clamp(kept.y(), bounds.top() - half.height(), bounds.bottom() - half.height()));
    }
    if (kept == m_origin && zoom == m_zoom) {
        return;
    }
    m_origin = kept;
    m_zoom = zoom;
    m_atBeginning = false;
    update();
    Q_EMIT viewChanged();
}

std::optional<GraphCanvas::View> GraphCanvas::chosenView() const {
    return m_scene && !m_atBeginning ? std::optional(View{visibleArea().center(), m_zoom}) : std::nullopt;
}

void GraphCanvas::showAgain(const View& view) {
    const double zoom = std::clamp(view.zoom, smallestZoom(), largestZoom);
    setView(view.center - QPointF(width(), height()) / zoom / 2, zoom);
}

/// Shows the whole graph if it is readable then, else its top at full width, else its beginning.
void GraphCanvas::showBeginning() {
    if (!m_scene || m_scene->bounds().isEmpty()) {
        return;
    }
    const QRectF bounds = m_scene->bounds().adjusted(-margin, -margin, margin, margin);
    const double whole = std::min(width() / bounds.width(), height() / bounds.height());
    // The minimap must not cover a node of the first picture.
    const double room = width() - Minimap::sizeFor(m_scene->bounds()).width() - 2 * Minimap::gap;
    const double wide = room / bounds.width();
    const BoxId first = firstBox();
    if (whole >= fullWidthZoom) {
        fit();
    } else if (wide >= fullWidthZoom) {
        const double zoom = std::min(wide, 1.0);
        setView({bounds.center().x() - room / zoom / 2, bounds.top()}, zoom);
    } else if (first.valid()) {
        // Start at the top of the graph if it is near, else at the inputs just above the box.
        const QRectF& box = m_scene->rect(first);
        const double high = height() / readableZoom;
        double top = box.top() - 2 * margin;
        for (const BoxId input : m_scene->neighbours(first)) {
            top = std::min(top, m_scene->rect(input).top() - 2 * margin);
        }
        // Leave no empty space below the graph, and keep the box in view.
        top = std::max(std::min(top, bounds.bottom() - high), box.bottom() + margin - high);
        const bool nearTop = box.bottom() - bounds.top() < high / 2;
        const double left = std::max(bounds.left(), box.center().x() - room / readableZoom / 2);
        setView({left, nearTop ? bounds.top() : top}, readableZoom);
    }
    m_atBeginning = true;
}

BoxId GraphCanvas::firstBox() const {
    const ir::Graph& graph = m_scene->graph();
    BoxId first;
    for (const ir::NodeId node : graph.order()) {
        const BoxId box = m_scene->boxOf(node);
        if (!box.valid()) {
            continue;
        }
        first = first.valid() ? first : box;
        if (graph.node(node).op != ir::Opcode::Placeholder && graph.node(node).op != ir::Opcode::GetAttr) {
            return box;
        }
    }
    return first;
}

void GraphCanvas::fit() {
    if (m_scene) {
        showArea(m_scene->bounds());
    }
}

void GraphCanvas::showArea(const QRectF& area) {
    const double wanted = std::min((width() - 2 * margin) / std::max(area.width(), 1.0),
                                   (height() - 2 * margin) / std::max(area.height(), 1.0));
    const double zoom = std::clamp(wanted, smallestZoom(), 1.25);
    setView(area.center() - QPointF(width(), height()) / zoom / 2, zoom);
}

void GraphCanvas::zoomTo(double zoom, const QPointF& fixedPixel) {
    const QPointF fixed = toScene(fixedPixel);
    const double wanted = std::clamp(zoom, smallestZoom(), largestZoom);
    setView(fixed - fixedPixel / wanted, wanted);
}

void GraphCanvas::zoomBy(double factor) {
    zoomTo(m_zoom * factor, QRectF(rect()).center());
}

void GraphCanvas::centerOn(const QPointF& point) {
    setView(point - QPointF(width(), height()) / m_zoom / 2, m_zoom);
}

void GraphCanvas::centerOn(BoxId box) {
    if (!m_scene || !box.valid()) {
        return;
    }
    const double zoom = m_zoom < ScenePainter::textZoom ? 1 : m_zoom;
    const QPointF center = m_scene->rect(box).center();
    setView(center - QPointF(width(), height()) / zoom / 2, zoom);
}

void GraphCanvas::ensureVisible(BoxId box) {
    if (!m_scene || !box.valid()) {
        return;
    }
    const QRectF pixels = toPixel(m_scene->rect(box)).adjusted(-margin, -margin, margin, margin);
    QPointF move;
    if (pixels.left() < 0) {
        move.setX(pixels.left());
    } else if (pixels.right() > width()) {
        move.setX(pixels.right() - width());
    }
    if (pixels.top() < 0) {
        move.setY(pixels.top());
    } else if (pixels.bottom() > height()) {
        move.setY(pixels.bottom() - height());
    }
    setView(m_origin + move / m_zoom, m_zoom);
}

void GraphCanvas::ensureInside(const Anchor& group) {
    const QRectF sight = visibleArea();
    BoxId nearest;
    double least = 0;
    for (const layout::Group& each : m_scene->layout().groups) {
        if (!each.open || each.path != group.path || each.isBackward != group.isBackward) {
            continue;
        }
        for (const ir::NodeId node : each.nodes) {
            const BoxId box = m_scene->boxOf(node);
            const QRectF& rect = m_scene->rect(box);
            if (rect.intersects(sight)) {
                return;
            }
            const double distance = (rect.center() - sight.center()).manhattanLength();
            if (!nearest.valid() || distance < least) {
                nearest = box;
                least = distance;
            }
        }
    }
    ensureVisible(nearest);
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
