#pragma once

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace aotscope::views {

/// Object name of the field that a panel's rows are filtered with: what Ctrl+F leads to in that panel.
[[nodiscard]] inline QString filterFieldName() {
    return QStringLiteral("panelFilter");
}

/// A panel's row of controls, on the grid of 4 pixels.
[[nodiscard]] inline QHBoxLayout* controlRow(QWidget* parent = nullptr) {
    auto* row = new QHBoxLayout(parent);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    return row;
}

/// A list to choose one entry from, as wide as its entries.
[[nodiscard]] inline QComboBox* choiceBox(const QString& name, const QString& toolTip) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(toolTip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

/// Parts of a panel one below the other, without gaps.
[[nodiscard]] inline QVBoxLayout* flushColumn(QWidget* parent) {
    auto* column = new QVBoxLayout(parent);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace aotscope::views
