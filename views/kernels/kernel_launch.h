#pragma once

#include "contract/kernel_build.h"
#include "kernels/device_figures.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace aotscope::views {

/// What a fused kernel moves and computes at least, from its parameters and nodes.
[[nodiscard]] kernels::KernelWork workOf(const kernels::FusedKernel& kernel);

/// How a fused kernel is launched, what it needs of a multiprocessor, and how long it takes at least on a
/// GPU. What is predicted is hatched.
class KernelLaunchView : public QWidget {
    Q_OBJECT

public:
    explicit KernelLaunchView(QWidget* parent = nullptr);

    /// Null and nothing: no fused kernel is chosen, or it is not compiled.
    void show(const std::optional<kernels::FusedKernel>& kernel, const session::KernelBuildSnapshotPtr& build,
              const kernels::DeviceFigures& device);
    [[nodiscard]] QString facts() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* m_facts;
    std::optional<kernels::PredictedTime> m_predicted;
};

} // namespace aotscope::views
