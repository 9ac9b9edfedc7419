#pragma once

#include "session/retrace_snapshot.h"
#include "session/trace_log_writer.h"

#include "passes/partition_options.h"

#include "base/progress.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// The files written for re-traced compiles, by the window and the command line alike.
namespace aotscope::session {

/// Assigns a folder to each compile: "0_0" for compile 0/0, "0_0.2" if the id repeats, and with several logs
/// inside a folder per log ("rank_1.log/0_0").
class CompileFolders {
public:
    explicit CompileFolders(bool severalLogs) : m_severalLogs(severalLogs) {}
    /// Relative to the output folder. `compile` is a compile id, or in a graph file the name in its place
    /// ("units/3").
    [[nodiscard]] std::filesystem::path next(const std::filesystem::path& log, const std::string& compile);

private:
    bool m_severalLogs = false;
    std::set<std::filesystem::path> m_taken;
};

/// The compile, with its joint graph partitioned as aot_eager's compiler does. Unchanged if it has no
/// backward or was not traced. Errors: those of passes::partitionJointGraph, aot.broken_graph,
/// session.canceled.
[[nodiscard]] base::Result<aot::CompiledFunction>
splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log, base::Progress progress);
/// Whether splitRetraced splits it: it was traced and has a backward.
[[nodiscard]] bool isSplittable(const RetraceSnapshot& retraced);
/// What splitRetraced partitions by; only if it is splittable.
[[nodiscard]] passes::PartitionOptions splitOptions(const RetraceSnapshot& retraced, const LogSnapshot& log);
/// The compile without halves: used when the partition fails.
[[nodiscard]] aot::CompiledFunction functionOf(const RetraceSnapshot& retraced);

struct NamedText {
    /// "joint.json"
    std::string name;
    std::string text;
};
/// "forward.json", "forward.txt", "backward.json", "backward.txt"
[[nodiscard]] std::vector<NamedText> halvesFiles(const passes::Partition& partition);
/// Every graph as JSON and as PyTorch prints it (joint, inference or export; forward and backward; the
/// stages), the metadata, and the whole compile as one value (compiled_function.json). `function` comes from
/// splitRetraced. Empty if the compile was not traced.
[[nodiscard]] std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced,
                                                   const aot::CompiledFunction& function);

} // namespace aotscope::session
