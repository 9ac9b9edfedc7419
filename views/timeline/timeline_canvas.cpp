#include "timeline/timeline_canvas.h"

#include "common/format.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

using timeline::EventId;

TimelineCanvas::TimelineCanvas(const ThemeSource& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_scrollBar(new QScrollBar(Qt::Vertical, this)) {
    setObjectName(QStringLiteral("timelineCanvas"));
    describePictures();
    setAccessibleName(tr("Timeline of the run"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(200, 100);
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    connect(m_scrollBar, &QScrollBar::valueChanged, this, [this](int value) {
        m_look.scrolled = value;
        update();
    });
    connect(&theme, &ThemeSource::changed, this, &TimelineCanvas::refreshTheme);
    refreshTheme();
}

void TimelineCanvas::refreshTheme() {
    m_look.theme = m_theme.theme();
    m_look.font = font();
    update();
}

QRect TimelineCanvas::pictureRect() const {
    return rect().adjusted(0, 0, m_scrollBar->isHidden() ? 0 : -m_scrollBar->sizeHint().width(), 0);
}

QRectF TimelineCanvas::rectOf(EventId event) const {
    return TimelinePainter::rectOf(m_look, pictureRect(), event);
}

void TimelineCanvas::setScene(const TimelineScenePtr& scene) {
    m_look.scene = scene;
    m_look.selected.reset();
    m_look.hovered.reset();
    m_look.marks.clear();
    m_look.picked.reset();
    m_look.found.clear();
    ++m_look.search;
    m_focused = 0;
    m_look.scrolled = 0;
    refreshScrollBar();
    pictureChanged(this);
    if (scene) {
        showAll();
    }
    update();
}

void TimelineCanvas::setSelected(std::optional<EventId> event) {
    if (event != m_look.selected) {
        m_look.selected = event;
        m_focused = 0;
        currentItemChanged(this);
        update();
    }
}

void TimelineCanvas::setHovered(std::optional<EventId> event) {
    if (event != m_look.hovered) {
        m_look.hovered = event;
        update();
    }
}

void TimelineCanvas::setFound(std::vector<bool> names) {
    m_look.found = std::move(names);
    ++m_look.search;
    update();
}

void TimelineCanvas::setFolded(std::size_t place, bool folded) {
    m_look.scene->setFolded(place, folded);
    ++m_look.folds;
    refreshScrollBar();
    update();
}

void TimelineCanvas::refreshScrollBar() {
    const int visible = TimelinePainter::lanesOf(m_look, rect()).height();
    const int height = m_look.scene ? int(m_look.scene->height()) * TimelinePainter::laneHeight : 0;
    m_scrollBar->setVisible(height > visible);
    m_scrollBar->setPageStep(visible);
    m_scrollBar->setSingleStep(TimelinePainter::laneHeight);
    m_scrollBar->setRange(0, std::max(0, height - visible));
    const QRect lanes = TimelinePainter::lanesOf(m_look, rect());
    const int width = m_scrollBar->sizeHint().width();
    m_scrollBar->setGeometry(lanes.right() - width + 1, lanes.top(), width, lanes.height());
}

void TimelineCanvas::scrollTo(int pixels) {
    m_scrollBar->setValue(pixels);
}

/// So that a nanosecond can be seen, and no number loses its meaning.
double TimelineCanvas::shortest() const {
    return 20;
}

void TimelineCanvas::showTime(double from, double to) {
    if (!m_look.scene) {
        return;
    }
    const timeline::Timeline& timeline = m_look.scene->timeline();
    const double length = std::max(shortest(), double(timeline.end() - timeline.begin()));
    const double begin = double(timeline.begin());
    const double width = std::clamp(to - from, shortest(), length);
    m_look.from = std::clamp(from, begin, begin + length - width);
    m_look.to = m_look.from + width;
    update();
    Q_EMIT viewChanged();
}

void TimelineCanvas::showAll() {
    const timeline::Timeline& timeline = m_look.scene->timeline();
    showTime(double(timeline.begin()), double(timeline.end()));
}

void TimelineCanvas::zoomAt(double factor, double x) {
    const double fixed = TimelinePainter::timeAt(m_look, pictureRect(), x);
    const double share = (fixed - m_look.from) / (m_look.to - m_look.from);
    const double width = std::max(shortest(), (m_look.to - m_look.from) / factor);
    showTime(fixed - share * width, fixed + (1 - share) * width);
}

void TimelineCanvas::panBy(double pixels) {
    const double width = std::max(1, pictureRect().width() - 2 * TimelinePainter::leftMargin);
    const double time = pixels / width * (m_look.to - m_look.from);
    showTime(m_look.from + time, m_look.to + time);
}

void TimelineCanvas::reveal(EventId event) {
    const TimelineScene::Place& place = m_look.scene->placeOf(event);
    if (place.folded) {
        setFolded(event.row, false);
    }
    const timeline::Timeline& timeline = m_look.scene->timeline();
    const auto begin = double(timeline.start(event));
    const double end = begin + double(timeline.duration(event));
    const double width = m_look.to - m_look.from;
    if (end < m_look.from || begin > m_look.to) {
        showTime((begin + end - width) / 2, (begin + end + width) / 2);
    }
    const int top = int(m_look.scene->laneOf(event)) * TimelinePainter::laneHeight;
    const int visible = TimelinePainter::lanesOf(m_look, rect()).height();
    if (top < m_look.scrolled) {
        scrollTo(top - TimelinePainter::laneHeight);
    } else if (top + TimelinePainter::laneHeight > m_look.scrolled + visible) {
        scrollTo(top + 2 * TimelinePainter::laneHeight - visible);
    }
}

void TimelineCanvas::fit(EventId event) {
    const timeline::Timeline& timeline = m_look.scene->timeline();
    const auto begin = double(timeline.start(event));
    const double length = std::max(shortest(), double(timeline.duration(event)));
    showTime(begin - 0.1 * length, begin + 1.1 * length);
    reveal(event);
}

void TimelineCanvas::focusSelected() {
    if (!m_look.selected || m_focused == 2) {
        m_focused = 0;
        showAll();
        return;
    }
    if (++m_focused == 2) {
        fit(*m_look.selected);
        return;
    }
    const timeline::Timeline& timeline = m_look.scene->timeline();
    const double middle =
        double(timeline.start(*m_look.selected)) + double(timeline.duration(*m_look.selected)) / 2;
    const double width = m_look.to - m_look.from;
    showTime(middle - width / 2, middle + width / 2);
    reveal(*m_look.selected);
}

void TimelineCanvas::toggleMark() {
    std::pair<std::int64_t, std::int64_t> range;
    if (m_look.picked) {
        range = *m_look.picked;
    } else if (m_look.selected) {
        const timeline::Timeline& timeline = m_look.scene->timeline();
        const std::int64_t start = timeline.start(*m_look.selected);
        range = {start, start + timeline.duration(*m_look.selected)};
    } else {
        return;
    }
    if (std::erase(m_look.marks, range) == 0) {
        m_look.marks.push_back(range);
    }
    m_look.picked.reset();
    update();
}

void TimelineCanvas::choose(std::optional<EventId> event) {
    setSelected(event);
    if (event) {
        reveal(*event);
    }
    Q_EMIT picked(event);
}

int TimelineCanvas::itemCount() const {
    constexpr std::uint32_t most = 10'000;
    if (!m_look.scene || m_look.scene->timeline().rows().empty()) {
        return 0;
    }
    return int(std::min(most, m_look.scene->timeline().rows().front()->lanes[1]));
}

QString TimelineCanvas::itemName(int item) const {
    return text(m_look.scene->timeline().name({0, std::uint32_t(item)}));
}

QString TimelineCanvas::itemDescription(int item) const {
    const EventId event{0, std::uint32_t(item)};
    const timeline::Timeline& timeline = m_look.scene->timeline();
    return tr("%1, %2 after the beginning, takes %3")
        .arg(text(std::string(base::wordOf(timeline.category(event)))),
             formatNanoseconds(timeline.start(event) - timeline.begin()),
             formatNanoseconds(timeline.duration(event)));
}

QRect TimelineCanvas::itemRect(int item) const {
    return rectOf({0, std::uint32_t(item)}).toAlignedRect().intersected(pictureRect());
}

std::optional<int> TimelineCanvas::itemAt(QPoint place) const {
    const auto event = TimelinePainter::eventAt(m_look, pictureRect(), place);
    return event && event->row == 0 && int(event->index) < itemCount() ? std::optional(int(event->index))
                                                                       : std::nullopt;
}

std::optional<int> TimelineCanvas::currentItem() const {
    const auto& event = m_look.selected;
    return event && event->row == 0 && int(event->index) < itemCount() ? std::optional(int(event->index))
                                                                       : std::nullopt;
}

void TimelineCanvas::chooseItem(int item) {
    choose(EventId{0, std::uint32_t(item)});
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_look.theme.background);
    m_painter.paint(painter, m_look, pictureRect(), devicePixelRatioF());
    if (hasFocus()) {
        painter.setPen(m_look.theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refreshScrollBar();
}

} // namespace aotscope::views
