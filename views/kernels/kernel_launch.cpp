#include "kernels/kernel_launch.h"

#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "kernels/rerun_words.h"
#include "style/ink.h"

#include <QLabel>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace aotscope::views {

namespace {

constexpr int barsHeight = 108;

QString occupancyText(const session::KernelBuildSnapshot& build) {
    if (!build.occupancy) {
        return {};
    }
    QStringList limiters;
    for (const kernels::Limiter limiter : build.occupancy->limiters) {
        limiters.append(QString::fromUtf8(base::wordOf(limiter).data()));
    }
    return KernelLaunchView::tr("%1 %: %2 of %3 warps, limited by %4")
        .arg(std::lround(100 * build.occupancy->share()))
        .arg(build.occupancy->warps)
        .arg(build.occupancy->mostWarps)
        .arg(limiters.join(QStringLiteral(", ")));
}

} // namespace

kernels::KernelWork workOf(const kernels::FusedKernel& kernel) {
    kernels::KernelWork work;
    for (const kernels::KernelParameter& parameter : kernel.parameters) {
        const double bytes = static_cast<double>(parameter.reach()) *
                             static_cast<double>(ir::dtypeBytes(parameter.layout.dtype));
        (parameter.written ? work.bytesWritten : work.bytesRead) += bytes;
    }
    work.vectorOperations = static_cast<double>(kernel.rows) * static_cast<double>(kernel.columns) *
                            static_cast<double>(kernel.nodes.size());
    return work;
}

KernelLaunchView::KernelLaunchView(QWidget* parent) : QWidget(parent), m_facts(plainLabel()) {
    setObjectName(QStringLiteral("kernelLaunch"));
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_facts->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_facts->setAccessibleName(tr("Launch of the kernel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, barsHeight);
    column->addWidget(m_facts);
    column->addStretch(1);
}

QString KernelLaunchView::facts() const {
    return m_facts->text();
}

void KernelLaunchView::show(const std::optional<kernels::FusedKernel>& kernel,
                            const session::KernelBuildSnapshotPtr& build,
                            const kernels::DeviceFigures& device) {
    m_predicted.reset();
    QStringList lines;
    if (kernel) {
        lines.append(tr("grid %1, block %2, dynamic shared memory %3")
                         .arg(kernel->launch.grid)
                         .arg(kernel->launch.block)
                         .arg(formatBytes(static_cast<std::int64_t>(kernel->launch.dynamicSharedBytes))));
        m_predicted = kernels::predictTime(device, workOf(*kernel));
        lines.append(tr("predicted on %1: at least %2, limited by %3")
                         .arg(text(device.name), kernelTime(1e9 * m_predicted->seconds()),
                              QString::fromUtf8(base::wordOf(m_predicted->limit).data())));
    }
    if (build && build->facts) {
        lines.append(
            tr("%1 registers per thread, %2 shared memory, %3 local memory per thread")
                .arg(build->facts->registers)
                .arg(formatBytes(build->facts->staticSharedBytes), formatBytes(build->facts->localBytes)));
        if (build->assembler) {
            lines.append(tr("spilled: %1 stored, %2 loaded again")
                             .arg(formatBytes(build->assembler->spillStoreBytes),
                                  formatBytes(build->assembler->spillLoadBytes)));
        }
        lines.append(tr("occupancy on %1: %2").arg(text(build->request.architecture), occupancyText(*build)));
        lines.append(tr("%1, in %2").arg(text(build->compiler), kernelTime(1e9 * build->seconds)));
    }
    m_facts->setText(lines.isEmpty() ? tr("Choose a fused kernel to see how it is launched.")
                                     : lines.join(QLatin1Char('\n')));
    update();
}

void KernelLaunchView::paintEvent(QPaintEvent* /*event*/) {
    if (!m_predicted) {
        return;
    }
    QPainter painter(this);
    const Ink ink(palette());
    const std::pair<QString, double> bars[] = {{tr("memory"), m_predicted->transferSeconds},
                                               {tr("compute"), m_predicted->computeSeconds},
                                               {tr("launch"), m_predicted->launchSeconds}};
    const double longest = std::max(m_predicted->seconds(), 1e-12);
    const int line = fontMetrics().height() + 6;
    const int names = fontMetrics().horizontalAdvance(tr("compute")) + 16;
    const int numbers = fontMetrics().horizontalAdvance(QStringLiteral("000.0 µs")) + 16;
    int top = height() - barsHeight + 4;
    painter.setPen(ink.dimText);
    painter.drawText(QRect(8, top, width() - 16, line), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("predicted, not measured (hatched)"));
    for (const auto& [name, seconds] : bars) {
        top += line;
        painter.setPen(ink.text);
        painter.drawText(QRect(8, top, names, line), Qt::AlignLeft | Qt::AlignVCenter, name);
        const double share = seconds / longest;
        const QRectF bar(8 + names, top + 3, std::max(1.0, share * (width() - names - numbers - 16)),
                         line - 6);
        painter.fillRect(bar, QBrush(ink.accent, Qt::BDiagPattern));
        painter.setPen(ink.accent);
        painter.drawRect(bar);
        painter.setPen(ink.text);
        painter.drawText(QRectF(bar.right() + 8, top, numbers, line), Qt::AlignLeft | Qt::AlignVCenter,
                         kernelTime(1e9 * seconds));
    }
}

} // namespace aotscope::views
