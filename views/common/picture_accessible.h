#pragma once

#include <QPoint>
#include <QRect>
#include <QString>

#include <optional>

class QWidget;

namespace aotscope::views {

/// What a painted picture tells those who cannot see it: the things in it, one of which is current. A canvas
/// implements it, and describePicture makes an accessible interface of it. Item numbers hold until
/// pictureChanged.
class PictureItems {
public:
    PictureItems() = default;
    virtual ~PictureItems() = default;
    PictureItems(const PictureItems&) = delete;
    PictureItems& operator=(const PictureItems&) = delete;

    [[nodiscard]] virtual int itemCount() const = 0;
    /// "relu", "saved 48.0 KiB".
    [[nodiscard]] virtual QString itemName(int item) const = 0;
    /// All that is told of it, in a line.
    [[nodiscard]] virtual QString itemDescription(int item) const = 0;
    /// In the canvas; empty: it is not in sight.
    [[nodiscard]] virtual QRect itemRect(int item) const = 0;
    [[nodiscard]] virtual std::optional<int> itemAt(QPoint place) const = 0;
    [[nodiscard]] virtual std::optional<int> currentItem() const = 0;
    [[nodiscard]] virtual bool isPicked(int item) const { return currentItem() == item; }
    /// As if a person had picked it.
    virtual void chooseItem(int item) = 0;
};

/// From now on every widget that is a PictureItems has an accessible interface: a list named by the widget's
/// accessible name, with its items as children. To be called before a canvas is given its name: Qt makes its
/// interface then.
void describePictures();

/// Another item is current: tells a screen reader where the focus is.
void currentItemChanged(QWidget* canvas);
/// The picture shows other items: what was handed out of the old ones is taken back.
void pictureChanged(QWidget* canvas);

} // namespace aotscope::views
