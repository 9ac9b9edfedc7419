#include "common/torch_rules.h"

namespace aotscope::views {

void TorchRules::choose(const std::optional<aot::TorchVersion>& torch) {
    if (torch != m_chosen) {
        m_chosen = torch;
        Q_EMIT changed();
    }
}

} // namespace aotscope::views
