#pragma once

#include "runs/value_snapshot.h"

#include <QWidget>

namespace aotscope::views {

/// A histogram as columns. The pointer names the range below it in a tooltip.
class HistogramCanvas : public QWidget {
    Q_OBJECT

public:
    explicit HistogramCanvas(QWidget* parent = nullptr);

    /// Null: nothing to draw.
    void setValue(const session::ValueSnapshotPtr& value);
    [[nodiscard]] QSize sizeHint() const override { return {260, 120}; }
    /// The range at a place in the widget, as its tooltip says it; empty beside the columns.
    [[nodiscard]] QString rangeText(QPoint place) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] const session::Histogram* histogram() const;
    [[nodiscard]] QRect plot() const;

    session::ValueSnapshotPtr m_value;
};

} // namespace aotscope::views
