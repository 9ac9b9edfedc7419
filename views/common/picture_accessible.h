#pragma once

#include <QPoint>
#include <QRect>
#include <QString>

#include <optional>

class QWidget;

namespace aotscope::views {

/// The items of a painted picture, for screen readers; one of them is current. A canvas implements it, and
/// describePictures makes an accessible interface of it. Item numbers are valid until pictureChanged.
class PictureItems {
public:
    PictureItems() = default;
    virtual ~PictureItems() = default;
    PictureItems(const PictureItems&) = delete;
    PictureItems& operator=(const PictureItems&) = delete;

    [[nodiscard]] virtual int itemCount() const = 0;
    /// "relu", "saved 48.0 KiB".
    [[nodiscard]] virtual QString itemName(int item) const = 0;
    /// Everything about the item, in one line.
    [[nodiscard]] virtual QString itemDescription(int item) const = 0;
    /// In canvas coordinates; empty if it is not visible.
    [[nodiscard]] virtual QRect itemRect(int item) const = 0;
    [[nodiscard]] virtual std::optional<int> itemAt(QPoint place) const = 0;
    [[nodiscard]] virtual std::optional<int> currentItem() const = 0;
    [[nodiscard]] virtual bool isPicked(int item) const { return currentItem() == item; }
    /// Does what a click on the item does.
    virtual void chooseItem(int item) = 0;
};

/// Gives every widget that implements PictureItems an accessible interface: a list with the widget's
/// accessible name and its items as children. Call it before a canvas gets its accessible name, because Qt
/// creates the interface then.
void describePictures();

/// Tells a screen reader that another item is current.
void currentItemChanged(QWidget* canvas);
/// The picture shows other items: interfaces of the old items become invalid.
void pictureChanged(QWidget* canvas);

} // namespace aotscope::views
