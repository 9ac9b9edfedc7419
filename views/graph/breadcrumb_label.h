#pragma once

#include "graph/breadcrumb.h"

#include <QLabel>

#include <optional>

namespace aotscope::views {

/// A breadcrumb as links, shortened to the label's width.
class BreadcrumbLabel : public QLabel {
    Q_OBJECT

public:
    /// `theme` must outlive the label.
    explicit BreadcrumbLabel(const ThemeSource& theme, QWidget* parent = nullptr);

    /// Nothing: empty.
    void setCrumb(std::optional<Breadcrumb> crumb);

Q_SIGNALS:
    void followed(const aotscope::views::Breadcrumb::Target& target);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();

    const ThemeSource& m_theme;
    std::optional<Breadcrumb> m_crumb;
};

} // namespace aotscope::views
