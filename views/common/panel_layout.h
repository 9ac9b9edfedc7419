#pragma once

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace aotscope::views {

/// Object name of the field that filters a panel's rows. Ctrl+F goes to it.
[[nodiscard]] inline QString filterFieldName() {
    return QStringLiteral("panelFilter");
}

/// A panel's row of controls, with spacing in multiples of 4 pixels.
[[nodiscard]] inline QHBoxLayout* controlRow(QWidget* parent = nullptr) {
    auto* row = new QHBoxLayout(parent);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    return row;
}

/// A combo box as wide as its widest entry.
[[nodiscard]] inline QComboBox* choiceBox(const QString& name, const QString& toolTip) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(toolTip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return box;
}

/// A vertical layout without gaps or margins.
[[nodiscard]] inline QVBoxLayout* flushColumn(QWidget* parent) {
    auto* column = new QVBoxLayout(parent);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace aotscope::views
