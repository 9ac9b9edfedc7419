#pragma once

#include "common/picture_accessible.h"
#include "common/theme.h"
#include "hooks/capsule_rows.h"
#include "hooks/plot_axes.h"

#include <QWidget>

#include <optional>
#include <string>
#include <vector>

namespace aotscope::views {

/// All measured hooks as points: to the right the error of the worst gradient (logarithmic; exact ones at the
/// left edge), upwards what the hook brings. So the best ones are at the upper left. A click or Enter chooses
/// one, Left and Right go from one to the next.
class HookScatter : public QWidget, public PictureItems {
    Q_OBJECT

public:
    /// What a hook brings.
    enum class Gain { BytesSaved, PeakFall };
    struct Point {
        std::string saved;
        QString hook;
        /// May be 0 or infinite.
        double error = 0;
        std::int64_t bytesSaved = 0;
        std::int64_t peakFall = 0;
        /// See Capsule::isOlder.
        bool isOlder = false;
    };

    explicit HookScatter(const ThemeSource& theme, QWidget* parent = nullptr);

    /// From rows with measured hooks.
    void setCapsules(const std::vector<Capsule>& capsules);
    /// What stands in place of points while there are none.
    void setWords(const QString& words);
    void setGain(Gain gain);
    [[nodiscard]] Gain gain() const { return m_gain; }
    /// Empty: none.
    void setChosen(const std::string& saved);

    /// Sorted by error.
    [[nodiscard]] const std::vector<Point>& points() const { return m_points; }
    /// In pixels.
    [[nodiscard]] QPointF placeOf(std::size_t point) const;
    [[nodiscard]] QSize sizeHint() const override { return {300, 200}; }

    // PictureItems: the points.
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_points.size()); }
    [[nodiscard]] QString itemName(int item) const override;
    [[nodiscard]] QString itemDescription(int item) const override;
    [[nodiscard]] QRect itemRect(int item) const override;
    [[nodiscard]] std::optional<int> itemAt(QPoint place) const override;
    [[nodiscard]] std::optional<int> currentItem() const override;
    void chooseItem(int item) override;

Q_SIGNALS:
    /// A person picked this tensor.
    void chosen(const std::string& saved);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Powers of ten that the axis of errors reaches over.
    struct Decades {
        int from = -4;
        int to = 0;
    };
    /// Pixels beside them.
    struct Edges {
        double left = 0;
        double right = 0;
    };
    /// Finds the axes for the points.
    void measureAxes();
    [[nodiscard]] Decades decades() const;
    [[nodiscard]] Edges edges() const;
    [[nodiscard]] std::int64_t gainOf(const Point& point) const;
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] double xOf(double error) const;
    void paintErrorAxis(QPainter& painter) const;
    void paintPoint(QPainter& painter, std::size_t point) const;
    void paintName(QPainter& painter, std::size_t point) const;
    void hover(std::optional<int> point);

    const ThemeSource& m_theme;
    std::vector<Point> m_points;
    std::string m_chosen;
    QString m_words;
    Gain m_gain = Gain::BytesSaved;
    std::optional<int> m_hovered;
    Decades m_decades;
    Edges m_edges;
    ByteAxis m_bytes;
};

} // namespace aotscope::views
