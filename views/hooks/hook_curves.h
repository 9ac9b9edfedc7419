#pragma once

#include "common/theme.h"
#include "contract/partition_snapshot.h"

#include <QPen>
#include <QWidget>

#include <vector>

namespace aotscope::views {

/// The memory of the training step with hooks and without them, as two curves over its nodes.
class HookCurves : public QWidget {
    Q_OBJECT

public:
    explicit HookCurves(const ThemeSource& theme, QWidget* parent = nullptr);

    /// Null: nothing. Without hooks there is one curve.
    void setPartition(const session::PartitionSnapshotPtr& split);

    /// What the curves say, in words.
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QSize sizeHint() const override { return {300, 200}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] const memory::MemoryProfile* with() const;
    /// Null: no hooks.
    [[nodiscard]] const memory::MemoryProfile* before() const;
    [[nodiscard]] QString wordsAt(double x) const;
    struct Entry {
        QPen pen;
        QString words;
    };
    [[nodiscard]] std::vector<Entry> entries() const;
    [[nodiscard]] bool isLegendTall() const;
    void paintLegend(QPainter& painter) const;
    void paintHalves(QPainter& painter) const;
    [[nodiscard]] QRectF plot() const;
    /// The most bytes in each pixel column of the plot.
    [[nodiscard]] std::vector<std::int64_t> columnsOf(const memory::MemoryProfile& profile) const;

    const ThemeSource& m_theme;
    session::PartitionSnapshotPtr m_split;
    /// The pointer's position; negative: it is elsewhere.
    double m_x = -1;
};

} // namespace aotscope::views
