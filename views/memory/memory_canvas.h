#pragma once

#include "common/picture_accessible.h"
#include "memory/memory_painter.h"

#include <QPointF>
#include <QWidget>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace aotscope::views {

/// The picture of what is alive during a training step: paints, pans, zooms, picks. Does not use the engine:
/// the panel sets profiles and reacts to the signals.
///
/// W and S zoom, A and D pan; the wheel pans, Ctrl+wheel zooms at the cursor; F shows the selected value's
/// life, again the whole training step. Dragging pans, Shift+drag picks a range of positions, as in the other
/// pictures; Shift+click and Esc clear the range. Dragging the ▲ moves it, Left and Right move it by one
/// node, P puts it on the peak. M asks for a run, T switches to the axis of measured time.
class MemoryCanvas : public QWidget, public PictureItems {
    Q_OBJECT

public:
    explicit MemoryCanvas(const ThemeSource& theme, QWidget* parent = nullptr);

    /// Shows another profile; null: nothing. `keepView` keeps the visible part and the ▲, for other choices
    /// of the same step.
    void setScene(const MemoryScenePtr& scene, bool keepView);
    void setCurves(std::vector<MemoryCurve> curves);
    void setInputs(memory::BandStack::Inputs inputs);
    /// A run of the scene's profile; null: none. setScene removes it.
    void setMeasured(const MeasuredPtr& measured);
    /// Makes nodes as wide as the time they took, if that was measured.
    void setByTime(bool byTime);
    void setSelected(std::optional<std::uint32_t> range);
    /// The tooltip of a value or a position.
    using Describe = std::function<QString(const memory::Band& band, std::uint32_t position)>;
    void setDescribe(Describe describe) { m_describe = std::move(describe); }

    [[nodiscard]] const MemoryLook& look() const { return m_look; }
    [[nodiscard]] std::uint32_t marker() const { return m_look.marker; }
    void moveMarker(std::uint32_t position);
    void markPeak();
    void setSpan(std::optional<std::pair<std::uint32_t, std::uint32_t>> span);
    /// The visible part, in places of the axis.
    void showPart(double from, double to);
    void showAll();

    /// Pixels of the ▲'s position and of the middle of a value's first piece; for tests.
    [[nodiscard]] QPointF pixelOfMarker() const;
    [[nodiscard]] double xOf(double position) const;
    [[nodiscard]] const memory::Band* bandAt(const QPointF& point) const;

    [[nodiscard]] QSize sizeHint() const override { return {800, 260}; }

    // PictureItems: the values of the profile. Small values share a band.
    [[nodiscard]] int itemCount() const override;
    [[nodiscard]] QString itemName(int item) const override;
    [[nodiscard]] QString itemDescription(int item) const override;
    [[nodiscard]] QRect itemRect(int item) const override;
    [[nodiscard]] std::optional<int> itemAt(QPoint place) const override;
    [[nodiscard]] std::optional<int> currentItem() const override;
    void chooseItem(int item) override;

Q_SIGNALS:
    /// A person picked this value; nothing: empty space, or a band of many small values.
    void picked(const std::optional<quint32>& range);
    void hovered(const std::optional<quint32>& range);
    /// Moved by a person, not because the profile changed.
    void markerMoved(quint32 position);
    void spanChanged();
    void viewChanged();
    /// A person wants a measured run (M), or the other axis (T).
    void measureAsked();
    void axisAsked();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Maybe: a click, or the start of Pan; MaybePick: the start of Pick.
    enum class Drag { None, Maybe, MaybePick, Pan, Pick, Marker };

    void refreshTheme();
    template<typename Change>
    void changeAxis(Change&& change);
    void zoomAt(double factor, double x);
    void panBy(double pixels);
    void showLife();
    void hoverAt(const QPointF& point);
    void showCursorAt(const QPointF& point);
    void dragTo(const QPointF& point);
    [[nodiscard]] bool handleKey(QKeyEvent* event);
    [[nodiscard]] bool onMarker(const QPointF& point) const;
    [[nodiscard]] std::uint32_t positionAt(double x) const;
    [[nodiscard]] double length() const;

    const ThemeSource& m_theme;
    MemoryLook m_look;
    MemoryPainter m_painter;
    Describe m_describe;
    Drag m_drag = Drag::None;
    QPointF m_press;
    QPointF m_last;
    /// The last F showed the selected value's life; the next one shows the whole step.
    bool m_lifeShown = false;
};

} // namespace aotscope::views
