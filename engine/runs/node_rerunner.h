#pragma once

#include "contract/backend.h"
#include "contract/requests.h"
#include "contract/rerun_request.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace aotscope::session {

/// Reruns nodes of a parsed graph on a backend. If that fails, a reproducer stays in `reproducerFolder`
/// (empty: none is written). Library exceptions become errors. Errors: those of RerunRequest;
/// session.canceled, session.out_of_memory, session.exception.
[[nodiscard]] base::Result<RerunSnapshotPtr> rerunNodes(Backend& backend, const GraphSnapshotPtr& graph,
                                                        const std::string& title, const RerunNodes& command,
                                                        const std::filesystem::path& reproducerFolder,
                                                        const base::Progress& progress);

} // namespace aotscope::session
