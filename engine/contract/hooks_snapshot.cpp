#include "contract/hooks_snapshot.h"

#include <algorithm>

namespace aotscope::session {

double worstError(const std::vector<GradientError>& gradients) {
    double worst = 0;
    for (const GradientError& gradient : gradients) {
        worst = std::max(worst, gradient.error.relative);
    }
    return worst;
}

} // namespace aotscope::session
