#pragma once

#include "budget/budget_plot.h"
#include "common/picture_accessible.h"

#include <QWidget>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace aotscope::views {

/// Curves over the activation-memory budget, with a handle at the chosen budget. Does not use the engine: the
/// panel sets the curves and reacts to the signals.
///
/// A press moves the handle there and dragging moves it on; it snaps to nearby points of the curves. Left and
/// Right go from point to point, with Shift by one hundredth; Home is 0, End is 1.
class BudgetCanvas : public QWidget, public PictureItems {
    Q_OBJECT

public:
    explicit BudgetCanvas(const ThemeSource& theme, QWidget* parent = nullptr);

    /// Null: nothing to draw yet. `outdated`: the curves belong to earlier choices.
    void setSweep(const session::BudgetSweepSnapshotPtr& sweep, bool outdated);
    /// The partition at the chosen budget; null while it is being computed.
    void setPartition(const session::PartitionSnapshotPtr& split);
    void setBudget(double budget);
    /// Whether parameters, buffers and other inputs count towards the peak.
    void setInputs(bool inputs);
    /// The tooltip of a point.
    using Describe = std::function<QString(const session::BudgetSweepPoint& point)>;
    void setDescribe(Describe describe) { m_describe = std::move(describe); }

    [[nodiscard]] const BudgetLook& look() const { return m_look; }
    /// Positions of a curve's point and of the handle, in pixels; for tests.
    [[nodiscard]] QPointF pixelOf(BudgetCurve curve, std::size_t point) const;
    [[nodiscard]] QPointF pixelOfHandle() const;
    [[nodiscard]] double xOf(double budget) const;
    /// The point of the sweep nearest to a position in the widget.
    [[nodiscard]] std::optional<std::size_t> pointNear(const QPointF& place) const;

    [[nodiscard]] QSize sizeHint() const override { return {800, 240}; }

    // PictureItems: the points of the curves.
    [[nodiscard]] int itemCount() const override;
    [[nodiscard]] QString itemName(int item) const override;
    [[nodiscard]] QString itemDescription(int item) const override;
    [[nodiscard]] QRect itemRect(int item) const override;
    [[nodiscard]] std::optional<int> itemAt(QPoint place) const override;
    [[nodiscard]] std::optional<int> currentItem() const override;
    void chooseItem(int item) override;

Q_SIGNALS:
    /// A person moved the handle here.
    void budgetChosen(double budget);
    /// The handle or the key was released: the next change is a new choice.
    void letGo();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

private:
    void refreshTheme();
    void choose(double budget);
    void hover(std::optional<std::size_t> point);
    [[nodiscard]] double budgetAt(double x) const;
    [[nodiscard]] double neighbour(int direction) const;

    const ThemeSource& m_theme;
    BudgetLook m_look;
    Describe m_describe;
    bool m_dragging = false;
};

} // namespace aotscope::views
