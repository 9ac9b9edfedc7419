#pragma once

#include "evidence/logged_config.h"
#include "session/snapshots.h"

namespace aotscope::session {

/// The options that a file tells of the compile that a graph of it belongs to.
[[nodiscard]] evidence::LoggedConfig loggedConfigOf(const LogSnapshot& log, const ArtifactReference& graph);

} // namespace aotscope::session
