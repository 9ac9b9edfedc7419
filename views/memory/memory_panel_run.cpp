// How MemoryPanel has the step run, and what it tells of the run.
#include "memory/memory_panel.h"

#include "common/engine_client.h"
#include "common/format.h"
#include "memory/memory_canvas.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>

#include <algorithm>

namespace aotscope::views {

void MemoryPanel::connectRuns() {
    EngineClient* engine = m_context.engine;
    connect(m_measure, &QPushButton::clicked, this, &MemoryPanel::measure);
    connect(m_canvas, &MemoryCanvas::measureAsked, this, &MemoryPanel::measure);
    connect(m_canvas, &MemoryCanvas::axisAsked, m_byTime, &QCheckBox::click);
    connect(m_byTime, &QCheckBox::toggled, m_canvas, &MemoryCanvas::setByTime);
    connect(engine, &EngineClient::stepRunReady, this, [this](const session::StepRunSnapshotPtr& run) {
        const auto known = [&](const MemoryOrder& order) { return order.isOf(*run); };
        if (std::ranges::none_of(m_orders, known)) {
            return; // Other choices were made meanwhile.
        }
        std::erase_if(m_runs, [&](const session::StepRunSnapshotPtr& old) {
            return old->forward->graph->reference == run->forward->graph->reference;
        });
        m_runs.push_back(run);
        showMeasured();
        refreshLegend();
        refreshSummary();
    });
    const auto setWaits = [this](quint64 job, bool waits) {
        if (job == m_job && job != 0 && m_jobWaits != waits) {
            m_jobWaits = waits;
            if (shown() != nullptr) {
                showMeasured();
            }
        }
    };
    connect(engine, &EngineClient::waiting, this, [setWaits](quint64 job) { setWaits(job, true); });
    connect(engine, &EngineClient::started, this, [setWaits](quint64 job) { setWaits(job, false); });
    connect(engine, &EngineClient::finished, this, [this](quint64 job) { endRun(job, std::nullopt); });
    connect(engine, &EngineClient::canceled, this, [this](quint64 job) { endRun(job, std::nullopt); });
    connect(engine, &EngineClient::failed, this,
            [this](quint64 job, const QString&, const base::Error& error) { endRun(job, error); });
}

void MemoryPanel::measure() {
    const MemoryOrder* order = shown();
    if (order == nullptr || !order->halves || m_job != 0) {
        return;
    }
    session::RunOptions options;
    options.statistics = false;
    m_runError.reset();
    m_job = m_context.engine->send(session::RunStep{order->halves->forward, order->halves->backward, options},
                                   QStringLiteral("memory-run"));
    showMeasured();
    refreshSummary();
}

void MemoryPanel::endRun(quint64 job, const std::optional<base::Error>& error) {
    if (job == 0 || job != m_job) {
        return;
    }
    m_job = 0;
    m_jobWaits = false;
    m_runError = error;
    if (shown() != nullptr) {
        showMeasured();
        refreshSummary();
    }
}

/// The run of the shown order, if there is one, and what can be done about it.
void MemoryPanel::showMeasured() {
    const MemoryOrder& order = *shown();
    const auto run = std::ranges::find_if(
        m_runs, [&](const session::StepRunSnapshotPtr& known) { return order.isOf(*known); });
    m_canvas->setMeasured(run == m_runs.end() ? nullptr : order.measuredBy(**run));
    m_measure->setEnabled(order.halves && m_job == 0);
    m_measure->setText(m_job == 0 ? tr("Measure") : m_jobWaits ? tr("Waiting …") : tr("Measuring …"));
    m_measure->setToolTip(
        order.halves ? tr("Run forward and backward on the CPU on made-up inputs, twice, and lay over the "
                          "bands what LibTorch's allocator reports of the second run (M in the picture; "
                          "Shift+F5 stops it)")
                     : tr("Eager's order is not one of two graphs that could be run here: choose “as logged” "
                          "or “current choices” to measure"));
    const bool measured = m_canvas->look().measured != nullptr;
    m_byTime->setEnabled(measured);
    m_byTime->setToolTip(measured ? tr("Each node as wide as the time it took (T in the picture)")
                                  : tr("Each node as wide as the time it took: Measure first"));
}

QString MemoryPanel::incomparable() const {
    if (m_step->choices.rounding != memory::Rounding::Exact) {
        return tr("measured to the byte, predicted in blocks");
    }
    return m_step->choices.donated == session::DonatedBuffers::Freed
               ? QString()
               : tr("measured node by node, predicted with donated buffers reused");
}

QStringList MemoryPanel::measuredWords() const {
    if (m_runError) {
        return {tr("⚠ not measured: %1").arg(text(m_runError->message))};
    }
    const MeasuredPtr& measured = m_canvas->look().measured;
    if (!measured) {
        return {};
    }
    QStringList words = {
        tr("measured %1 in %2")
            .arg(formatBytes(measured->peak.bytes), formatNanoseconds(measured->start.back()))};
    if (const QString reason = incomparable(); !reason.isEmpty()) {
        words.append(reason);
    } else if (measured->differing.empty()) {
        words.append(tr("as predicted at every node"));
    } else {
        words.append(tr("⚠ differs at %1, first at %2")
                         .arg(formatCount(measured->differing.size(), "node", "nodes"),
                              shown()->nodeAt(measured->differing.front())));
    }
    return words;
}

/// For the tooltip: the error in full, or node by node where the run differs.
QString MemoryPanel::measuredDetails() const {
    if (m_runError) {
        return text(m_runError->text());
    }
    const MeasuredPtr& measured = m_canvas->look().measured;
    if (!measured) {
        return {};
    }
    const memory::MemoryProfile& profile = *shown()->profile;
    QStringList lines;
    if (measured->largestScratch.bytes > 0) {
        lines.append(tr("Most that one operator took and gave back by itself: %1 in %2.")
                         .arg(formatBytes(measured->largestScratch.bytes),
                              shown()->nodeAt(measured->largestScratch.position)));
    }
    constexpr std::size_t most = 10;
    const bool comparable = incomparable().isEmpty();
    for (std::size_t i = 0; comparable && i < std::min(most, measured->differing.size()); ++i) {
        const std::uint32_t at = measured->differing[i];
        lines.append(tr("%1: measured %2 bytes, predicted %3")
                         .arg(shown()->nodeAt(at))
                         .arg(measured->bytes[at])
                         .arg(profile.bytes[at]));
    }
    for (const session::StepRunSnapshotPtr& run : m_runs) {
        if (!shown()->isOf(*run)) {
            continue;
        }
        for (const session::RunSnapshotPtr& half : {run->forward, run->backward}) {
            for (const std::string& note : half->notes) {
                lines.append(text(note));
            }
        }
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace aotscope::views
