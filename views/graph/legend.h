#pragma once

#include "graph/choice_marks.h"
#include "graph/coloring.h"
#include "graph/partition_marks.h"

#include <QStringList>
#include <QWidget>

namespace aotscope::views {

/// The legend of the graph's colours, each with a swatch, a word and a count, in one line or two. It ends in
/// "…" if there is too little room; the tooltip has all of it.
class Legend : public QWidget {
    Q_OBJECT

public:
    explicit Legend(const ThemeSource& theme, QWidget* parent = nullptr);

    void setColoring(const ColoringPtr& coloring);
    /// Marks of a partition that are drawn in addition to colours; null: none. Their numbers are those of the
    /// Saved panel: values, not boxes or lines.
    void setMarks(const PartitionMarksPtr& marks);
    void setChoices(const ChoiceMarksPtr& choices);
    /// The entries that had room when it was painted: "saved 3 · 1.5 KiB".
    [[nodiscard]] const QStringList& drawn() const { return m_drawn; }
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
    [[nodiscard]] bool saysInColor(bool Coloring::Entry::*what) const;
    [[nodiscard]] QString savedWord() const;
    [[nodiscard]] QString savedCount(std::size_t count) const;
    [[nodiscard]] Item itemOf(const Coloring::Entry& entry) const;
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
    ChoiceMarksPtr m_choices;
    QStringList m_drawn;
    std::size_t m_added = 0;
    std::size_t m_changed = 0;
};

} // namespace aotscope::views
