#include "budget/budget_canvas.h"

#include "common/format.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace aotscope::views {

namespace {

/// Within this distance, in pixels, the handle snaps to a point of the curves.
constexpr double pull = 5;
/// The handle moves in hundredths; nobody needs a finer budget.
constexpr double finest = 0.01;
/// Change per arrow key while there are no points to move to.
constexpr double keyStep = 0.05;

double inHundredths(double budget) {
    return std::clamp(std::round(budget / finest) * finest, 0.0, 1.0);
}

} // namespace

BudgetCanvas::BudgetCanvas(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("budgetCanvas"));
    describePictures();
    setAccessibleName(tr("Memory and recomputation for each activation-memory budget"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(260, 110);
    connect(&theme, &ThemeSource::changed, this, &BudgetCanvas::refreshTheme);
    refreshTheme();
}

void BudgetCanvas::refreshTheme() {
    m_look.theme = m_theme.theme();
    m_look.font = font();
    update();
}

void BudgetCanvas::setSweep(const session::BudgetSweepSnapshotPtr& sweep, bool outdated) {
    const bool isOther = sweep != m_look.sweep;
    m_look.sweep = sweep;
    if (isOther) {
        m_look.hovered.reset();
        pictureChanged(this);
    }
    m_look.outdated = outdated;
    update();
}

void BudgetCanvas::setPartition(const session::PartitionSnapshotPtr& split) {
    m_look.split = split;
    update();
}

void BudgetCanvas::setBudget(double budget) {
    m_look.budget = budget;
    currentItemChanged(this);
    update();
}

int BudgetCanvas::itemCount() const {
    return m_look.sweep ? static_cast<int>(m_look.sweep->points.size()) : 0;
}

QString BudgetCanvas::itemName(int item) const {
    return tr("budget %1").arg(m_look.sweep->points[static_cast<std::size_t>(item)].budget, 0, 'f', 2);
}

QString BudgetCanvas::itemDescription(int item) const {
    const session::BudgetSweepPoint& point = m_look.sweep->points[static_cast<std::size_t>(item)];
    return tr("saves %1, peak %2")
        .arg(formatBytes(point.savedBytes), formatBytes(peakOf(point, m_look.inputs)));
}

QRect BudgetCanvas::itemRect(int item) const {
    constexpr double size = 8;
    QRectF around;
    for (const BudgetCurve curve : {BudgetCurve::Saved, BudgetCurve::Peak, BudgetCurve::Flops}) {
        const QPointF at = pixelOf(curve, static_cast<std::size_t>(item));
        around |= QRectF(at.x() - size / 2, at.y() - size / 2, size, size);
    }
    return around.toAlignedRect().intersected(rect());
}

std::optional<int> BudgetCanvas::itemAt(QPoint place) const {
    const std::optional<std::size_t> point = pointNear(place);
    return point ? std::optional(static_cast<int>(*point)) : std::nullopt;
}

/// The point that the handle is on; nothing if it is between two.
std::optional<int> BudgetCanvas::currentItem() const {
    for (int item = 0; item < itemCount(); ++item) {
        if (std::abs(m_look.sweep->points[static_cast<std::size_t>(item)].budget - m_look.budget) <
            finest / 2) {
            return item;
        }
    }
    return std::nullopt;
}

void BudgetCanvas::chooseItem(int item) {
    choose(m_look.sweep->points[static_cast<std::size_t>(item)].budget);
    Q_EMIT letGo();
}

void BudgetCanvas::setInputs(bool inputs) {
    m_look.inputs = inputs;
    update();
}

QPointF BudgetCanvas::pixelOf(BudgetCurve curve, std::size_t point) const {
    return BudgetPlot::pointAt(m_look, rect(), curve, point);
}

QPointF BudgetCanvas::pixelOfHandle() const {
    return BudgetPlot::handle(m_look, rect()).center();
}

double BudgetCanvas::xOf(double budget) const {
    return BudgetPlot::xOf(BudgetPlot::plotOf(rect()), budget);
}

std::optional<std::size_t> BudgetCanvas::pointNear(const QPointF& place) const {
    const QRectF plot = BudgetPlot::plotOf(rect());
    if (!m_look.sweep || !plot.adjusted(-pull, -pull, pull, pull).contains(place)) {
        return std::nullopt;
    }
    const auto& points = m_look.sweep->points;
    const double budget = BudgetPlot::budgetAt(plot, place.x());
    const auto nearest = std::ranges::min_element(
        points, {}, [&](const session::BudgetSweepPoint& point) { return std::abs(point.budget - budget); });
    return nearest == points.end() ? std::nullopt : std::optional(std::size_t(nearest - points.begin()));
}

double BudgetCanvas::budgetAt(double x) const {
    const double budget = BudgetPlot::budgetAt(BudgetPlot::plotOf(rect()), x);
    if (m_look.sweep) {
        for (const session::BudgetSweepPoint& point : m_look.sweep->points) {
            if (std::abs(xOf(point.budget) - xOf(budget)) <= pull) {
                return point.budget;
            }
        }
    }
    return inHundredths(budget);
}

/// The next point of the curves to the left (-1) or right (1).
double BudgetCanvas::neighbour(int direction) const {
    // Within half a hundredth of a point the handle counts as being on it.
    const double from = m_look.budget + direction * finest / 2;
    double found = direction < 0 ? 0 : 1;
    if (!m_look.sweep) {
        return inHundredths(m_look.budget + direction * keyStep);
    }
    for (const session::BudgetSweepPoint& point : m_look.sweep->points) {
        if (direction < 0 && point.budget < from) {
            found = std::max(found, point.budget);
        } else if (direction > 0 && point.budget > from) {
            found = std::min(found, point.budget);
        }
    }
    return found;
}

void BudgetCanvas::choose(double budget) {
    if (budget != m_look.budget) {
        m_look.budget = budget;
        update();
        Q_EMIT budgetChosen(budget);
    }
}

void BudgetCanvas::hover(std::optional<std::size_t> point) {
    if (point != m_look.hovered) {
        m_look.hovered = point;
        update();
    }
}

bool BudgetCanvas::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::optional<std::size_t> point = pointNear(help->pos());
        if (point && m_describe) {
            QToolTip::showText(help->globalPos(), m_describe(m_look.sweep->points[*point]), this);
        } else {
            QToolTip::showText(help->globalPos(),
                               tr("The chosen budget: drag it, or press Left, Right (Shift: by hundredths), "
                                  "Home or End"),
                               this);
        }
        return true;
    }
    case QEvent::FontChange:
    case QEvent::ApplicationFontChange:
        refreshTheme();
        break;
    default:
        break;
    }
    return QWidget::event(event);
}

void BudgetCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        m_dragging = true;
        choose(budgetAt(event->position().x()));
    }
}

void BudgetCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragging) {
        choose(budgetAt(event->position().x()));
    }
    setCursor(m_dragging || BudgetPlot::handle(m_look, rect()).contains(event->position()) ? Qt::SizeHorCursor
                                                                                           : Qt::ArrowCursor);
    hover(pointNear(event->position()));
}

void BudgetCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && std::exchange(m_dragging, false)) {
        Q_EMIT letGo();
    }
}

void BudgetCanvas::leaveEvent(QEvent*) {
    hover(std::nullopt);
}

void BudgetCanvas::keyPressEvent(QKeyEvent* event) {
    const bool fine = event->modifiers().testFlag(Qt::ShiftModifier);
    const auto walk = [&](int direction) {
        choose(fine ? inHundredths(m_look.budget + direction * finest) : neighbour(direction));
    };
    switch (event->key()) {
    case Qt::Key_Left:
        walk(-1);
        break;
    case Qt::Key_Right:
        walk(1);
        break;
    case Qt::Key_Home:
        choose(0);
        break;
    case Qt::Key_End:
        choose(1);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

/// Auto-repeat of a held key belongs to one choice; pressing the key again starts another.
void BudgetCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (!event->isAutoRepeat() && !m_dragging) {
        Q_EMIT letGo();
    }
    QWidget::keyReleaseEvent(event);
}

void BudgetCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    BudgetPlot::paint(painter, m_look, rect());
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(m_look.theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace aotscope::views
