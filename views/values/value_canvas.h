#pragma once

#include "runs/value_snapshot.h"

#include <QImage>
#include <QWidget>

namespace aotscope::views {

/// A tensor as a picture: the plane as a heat map with its scale, or the image that the tensor looks like.
/// Square pixels as large as fit.
class ValueCanvas : public QWidget {
    Q_OBJECT

public:
    enum class Shows { HeatMap, Image };
    explicit ValueCanvas(Shows shows, QWidget* parent = nullptr);

    void setValue(const session::ValueSnapshotPtr& value);
    /// What the pointer's tooltip says there; empty beside the picture.
    [[nodiscard]] QString placeText(QPoint place) const;
    [[nodiscard]] const QImage& picture() const { return m_picture; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void draw();
    [[nodiscard]] QRect pictureRect() const;
    void paintScale(QPainter& painter) const;
    [[nodiscard]] QColor colorOf(double number) const;

    Shows m_shows;
    session::ValueSnapshotPtr m_value;
    QImage m_picture;
};

} // namespace aotscope::views
