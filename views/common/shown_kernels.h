#pragma once

#include "contract/kernel_check.h"

#include <QObject>

namespace aotscope::views {

/// The fused kernels of the graph at hand, while a person looks at graphs by fused kernel. Steps through a
/// call then take consecutive nodes of a kernel as one.
class ShownKernels : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] bool wanted() const { return m_wanted; }
    /// The kernels of the graph that was planned last; null: they are not wanted, or none was planned yet.
    [[nodiscard]] const session::KernelPlanSnapshotPtr& plan() const { return m_plan; }

    void setWanted(bool wanted);
    void setPlan(const session::KernelPlanSnapshotPtr& plan);

Q_SIGNALS:
    void changed();

private:
    bool m_wanted = false;
    session::KernelPlanSnapshotPtr m_plan;
};

} // namespace aotscope::views
