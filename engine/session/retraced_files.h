#pragma once

#include "session/retrace_snapshot.h"
#include "session/trace_log_writer.h"

#include "base/progress.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// What is left on disk of compiles that were traced again; the window and the command line write the same.
namespace aotscope::session {

/// Gives each compile the folder its files lie in: "0_0" of compile 0/0, "0_0.2" of one that comes again, and
/// with several logs a folder per log above them ("rank_1.log/0_0").
class CompileFolders {
public:
    explicit CompileFolders(bool severalLogs) : m_severalLogs(severalLogs) {}
    /// Relative to where everything is written. `compile` is a compile id, or what stands for one in a file
    /// of graphs ("units/3").
    [[nodiscard]] std::filesystem::path next(const std::filesystem::path& log, const std::string& compile);

private:
    bool m_severalLogs = false;
    std::set<std::filesystem::path> m_taken;
};

/// The joint graph that was traced, in two as the compiler of aot_eager splits it; nothing of one that has no
/// backward. Errors: those of passes::partitionJointGraph, session.canceled.
[[nodiscard]] base::Result<RetracedHalves> splitRetraced(const RetraceSnapshot& retraced,
                                                         const LogSnapshot& log, base::Progress progress);

struct NamedText {
    /// "joint.json"
    std::string name;
    std::string text;
};
/// "forward.json", "forward.txt", and the same of the backward; nothing where either is missing.
[[nodiscard]] std::vector<NamedText> halvesFiles(const RetracedHalves& halves);
/// Every graph as JSON and as PyTorch prints it (joint, inference or export; forward and backward; the
/// stages) and the metadata. Nothing of a compile that was not traced.
[[nodiscard]] std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced,
                                                   const RetracedHalves& halves);

} // namespace aotscope::session
