#pragma once

#include "contract/breakpoint.h"

#include <QObject>

#include <vector>

namespace aotscope::views {

/// Breakpoints for traces, shared by all panels.
class BreakpointList : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] const std::vector<session::Breakpoint>& all() const { return m_all; }
    [[nodiscard]] bool contains(const session::Breakpoint& breakpoint) const;
    /// Adds the breakpoint, or removes it if it is in the list.
    void toggle(const session::Breakpoint& breakpoint);
    void clear();

Q_SIGNALS:
    void changed();

private:
    std::vector<session::Breakpoint> m_all;
};

} // namespace aotscope::views
