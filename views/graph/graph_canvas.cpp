#include "graph/graph_canvas.h"

#include "graph/graph_facts.h"

#include <QPainter>

#include <algorithm>

namespace aotscope::views {

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
