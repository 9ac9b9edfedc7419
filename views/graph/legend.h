#pragma once

#include "graph/coloring.h"
#include "graph/partition_marks.h"

#include <QWidget>

namespace aotscope::views {

/// What the colours of the graph mean: a swatch, a word and a count each, in one line or two; they end in "…"
/// where they are too narrow (the whole is in the tooltip).
class Legend : public QWidget {
    Q_OBJECT

public:
    explicit Legend(const ThemeSource& theme, QWidget* parent = nullptr);

    void setColoring(const ColoringPtr& coloring);
    /// What is drawn of a step beside the colours; null: nothing.
    void setMarks(const PartitionMarksPtr& marks);
    /// How many nodes the shown stage added and changed; they are marked in the picture.
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
    /// Where the items go that have room: x in pixels, y in lines.
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
