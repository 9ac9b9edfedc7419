#include "common/shown_kernels.h"

namespace aotscope::views {

void ShownKernels::setWanted(bool wanted) {
    if (wanted != m_wanted) {
        m_wanted = wanted;
        m_plan = nullptr;
        Q_EMIT changed();
    }
}

void ShownKernels::setPlan(const session::KernelPlanSnapshotPtr& plan) {
    if (m_wanted && plan != m_plan) {
        m_plan = plan;
        Q_EMIT changed();
    }
}

} // namespace aotscope::views
