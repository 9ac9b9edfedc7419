#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::session {

/// The compiles of a log whose records changed. What was computed from the others stays valid when a log
/// grows.
class ChangedCompiles {
public:
    /// For a log that was closed or replaced.
    [[nodiscard]] static ChangedCompiles all(std::uint32_t log);
    /// For a log that has only grown: the records of `after` begin with those of `before`.
    [[nodiscard]] static ChangedCompiles between(const LogSnapshot& before, const LogSnapshot& after);

    [[nodiscard]] bool concerns(const ArtifactReference& graph) const;

private:
    using Key = std::pair<load::CompileId, std::optional<std::int32_t>>;

    std::uint32_t m_log = 0;
    bool m_all = false;
    std::set<Key> m_changed;
};

} // namespace aotscope::session
