#pragma once

#include <QPushButton>

namespace aotscope::views {

class RequestBase;

/// Property of a button that asks again: the message of the failure that stands beside it.
inline constexpr const char* shownFailure = "failure";

/// Asks again for what was canceled or failed, and is shown only then. For panels that still show an earlier
/// answer; a panel without one has the button of its EmptyPage.
class RetryButton : public QPushButton {
    Q_OBJECT

public:
    /// `request` must outlive the button, and have nothing to retry yet.
    explicit RetryButton(RequestBase* request, QWidget* parent = nullptr);
};

} // namespace aotscope::views
