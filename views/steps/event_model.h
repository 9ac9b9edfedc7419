#pragma once

#include "common/format.h"
#include "steps/event_tree.h"
#include "steps/step_breakpoint.h"

#include <QAbstractItemModel>
#include <QFont>

#include <optional>
#include <vector>

namespace aotscope::views {

class ThemeSource;

/// The events of a call as a tree: marks, event, operator, time. All times have one unit.
class EventModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column {
        /// ▶ at the current point, ● at a breakpoint.
        Mark,
        Event,
        Operator,
        Time,
        ColumnCount
    };

    explicit EventModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Null: no events.
    void setRecord(const steps::CallRecordPtr& record, const EventFilter& filter);
    [[nodiscard]] const steps::CallRecordPtr& record() const { return m_record; }
    [[nodiscard]] const EventTree& tree() const { return m_tree; }
    /// The event before which the call stands.
    void setCurrent(std::optional<std::size_t> event);
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    void setBreakpoints(std::vector<steps::StepBreakpoint> breakpoints);

    /// The event of a row; nothing: the row is a heading.
    [[nodiscard]] std::optional<std::size_t> eventAt(const QModelIndex& index) const;
    /// Invalid: the filter leaves it out.
    [[nodiscard]] QModelIndex indexOf(std::size_t event, int column = Event) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const EventRow& rowAt(const QModelIndex& index) const;
    [[nodiscard]] QModelIndex indexOfRow(int row, int column) const;
    [[nodiscard]] QString textOf(const EventRow& row, int column) const;
    [[nodiscard]] QString markOf(const EventRow& row) const;
    [[nodiscard]] bool isCurrent(const EventRow& row) const;
    void findBreakpoints();
    [[nodiscard]] QVariant colorOf(const EventRow& row, int column) const;
    [[nodiscard]] QString tipOf(const EventRow& row) const;

    const ThemeSource* m_theme;
    QFont m_code;
    steps::CallRecordPtr m_record;
    EventTree m_tree;
    Unit m_unit;
    std::optional<std::size_t> m_current;
    std::vector<steps::StepBreakpoint> m_breakpoints;
    /// Per event whether a call pauses before it.
    std::vector<bool> m_pausing;
};

/// "AOTDedupeWrapper", "AOTDedupeWrapper returns", "mm", "saving", "gradient of primals_1"
[[nodiscard]] QString eventTitle(const steps::CallEvent& event);

} // namespace aotscope::views
