#include "values/value_dimensions.h"

#include "common/panel_layout.h"
#include "common/plain_words.h"

#include <QComboBox>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace aotscope::views {

ValueDimensions::ValueDimensions(QWidget* parent)
    : QWidget(parent),
      m_row(controlRow(this)),
      m_output(new QSpinBox),
      m_rows(choiceBox(tr("Dimension of the rows"), tr("The dimension that goes down"))),
      m_columns(choiceBox(tr("Dimension of the columns"), tr("The dimension that goes across"))),
      m_across(plainLabel(QStringLiteral("×"))) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_output->setAccessibleName(tr("Which of the node's tensors"));
    m_output->setToolTip(tr("Which of the tensors that the node returned"));
    m_output->setPrefix(tr("tensor "));
    m_rows->setObjectName(QStringLiteral("rowDimension"));
    m_columns->setObjectName(QStringLiteral("columnDimension"));
    for (QWidget* widget : {static_cast<QWidget*>(m_output), static_cast<QWidget*>(m_rows),
                            static_cast<QWidget*>(m_across), static_cast<QWidget*>(m_columns)}) {
        m_row->addWidget(widget);
    }
    m_row->addStretch(1);
    const auto tell = [this] {
        if (!m_showing) {
            Q_EMIT chosen();
        }
    };
    connect(m_output, &QSpinBox::valueChanged, this, tell);
    for (QComboBox* box : {m_rows, m_columns}) {
        connect(box, &QComboBox::activated, this, tell);
    }
}

std::vector<QSpinBox*> ValueDimensions::indexBoxes() const {
    std::vector<QSpinBox*> boxes;
    std::ranges::copy_if(m_indices, std::back_inserter(boxes), [](QSpinBox* box) { return box != nullptr; });
    return boxes;
}

QSpinBox* ValueDimensions::makeBox(const QString& name, const QString& prefix, std::int64_t value,
                                   std::int64_t below) {
    auto* box = new QSpinBox;
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->setPrefix(prefix);
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    box->setMaximum(static_cast<int>(std::clamp<std::int64_t>(below - 1, 0, most)));
    box->setValue(static_cast<int>(std::min(value, most)));
    // Report only the whole number, not every digit while it is typed.
    box->setKeyboardTracking(false);
    m_row->insertWidget(m_row->count() - 1, box);
    connect(box, &QSpinBox::valueChanged, this, &ValueDimensions::chosen);
    return box;
}

void ValueDimensions::fillPlane() {
    const std::vector<std::int64_t>& shape = m_value->summary.shape;
    const session::ValueWindow& window = m_value->window;
    for (QComboBox* box : {m_rows, m_columns}) {
        box->clear();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            box->addItem(tr("dim %1 (%2)").arg(i).arg(shape[i]));
        }
        box->setVisible(shape.size() > 1);
    }
    m_across->setVisible(shape.size() > 1);
    m_rows->setCurrentIndex(static_cast<int>(window.rowDimension.value_or(0)));
    m_columns->setCurrentIndex(static_cast<int>(window.columnDimension.value_or(0)));
    m_output->setMaximum(static_cast<int>(m_value->outputs) - 1);
    m_output->setValue(static_cast<int>(window.output));
    m_output->setVisible(m_value->outputs > 1);
}

void ValueDimensions::makeIndexBoxes() {
    // Deleting a box with the focus would take the focus away: the boxes are rebuilt only for another plane.
    for (QSpinBox* box : indexBoxes()) {
        box->deleteLater();
    }
    for (QSpinBox* box : {m_firstRow, m_firstColumn}) {
        if (box != nullptr) {
            box->deleteLater();
        }
    }
    m_firstRow = m_firstColumn = nullptr;
    const std::vector<std::int64_t>& shape = m_value->summary.shape;
    const session::ValueWindow& window = m_value->window;
    m_indices.assign(shape.size(), nullptr);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i != window.rowDimension && i != window.columnDimension) {
            m_indices[i] = makeBox(tr("Index in dimension %1, of %2").arg(i).arg(shape[i]),
                                   tr("dim %1: ").arg(i), window.fixed[i], shape[i]);
        }
    }
    if (m_value->planeRows > window.rows) {
        m_firstRow =
            makeBox(tr("First row of the table"), tr("from row "), window.firstRow, m_value->planeRows);
        m_firstRow->setSingleStep(static_cast<int>(window.rows));
    }
    if (m_value->planeColumns > window.columns) {
        m_firstColumn = makeBox(tr("First column of the table"), tr("from column "), window.firstColumn,
                                m_value->planeColumns);
        m_firstColumn->setSingleStep(static_cast<int>(window.columns));
    }
}

void ValueDimensions::setValue(const session::ValueSnapshotPtr& value) {
    const QScopedValueRollback showing(m_showing, true);
    const bool isSamePlane = m_value && value && m_value->summary.shape == value->summary.shape &&
                             m_value->outputs == value->outputs &&
                             m_value->window.output == value->window.output &&
                             m_value->window.rowDimension == value->window.rowDimension &&
                             m_value->window.columnDimension == value->window.columnDimension;
    m_value = value;
    if (value && !isSamePlane) {
        fillPlane();
        makeIndexBoxes();
    }
}

session::ValueWindow ValueDimensions::window() const {
    session::ValueWindow window;
    if (!m_value) {
        return window;
    }
    window.output = static_cast<std::size_t>(m_output->value());
    if (window.output != m_value->window.output) {
        // Another tensor has other dimensions.
        return window;
    }
    const auto dimensionOf = [](const QComboBox* box) {
        return box->currentIndex() >= 0 ? std::optional(static_cast<std::size_t>(box->currentIndex()))
                                        : std::nullopt;
    };
    const std::optional<std::size_t> rows = dimensionOf(m_rows);
    const std::optional<std::size_t> columns = dimensionOf(m_columns);
    const session::ValueWindow& shown = m_value->window;
    window.rowDimension = rows;
    window.columnDimension = columns;
    if (rows == columns) {
        // Choosing the other's dimension exchanges the two.
        const bool rowsChanged = rows != shown.rowDimension;
        window.rowDimension = rowsChanged ? rows : shown.columnDimension;
        window.columnDimension = rowsChanged ? shown.rowDimension : columns;
    }
    if (m_value->summary.shape.size() < 2) {
        window.rowDimension.reset();
        window.columnDimension.reset();
    }
    window.fixed.resize(m_indices.size(), 0);
    for (std::size_t i = 0; i < m_indices.size(); ++i) {
        window.fixed[i] = m_indices[i] != nullptr ? m_indices[i]->value() : 0;
    }
    window.firstRow = m_firstRow != nullptr ? m_firstRow->value() : 0;
    window.firstColumn = m_firstColumn != nullptr ? m_firstColumn->value() : 0;
    return window;
}

} // namespace aotscope::views
