#pragma once

#include "common/picture_accessible.h"
#include "common/theme.h"

#include <QFont>
#include <QWidget>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::views {

/// One wrapper in the picture of the stack, or the compiled graph inside all of them.
struct StackLevel {
    /// Index in the list of wrappers; nothing: the compiled graph.
    std::optional<std::size_t> step;
    QString name;
    /// Why it applies, or not.
    QString reason;
    bool applies = true;
    /// Its own time in the shown call, forward and backward; nothing: not measured.
    std::optional<std::int64_t> nanoseconds;
    /// Whether calls pause at it.
    bool isBreakpoint = false;
};

/// The stack of wrappers as boxes inside one another, the outermost first: a call goes down through them to
/// the compiled graph, and back. Those that do nothing are lines between the boxes. Does not use the engine.
///
/// A click chooses a wrapper; Up and Down go from one to the next, Home and End to the first and last.
class StackCanvas : public QWidget, public PictureItems {
    Q_OBJECT

public:
    explicit StackCanvas(const ThemeSource& theme, QWidget* parent = nullptr);

    /// From the outermost to the compiled graph, which is the last.
    void setLevels(std::vector<StackLevel> levels);
    [[nodiscard]] const std::vector<StackLevel>& levels() const { return m_levels; }
    /// The level at hand; nothing: none.
    void setChosen(std::optional<std::size_t> level);
    [[nodiscard]] std::optional<std::size_t> chosen() const { return m_chosen; }
    /// Where the call stands; nothing: in no wrapper.
    void setStanding(std::optional<std::size_t> level);
    /// A level's heading, in pixels; for tests.
    [[nodiscard]] QRect headOf(std::size_t level) const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    // PictureItems: the levels.
    [[nodiscard]] int itemCount() const override { return static_cast<int>(m_levels.size()); }
    [[nodiscard]] QString itemName(int item) const override;
    [[nodiscard]] QString itemDescription(int item) const override;
    [[nodiscard]] QRect itemRect(int item) const override;
    [[nodiscard]] std::optional<int> itemAt(QPoint place) const override;
    [[nodiscard]] std::optional<int> currentItem() const override;
    void chooseItem(int item) override;

Q_SIGNALS:
    /// A person chose a level.
    void picked(std::size_t level);
    /// The level at hand should be in sight.
    void revealed(const QRect& place);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Where a level is drawn: its heading, and how deep it lies in boxes.
    struct Place {
        int top = 0;
        int height = 0;
        int depth = 0;
    };
    void layOut();
    void pick(std::size_t level);
    void paintFrames(QPainter& painter) const;
    void paintLevel(QPainter& painter, std::size_t level) const;
    void paintCost(QPainter& painter, const StackLevel& level, const QRect& head) const;
    [[nodiscard]] bool isBox(const StackLevel& level) const { return level.applies; }

    const ThemeSource& m_theme;
    std::vector<StackLevel> m_levels;
    std::vector<Place> m_places;
    int m_height = 0;
    std::optional<std::size_t> m_chosen;
    std::optional<std::size_t> m_standing;
};

} // namespace aotscope::views
