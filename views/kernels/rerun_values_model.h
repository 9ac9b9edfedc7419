#pragma once

#include "contract/rerun_result.h"

#include <QAbstractTableModel>
#include <QFont>

#include <vector>

namespace aotscope::views {

class ThemeSource;

/// What went into the nodes of a rerun and what they returned, with how far it is from the run and the
/// baseline.
class RerunValuesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Role, Node, Type, Bytes, Minimum, Mean, Maximum, FromRun, FromBaseline, ColumnCount };

    explicit RerunValuesModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Null: nothing.
    void setResult(const session::RerunResultPtr& result);
    /// The node whose value a row has.
    [[nodiscard]] std::string nodeAt(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const session::RerunValue& valueAt(int row) const;
    [[nodiscard]] QString roleOf(int row) const;
    [[nodiscard]] QString textOf(int row, int column) const;

    const ThemeSource* m_theme;
    session::RerunResultPtr m_result;
    QFont m_font;
};

} // namespace aotscope::views
