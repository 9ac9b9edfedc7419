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

/// The compile with its joint graph in two as the compiler of aot_eager splits it; as it is where it has no
/// backward, or was not traced. Errors: those of passes::partitionJointGraph, aot.broken_graph,
/// session.canceled.
[[nodiscard]] base::Result<aot::CompiledFunction>
splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log, base::Progress progress);
/// The same without its halves: what is left of one that cannot be split.
[[nodiscard]] aot::CompiledFunction functionOf(const RetraceSnapshot& retraced);

struct NamedText {
    /// "joint.json"
    std::string name;
    std::string text;
};
/// "forward.json", "forward.txt", and the same of the backward.
[[nodiscard]] std::vector<NamedText> halvesFiles(const passes::Partition& partition);
/// Every graph as JSON and as PyTorch prints it (joint, inference or export; forward and backward; the
/// stages), the metadata, and all of it as one value (compiled_function.json). `function` is what
/// splitRetraced gave. Nothing of a compile that was not traced.
[[nodiscard]] std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced,
                                                   const aot::CompiledFunction& function);

} // namespace aotscope::session
