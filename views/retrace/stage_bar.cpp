#include "retrace/stage_bar.h"

#include "common/difference_style.h"
#include "common/format.h"
#include "common/plain_words.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QTextDocumentFragment>

#include <algorithm>

namespace aotscope::views {

StageBar::StageBar(QWidget* parent)
    : QWidget(parent),
      m_slider(new QSlider(Qt::Horizontal)),
      m_words(new QLabel),
      m_compare(new QPushButton) {
    m_slider->setAccessibleName(tr("Stage of the trace"));
    m_slider->setToolTip(
        tr("From Dynamo's graph to the forward that runs (F7: next stage that changed something, "
           "Shift+F7: previous)"));
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::TicksBelow);
    m_slider->setTickInterval(1);
    m_slider->setMinimumWidth(160);
    m_slider->setMaximumWidth(260);
    m_words->setMinimumWidth(1);
    m_words->setTextFormat(Qt::RichText);
    m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_words->installEventFilter(this);
    m_compare->setText(tr("What changed"));
    m_compare->setToolTip(tr("Show the stage beside the previous one, with what it changed"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 2, 8, 2);
    layout->setSpacing(12);
    layout->addWidget(m_slider);
    layout->addWidget(m_words, 1);
    layout->addWidget(m_compare);
    connect(m_slider, &QSlider::valueChanged, this, [this](int index) {
        describe();
        if (const session::RetraceStage* stage = tryStage(index); stage && stage->graph) {
            Q_EMIT chosen(stage->graph->reference);
        }
    });
    connect(m_compare, &QPushButton::clicked, this, [this] {
        const session::RetraceStage* stage = tryStage(m_slider->value());
        const session::RetraceStage* earlier = before(m_slider->value());
        if (stage && stage->graph && earlier) {
            Q_EMIT compareRequested(earlier->graph->reference, stage->graph->reference);
        }
    });
    hide();
}

const session::RetraceStage* StageBar::tryStage(int index) const {
    const bool exists =
        m_retraced && index >= 0 && static_cast<std::size_t>(index) < m_retraced->stages.size();
    return exists ? &m_retraced->stages[static_cast<std::size_t>(index)] : nullptr;
}

/// "+12 ~3 −1" for added, changed and removed nodes, with the signs of Compare.
QString StageBar::changesText(const session::RetraceStage& stage) {
    using Kind = ir::NodeDifference::Kind;
    QStringList parts;
    const auto add = [&](std::size_t count, Kind kind) {
        if (count > 0) {
            parts.append(differenceGlyph(kind) + formatCount(count));
        }
    };
    add(stage.added, Kind::Added);
    add(stage.changed, Kind::Changed);
    add(stage.removed, Kind::Removed);
    return parts.isEmpty() ? tr("as before") : parts.join(QLatin1Char(' '));
}

/// The stage that this one's changes are relative to.
const session::RetraceStage* StageBar::before(int index) const {
    for (int i = index - 1; i >= 0; --i) {
        if (m_retraced->stages[static_cast<std::size_t>(i)].graph) {
            return &m_retraced->stages[static_cast<std::size_t>(i)];
        }
    }
    return nullptr;
}

void StageBar::showStages(const session::RetraceSnapshotPtr& retraced) {
    if (retraced == m_retraced) {
        return;
    }
    m_retraced = retraced && !retraced->stages.empty() ? retraced : nullptr;
    if (m_retraced) {
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, static_cast<int>(m_retraced->stages.size()) - 1);
        const auto made = session::stageOf(*m_retraced, m_retraced->made->reference);
        m_slider->setValue(made ? static_cast<int>(*made) : m_slider->maximum());
        describe();
    }
    setVisible(m_retraced != nullptr);
}

int StageBar::stage() const {
    return m_slider->value();
}

bool StageBar::step(int direction) {
    for (int index = m_slider->value() + direction;; index += direction) {
        const session::RetraceStage* stage = tryStage(index);
        if (!stage) {
            return m_retraced != nullptr;
        }
        // Dynamo's graph has no changes but is the start of all others.
        if (stage->graph && (stage->changes() > 0 || index == 0)) {
            m_slider->setValue(index);
            return true;
        }
    }
}

QString StageBar::words(int index, bool withChanges) const {
    const session::RetraceStage* stage = tryStage(index);
    const QString name = text(stage->name).toHtmlEscaped();
    return index == 0 || !withChanges ? name
           : !stage->graph            ? tr("%1 (not shown)").arg(name)
                                      : tr("%1 (%2)").arg(name, changesText(*stage));
}

/// All stages, each with what it changed; where these do not fit, names alone, and then the chosen stage
/// alone.
QStringList StageBar::descriptions() const {
    constexpr const char* arrow = "  →  ";
    const int chosen = m_slider->value();
    QStringList all;
    QStringList names;
    for (int i = 0; i <= m_slider->maximum(); ++i) {
        all.append(i == chosen ? QStringLiteral("<b>%1</b>").arg(words(i, true)) : words(i, true));
        names.append(i == chosen ? all.last() : words(i, false));
    }
    return {all.join(QString::fromUtf8(arrow)), names.join(QString::fromUtf8(arrow)),
            tr("%1 of %2: %3").arg(chosen + 1).arg(all.size()).arg(all.at(chosen))};
}

void StageBar::describe() {
    if (!m_retraced) {
        return;
    }
    const QStringList texts = descriptions();
    m_said = texts.first();
    QFont bold = m_words->font();
    bold.setBold(true);
    const QFontMetrics widths(bold);
    const auto fits = [&](const QString& html) {
        return widths.horizontalAdvance(QTextDocumentFragment::fromHtml(html).toPlainText()) <=
               m_words->width();
    };
    const auto shown = std::find_if(texts.begin(), texts.end() - 1, fits);
    m_words->setText(*shown);
    const session::RetraceStage* stage = tryStage(m_slider->value());
    m_words->setToolTip(
        !stage          ? QString()
        : !stage->graph ? plainToolTip(text(stage->note))
        : before(m_slider->value())
            ? tr("%1 nodes added, %2 changed, %3 removed since the previous stage; the Graph dock marks them")
                  .arg(formatCount(stage->added), formatCount(stage->changed), formatCount(stage->removed))
            : QString());
    m_compare->setEnabled(stage && stage->graph && before(m_slider->value()));
}

QString StageBar::shown() const {
    return m_words->text();
}

bool StageBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_words && event->type() == QEvent::Resize) {
        describe();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace aotscope::views
