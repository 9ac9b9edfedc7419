#pragma once

#include "graph/coloring.h"
#include "graph/partition_marks.h"

#include <QWidget>

namespace aotscope::views {

/// The legend of the graph's colours, each with a swatch, a word and a count, in one line or two. It ends in
/// "…" if there is too little room; the tooltip has all of it.
class Legend : public QWidget {
    Q_OBJECT

public:
    explicit Legend(const ThemeSource& theme, QWidget* parent = nullptr);

    void setColoring(const ColoringPtr& coloring);
    /// Marks of a partition that are drawn in addition to colours; null: none.
    void setMarks(const PartitionMarksPtr& marks);
    /// How many nodes the shown stage added and changed; the picture marks them.
    void setChanges(std::size_t added, std::size_t changed);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Mark;
    struct Item;
    [[nodiscard]] std::vector<Mark> marks() const;
    [[nodiscard]] std::vector<Item> items() const;
    /// Places of the items that have room: x in pixels, y in lines.
    [[nodiscard]] std::vector<QPoint> places(const std::vector<Item>& items) const;
    [[nodiscard]] int signWidth(const Item& item) const;
    [[nodiscard]] int heightOf(int lines) const;
    void fitLines();
    void refreshWords();

    const ThemeSource& m_theme;
    ColoringPtr m_coloring;
    PartitionMarksPtr m_marks;
    std::size_t m_added = 0;
    std::size_t m_changed = 0;
};

} // namespace aotscope::views
