#include "graph/progress_strip.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "common/request.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace aotscope::views {
namespace {

/// Requests that end sooner show no progress.
constexpr qint64 silentMilliseconds = 300;

} // namespace

ProgressStrip::ProgressStrip(RequestBase* request, QWidget* parent)
    : QWidget(parent), m_request(request), m_text(plainLabel()), m_bar(new QProgressBar) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 8, 2);
    layout->setSpacing(8);
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(8);
    m_bar->setAccessibleName(tr("Progress"));
    auto* cancel = new QToolButton;
    cancel->setText(tr("Cancel"));
    cancel->setToolTip(tr("Stop this"));
    layout->addWidget(m_text);
    layout->addWidget(m_bar, 1);
    layout->addWidget(cancel);
    hide();
    connect(cancel, &QToolButton::clicked, request, &RequestBase::cancel);
    connect(request, &RequestBase::progressed, this, &ProgressStrip::showProgress);
    connect(request, &RequestBase::changed, this, [this] {
        if (m_request->state() == RequestBase::State::Running) {
            m_since.start();
        } else {
            hide();
        }
    });
}

void ProgressStrip::showProgress() {
    if (!m_since.isValid() || m_since.elapsed() < silentMilliseconds) {
        return;
    }
    const base::ProgressState& state = m_request->progress();
    m_text->setText(text(state.stage));
    m_bar->setMaximum(state.total == 0 ? 0 : 1'000);
    m_bar->setValue(state.total == 0 ? 0 : int(1'000.0 * double(state.done) / double(state.total)));
    show();
}

} // namespace aotscope::views
