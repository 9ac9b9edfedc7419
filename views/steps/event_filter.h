#pragma once

#include "steps/call_record.h"

#include <QString>

#include <memory>
#include <vector>

namespace aotscope::views {

/// Chooses events of a call by a line of text. Its terms stand between spaces and must all hold:
///
///     relu "two words"   found in the event's title or operator
///     /^add_\d+$/        a regular expression, searched in the same
///     kind:saving        what happens: entry, exit, wrapper (both), forward, backward, node (both), saving,
///                        gradient
///     time>10us          the event itself takes longer (or shorter: <); ns, us, ms or s
///     -kind:exit         a term with - before it must not hold
///
/// Letters' case does not matter. The empty line chooses everything.
class EventFilter {
public:
    /// `problem` is set to what is wrong with the line, or cleared. A line with a problem chooses everything.
    [[nodiscard]] static EventFilter parse(const QString& line, QString* problem);
    [[nodiscard]] bool matches(const steps::CallEvent& event) const;
    [[nodiscard]] bool isEmpty() const { return m_terms.empty(); }

    struct Term;

private:
    std::vector<std::shared_ptr<const Term>> m_terms;
};

} // namespace aotscope::views
