#pragma once

#include "budget/budget_plot.h"
#include "common/picture_accessible.h"

#include <QWidget>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace aotscope::views {

/// The curves over the activation-memory budget with the chosen budget as a handle. Knows nothing of the
/// engine; the panel gives it the curves and acts on its signal.
///
/// A press in the picture puts the handle there, and dragging moves it, held by the points of the curves when
/// close to one. Left and Right go from point to point, with Shift in hundredths; Home is 0, End is 1.
class BudgetCanvas : public QWidget, public PictureItems {
    Q_OBJECT

public:
    explicit BudgetCanvas(const ThemeSource& theme, QWidget* parent = nullptr);

    /// Null: nothing to draw yet. `outdated`: of earlier choices.
    void setSweep(const session::BudgetSweepSnapshotPtr& sweep, bool outdated);
    /// The partition of the chosen budget; null: it is being computed.
    void setPartition(const session::PartitionSnapshotPtr& split);
    void setBudget(double budget);
    /// Whether parameters, buffers and other inputs count in the peak.
    void setInputs(bool inputs);
    /// Words for a tooltip, of a point of the sweep.
    using Describe = std::function<QString(const session::BudgetSweepPoint& point)>;
    void setDescribe(Describe describe) { m_describe = std::move(describe); }

    [[nodiscard]] const BudgetLook& look() const { return m_look; }
    /// Where a point of a curve and the handle are; for tests.
    [[nodiscard]] QPointF pixelOf(BudgetCurve curve, std::size_t point) const;
    [[nodiscard]] QPointF pixelOfHandle() const;
    [[nodiscard]] double xOf(double budget) const;
    /// The point of the sweep nearest to a place in the picture.
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
    /// The handle was let go, or the key: what is chosen next is another choice.
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
