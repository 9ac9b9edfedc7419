#include "graph/progress_strip.h"

#include "common/engine_client.h"
#include "common/format.h"
#include "common/plain_words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

namespace aotscope::views {
namespace {

/// Work that ends sooner shows no progress.
constexpr qint64 silentMilliseconds = 300;

} // namespace

ProgressStrip::ProgressStrip(EngineClient* engine, const QString& tag, QWidget* parent)
    : QWidget(parent), m_engine(engine), m_text(plainLabel()), m_bar(new QProgressBar) {
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
    connect(cancel, &QToolButton::clicked, this, [this] { m_engine->cancel(m_job); });
    connect(engine, &EngineClient::started, this, [this, tag](quint64 job, const QString& of) {
        if (of == tag) {
            m_job = job;
            m_since.start();
        }
    });
    connect(engine, &EngineClient::progressed, this,
            [this, tag](quint64 job, const QString& of, const base::ProgressState& state) {
                if (of != tag || job != m_job || m_since.elapsed() < silentMilliseconds) {
                    return;
                }
                m_text->setText(text(state.stage));
                m_bar->setMaximum(state.total == 0 ? 0 : 1'000);
                m_bar->setValue(state.total == 0 ? 0
                                                 : int(1'000.0 * double(state.done) / double(state.total)));
                show();
            });
    const auto end = [this, tag](quint64 job, const QString& of) {
        if (of == tag && job == m_job) {
            hide();
        }
    };
    connect(engine, &EngineClient::finished, this, end);
    connect(engine, &EngineClient::canceled, this, end);
    connect(engine, &EngineClient::failed, this, end);
}

} // namespace aotscope::views
