#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "runs/value_snapshot.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;

namespace aotscope::views {

class EmptyPage;
class HistogramCanvas;
class ValueCanvas;
class ValueDimensions;
class ValueTableModel;

/// The Values dock: the value of the selected node in the last run of the shown graph, as statistics,
/// histogram, table, heat map and image. Asks the engine only while it can be seen.
class ValuesPanel : public QWidget {
    Q_OBJECT

public:
    enum View { Table, HeatMap, Image };
    explicit ValuesPanel(const ViewContext& context, QWidget* parent = nullptr);

    /// Tag of its request. The panel shows a failure itself: it asks whenever a node is selected.
    [[nodiscard]] static QString tag() { return QStringLiteral("value"); }
    /// Null while nothing is shown.
    [[nodiscard]] const session::ValueSnapshotPtr& value() const { return m_value; }
    [[nodiscard]] ValueTableModel* model() const { return m_model; }
    [[nodiscard]] ValueDimensions* dimensions() const { return m_dimensions; }
    [[nodiscard]] ValueCanvas* heatMap() const { return m_heatMap; }
    [[nodiscard]] ValueCanvas* image() const { return m_image; }
    [[nodiscard]] HistogramCanvas* histogram() const { return m_histogram; }
    [[nodiscard]] QComboBox* viewBox() const { return m_view; }
    [[nodiscard]] QString statistics() const;
    [[nodiscard]] EmptyPage* pages() const { return m_pages; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void follow();
    void ask(const session::ValueWindow& window);
    void take();
    void showNothing();

    ViewContext m_context;
    QLabel* m_title;
    QComboBox* m_view;
    ValueDimensions* m_dimensions;
    QLabel* m_statistics;
    HistogramCanvas* m_histogram;
    ValueTableModel* m_model;
    QTableView* m_table;
    ValueCanvas* m_heatMap;
    ValueCanvas* m_image;
    QStackedWidget* m_parts;
    EmptyPage* m_pages;
    Request<session::ValueSnapshotPtr> m_request;
    session::ValueSnapshotPtr m_value;
};

} // namespace aotscope::views
