#pragma once

#include <QLabel>

namespace aotscope::views {

/// One line of plain text, elided with "…" if there is too little room. The tooltip then shows all of it,
/// unless another one was set. The label can shrink to any width.
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
