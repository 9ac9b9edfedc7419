#include "common/breakpoint_list.h"

#include <algorithm>

namespace aotscope::views {

bool BreakpointList::contains(const session::Breakpoint& breakpoint) const {
    return std::ranges::find(m_all, breakpoint) != m_all.end();
}

void BreakpointList::toggle(const session::Breakpoint& breakpoint) {
    if (std::erase(m_all, breakpoint) == 0) {
        m_all.push_back(breakpoint);
    }
    Q_EMIT changed();
}

void BreakpointList::clear() {
    if (!m_all.empty()) {
        m_all.clear();
        Q_EMIT changed();
    }
}

} // namespace aotscope::views
