#include "common/retry_button.h"

#include "common/format.h"
#include "common/request.h"

namespace aotscope::views {

RetryButton::RetryButton(RequestBase* request, QWidget* parent) : QPushButton(tr("Retry"), parent) {
    setObjectName(QStringLiteral("retryShown"));
    setToolTip(tr("Try again"));
    hide();
    connect(this, &QPushButton::clicked, request, &RequestBase::retry);
    connect(request, &RequestBase::changed, this, [this, request] {
        setVisible(request->gaveUp());
        setProperty(shownFailure, request->error() ? views::text(request->error()->message) : QString());
    });
}

} // namespace aotscope::views
