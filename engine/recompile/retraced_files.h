#pragma once

#include "contract/retrace_snapshot.h"

#include "aot/compiled_function.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// The files written for re-traced compiles, by the window and the command line alike.
namespace aotscope::session {

/// Assigns a folder to each compile: "0_0" for compile 0/0, "0_0_2nd" for 0/0 (2nd), "0_0.2" for a second
/// graph of one compile, and with several logs inside a folder per log ("rank_1.log/0_0").
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

struct NamedText {
    /// "joint.json"
    std::string name;
    std::string text;
};
/// "STEM.json" and "STEM.txt", as PyTorch prints it.
void addGraph(std::vector<NamedText>& files, const std::string& stem, const ir::Graph& graph);
/// "forward.json", "forward.txt", "backward.json", "backward.txt"
[[nodiscard]] std::vector<NamedText> halvesFiles(const passes::Partition& partition);

/// The files of a re-traced compile: every graph as JSON and as PyTorch prints it (joint, inference or
/// export; forward and backward, also as they were before saved-tensors hooks; the stages), the metadata, and
/// the whole compile as one value (compiled_function.json). Empty if the compile was not traced. `function`
/// is the compile as it ended: split, or without halves.
[[nodiscard]] std::vector<NamedText> retracedFiles(const RetraceSnapshot& retraced,
                                                   const aot::CompiledFunction& function);

} // namespace aotscope::session
