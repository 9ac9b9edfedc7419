#pragma once

#include "steps/call_record.h"

#include <QWidget>

class QTreeWidget;

namespace aotscope::views {

class ThemeSource;

/// A call beside Dynamo's graph in eager mode: each value with its verdict, structure and numbers, and the
/// losses of a training loop.
class EagerView : public QWidget {
    Q_OBJECT

public:
    explicit EagerView(const ThemeSource* theme, QWidget* parent = nullptr);

    /// Null: there is nothing to show.
    void setRecord(const steps::CallRecordPtr& record);
    [[nodiscard]] QTreeWidget* values() const { return m_values; }
    [[nodiscard]] QTreeWidget* losses() const { return m_losses; }

private:
    void show();

    const ThemeSource* m_theme;
    steps::CallRecordPtr m_record;
    QTreeWidget* m_values;
    QTreeWidget* m_losses;
};

} // namespace aotscope::views
