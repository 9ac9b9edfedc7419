#pragma once

#include "runs/value_snapshot.h"

#include <QWidget>

#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSpinBox;

namespace aotscope::views {

/// Chooses the plane of a tensor: which dimension goes down and which across, the index in every other one,
/// and where the table begins.
class ValueDimensions : public QWidget {
    Q_OBJECT

public:
    explicit ValueDimensions(QWidget* parent = nullptr);

    /// Shows the window of a value, without emitting anything.
    void setValue(const session::ValueSnapshotPtr& value);
    /// The window as chosen.
    [[nodiscard]] session::ValueWindow window() const;

    [[nodiscard]] QComboBox* rowBox() const { return m_rows; }
    /// The index boxes of the dimensions outside of the plane, in order.
    [[nodiscard]] std::vector<QSpinBox*> indexBoxes() const;

Q_SIGNALS:
    /// A person chose another window.
    void chosen();

private:
    void fillPlane();
    void makeIndexBoxes();
    QSpinBox* makeBox(const QString& name, const QString& prefix, std::int64_t value, std::int64_t below);

    session::ValueSnapshotPtr m_value;
    QHBoxLayout* m_row;
    QSpinBox* m_output;
    QComboBox* m_rows;
    QComboBox* m_columns;
    QLabel* m_across;
    /// By dimension; null for those of the plane.
    std::vector<QSpinBox*> m_indices;
    QSpinBox* m_firstRow = nullptr;
    QSpinBox* m_firstColumn = nullptr;
    bool m_showing = false;
};

} // namespace aotscope::views
