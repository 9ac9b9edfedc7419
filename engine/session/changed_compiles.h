#pragma once

#include "session/reference.h"
#include "session/snapshots.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::session {

/// The compiles of a log that hold other records than before. What was made of the others is still right when
/// a log has grown.
class ChangedCompiles {
public:
    /// Of a log that was closed or is another one now.
    [[nodiscard]] static ChangedCompiles all(std::uint32_t log);
    /// Of a log that has only grown: `after` begins with what `before` holds.
    [[nodiscard]] static ChangedCompiles between(const LogSnapshot& before, const LogSnapshot& after);

    [[nodiscard]] bool concerns(const ArtifactReference& graph) const;

private:
    using Key = std::pair<load::CompileId, std::optional<std::int32_t>>;

    std::uint32_t m_log = 0;
    bool m_all = false;
    std::set<Key> m_changed;
};

} // namespace aotscope::session
