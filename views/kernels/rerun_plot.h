#pragma once

#include "contract/rerun_request.h"

#include <QWidget>

#include <cstddef>
#include <optional>
#include <vector>

namespace aotscope::views {

/// Reruns of the same nodes as points over one another in time, each from its minimum to its 95th percentile
/// with a dot at its median; and the distribution of the selected one. A rerun with changes or another text
/// has a hollow dot.
class RerunPlot : public QWidget {
    Q_OBJECT

public:
    explicit RerunPlot(QWidget* parent = nullptr);

    void setReruns(const std::vector<session::RerunSnapshotPtr>& reruns, std::optional<std::size_t> baseline);
    /// Selects one of them; what is none selects nothing.
    void setSelected(std::optional<std::size_t> rerun);
    [[nodiscard]] std::optional<std::size_t> selected() const { return m_selected; }
    [[nodiscard]] QSize sizeHint() const override { return {520, 180}; }
    /// Where the median of a rerun is drawn.
    [[nodiscard]] QPointF placeOf(std::size_t rerun) const;
    /// What is below a point, as its tooltip says it; empty beside the drawings.
    [[nodiscard]] QString textAt(QPoint place) const;

Q_SIGNALS:
    /// A person selected another rerun.
    void chosen(std::size_t rerun);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Point {
        session::RerunTimes times;
        bool isChangedRun = false;
        QString words;
    };
    [[nodiscard]] QRectF historyArea() const;
    [[nodiscard]] QRectF distributionArea() const;
    [[nodiscard]] double heightOf(double nanoseconds) const;
    [[nodiscard]] std::optional<std::size_t> pointAt(QPoint place) const;
    void choose(std::size_t rerun);
    void describe();
    void paintHistory(QPainter& painter) const;
    void paintDistribution(QPainter& painter) const;
    void paintMark(QPainter& painter, double nanoseconds, const QString& words, bool isDashed,
                   int line) const;

    std::vector<Point> m_points;
    std::optional<std::size_t> m_baseline;
    std::optional<std::size_t> m_selected;
    /// The times at the lower and the upper end of the history.
    double m_least = 0;
    double m_most = 1;
};

} // namespace aotscope::views
