// Running the training step for MemoryPanel, and what it shows of the run.
#include "memory/memory_panel.h"

#include "common/format.h"
#include "common/log_list.h"
#include "common/run_device.h"
#include "memory/memory_canvas.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>

#include <algorithm>

namespace aotscope::views {

void MemoryPanel::connectRuns() {
    connect(m_measure, &QPushButton::clicked, this, &MemoryPanel::measure);
    connect(m_canvas, &MemoryCanvas::measureAsked, this, &MemoryPanel::measure);
    connect(m_canvas, &MemoryCanvas::axisAsked, m_byTime, &QCheckBox::click);
    connect(m_byTime, &QCheckBox::toggled, m_canvas, &MemoryCanvas::setByTime);
    connect(&m_request, &RequestBase::answered, this, [this] {
        constexpr std::size_t mostKept = 16;
        const session::TrainingStepSnapshotPtr run = m_request.takeAnswer();
        std::erase_if(m_runs, [&](const session::TrainingStepSnapshotPtr& old) {
            return old->forward->graph->reference == run->forward->graph->reference;
        });
        m_runs.push_back(run);
        if (m_runs.size() > mostKept) {
            m_runs.erase(m_runs.begin());
        }
        refreshLegend();
    });
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (shown() != nullptr) {
            showMeasured();
            refreshSummary();
        }
    });
    connect(m_context.logs, &LogList::closed, this, [this](quint32 log) {
        std::erase_if(m_runs, [log](const session::TrainingStepSnapshotPtr& run) {
            return run->forward->graph->reference.log == log;
        });
    });
}

void MemoryPanel::measure() {
    const MemoryOrder* order = shown();
    if (order == nullptr || !order->halves || m_request.isUnderWay()) {
        return;
    }
    session::RunOptions options;
    options.statistics = false;
    options.device = chosenDevice(m_context);
    m_request.ask(session::RunTrainingStep{order->halves->forward, order->halves->backward, options});
}

/// Shows the run of the shown order, if there is one, and the actions that are possible.
void MemoryPanel::showMeasured() {
    const MemoryOrder& order = *shown();
    const auto run = std::ranges::find_if(
        m_runs, [&](const session::TrainingStepSnapshotPtr& known) { return order.isOf(*known); });
    m_isMeasuredOnGpu = run != m_runs.end() && (*run)->forward->device.isCuda();
    m_canvas->setMeasured(run == m_runs.end() ? nullptr : order.measuredBy(**run));
    const bool underWay = m_request.isUnderWay();
    m_measure->setEnabled(order.halves && !underWay);
    m_measure->setText(!underWay              ? tr("Measure")
                       : m_request.waitsFor() ? tr("Waiting …")
                                              : tr("Measuring …"));
    m_measure->setToolTip(
        order.halves
            ? tr("Run forward and backward twice on synthetic inputs, and draw over the bands what the "
                 "device's allocator reports for the second run (M in the picture; Shift+F5 stops it)")
            : tr("Eager cannot be measured. Select “as logged” or “current choices”."));
    const bool measured = m_canvas->look().measured != nullptr;
    m_byTime->setEnabled(measured);
    m_byTime->setToolTip(measured ? tr("Each node as wide as the time it took (T in the picture)")
                                  : tr("Each node as wide as the time it took; press Measure first"));
}

QString MemoryPanel::incomparable() const {
    const memory::Rounding same =
        m_isMeasuredOnGpu ? memory::Rounding::CachingAllocator : memory::Rounding::Exact;
    if (m_split->choices.rounding != same) {
        return m_isMeasuredOnGpu ? tr("measured in CUDA’s blocks, predicted in others")
                                 : tr("measured to the byte, predicted in blocks");
    }
    return m_split->choices.donated == session::DonatedBuffers::Freed
               ? QString()
               : tr("measured node by node, predicted with donated buffers reused");
}

QStringList MemoryPanel::measuredWords() const {
    if (const auto& error = m_request.error()) {
        return {tr("⚠ not measured: %1").arg(text(error->message))};
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

/// For the tooltip: the whole error, or the differing nodes one by one.
QString MemoryPanel::measuredDetails() const {
    if (const auto& error = m_request.error()) {
        return text(error->text());
    }
    const MeasuredPtr& measured = m_canvas->look().measured;
    if (!measured) {
        return {};
    }
    const memory::MemoryProfile& profile = *shown()->profile;
    QStringList lines;
    if (measured->largestScratch.bytes > 0) {
        lines.append(tr("Most memory used inside one operator: %1 in %2.")
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
    for (const session::TrainingStepSnapshotPtr& run : m_runs) {
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
