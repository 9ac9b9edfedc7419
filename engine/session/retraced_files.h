#pragma once

#include "session/retrace_snapshot.h"
#include "session/trace_log_writer.h"

#include "base/progress.h"

#include <string>
#include <vector>

/// What is left on disk of compiles that were traced again; the window and the command line write the same.
namespace aotscope::session {

/// "0_0" of "0/0": an id, or the name of a file, as the name of a folder.
[[nodiscard]] std::string folderNameOf(std::string name);

/// The joint graph that was traced, in two as the compiler of aot_eager splits it; nothing of one that has no
/// backward. Errors: those of passes::partitionJointGraph, session.canceled.
[[nodiscard]] base::Result<RetracedHalves> splitRetraced(const RetraceSnapshot& retraced,
                                                         const LogSnapshot& log, base::Progress progress);

struct NamedText {
    /// "joint.json"
    std::string name;
    std::string text;
};
/// Every graph as JSON and as PyTorch prints it (joint, inference or export; forward and backward; the
/// stages) and the metadata. Nothing of a compile that was not traced.
[[nodiscard]] std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced,
                                                   const RetracedHalves& halves);

} // namespace aotscope::session
