#pragma once

#include "common/picture_accessible.h"
#include "timeline/timeline_painter.h"

#include <QPointF>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QScrollBar;

namespace aotscope::views {

/// The picture of a timeline: paints, pans, zooms, picks. Does not use the engine: the panel sets scenes and
/// reacts to the signals.
///
/// Perfetto's keys: W and S zoom, A and D pan; F centres the selected event, again fits it, once more (or
/// without a selection) everything; M marks the selected event's time; [ and ] go to the previous and next
/// event of the same name, "," and "." to its neighbours in the lane, Up and Down to what encloses it and
/// what is inside; / searches; Esc clears. The wheel scrolls, Shift+wheel pans, Ctrl+wheel zooms at the
/// cursor. Dragging pans, Shift+drag picks a range of time, a double click fits the event. A click on a row's
/// name folds it.
class TimelineCanvas : public QWidget, public PictureItems {
    Q_OBJECT

public:
    explicit TimelineCanvas(const ThemeSource& theme, QWidget* parent = nullptr);

    /// Null: nothing. Shows everything, and drops selection and marks.
    void setScene(const TimelineScenePtr& scene);
    /// Without signals.
    void setSelected(std::optional<timeline::EventId> event);
    void setHovered(std::optional<timeline::EventId> event);
    /// See TimelineLook::found.
    void setFound(std::vector<bool> names);
    /// One line about an event for the tooltip.
    using Describe = std::function<QString(timeline::EventId)>;
    void setDescribe(Describe describe) { m_describe = std::move(describe); }

    [[nodiscard]] const TimelineLook& look() const { return m_look; }
    [[nodiscard]] const TimelinePainter& painter() const { return m_painter; }
    [[nodiscard]] QScrollBar* scrollBar() const { return m_scrollBar; }
    /// The part of the widget beside the scroll bar.
    [[nodiscard]] QRect pictureRect() const;
    [[nodiscard]] QRectF rectOf(timeline::EventId event) const;

    void showTime(double from, double to);
    void showAll();
    /// Scrolls and pans so that the event is in sight, no further than needed.
    void reveal(timeline::EventId event);
    void fit(timeline::EventId event);
    void setFolded(std::size_t place, bool folded);

    // PictureItems: the nodes, or the outermost events of the first row.
    [[nodiscard]] int itemCount() const override;
    [[nodiscard]] QString itemName(int item) const override;
    [[nodiscard]] QString itemDescription(int item) const override;
    [[nodiscard]] QRect itemRect(int item) const override;
    [[nodiscard]] std::optional<int> itemAt(QPoint place) const override;
    [[nodiscard]] std::optional<int> currentItem() const override;
    void chooseItem(int item) override;

Q_SIGNALS:
    /// A person picked this event; nothing: empty space.
    void picked(const std::optional<aotscope::timeline::EventId>& event);
    void hovered(const std::optional<aotscope::timeline::EventId>& event);
    void viewChanged();
    /// A person wants to search (/).
    void searchAsked();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Drag { None, Maybe, Pan, Pick };

    void refreshTheme();
    void refreshScrollBar();
    void scrollTo(int pixels);
    void zoomAt(double factor, double x);
    void panBy(double pixels);
    void focusSelected();
    void toggleMark();
    void choose(std::optional<timeline::EventId> event);
    [[nodiscard]] bool handleKey(QKeyEvent* event);
    [[nodiscard]] bool walk(int key);
    [[nodiscard]] std::optional<timeline::EventId> beside(int step) const;
    [[nodiscard]] double shortest() const;

    const ThemeSource& m_theme;
    TimelineLook m_look;
    TimelinePainter m_painter;
    Describe m_describe;
    QScrollBar* m_scrollBar;
    Drag m_drag = Drag::None;
    QPointF m_press;
    QPointF m_last;
    /// How often F was pressed in a row.
    int m_focused = 0;
};

} // namespace aotscope::views

Q_DECLARE_METATYPE(aotscope::timeline::EventId)
