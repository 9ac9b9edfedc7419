#pragma once

#include <QLabel>

namespace aotscope::views {

/// One line of plain text that ends in "…" where the place is too narrow for it, instead of in half a letter,
/// and then tells the whole line in its tooltip unless it was given one. It takes any width.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    [[nodiscard]] bool isElided() const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

} // namespace aotscope::views
