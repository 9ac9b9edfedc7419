#pragma once

#include "contract/backend.h"
#include "contract/rerun_request.h"
#include "contract/snapshots.h"

#include "base/describe.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A file that runs one failed command again: the graph, the options and the error. It is written before the
/// risky call, so that it exists even if the process crashes, and removed when the call succeeds.
namespace aotscope::session {

inline constexpr const char* reproducerSchema = "aotscope.reproducer/3";

struct Reproducer {
    /// "run" or "rerun"
    std::string command;
    /// Where the graph came from, for people ("mlp.log:0/0:joint").
    std::string origin;
    ir::GraphPtr graph;
    RunOptions options;
    /// Names of inputs of the run that are not in the file, because they are too large; a replay generates
    /// them from the seed.
    std::vector<std::string> inputsLeftOut = {};
    /// What went wrong; empty while the command runs, and if the process crashed in it.
    std::optional<base::Error> error = std::nullopt;
    /// Only of a rerun.
    std::optional<RerunChoice> rerun = std::nullopt;
};
AOTSCOPE_MEMBERS(Reproducer, command, origin, graph, options, inputsLeftOut, error, rerun)

/// $XDG_STATE_HOME/aotscope/reproducers, else ~/.local/state/…, else a folder of the system's temporary one.
[[nodiscard]] std::filesystem::path defaultReproducerFolder();

/// JSON text of `reproducerSchema`.
[[nodiscard]] std::string reproducerToJson(const Reproducer& reproducer);
/// Also reads versions 1 and 2; the first lacks some of the options: they are as by default. Errors:
/// session.reproducer_syntax, session.reproducer_schema (names the member that is missing, unknown or
/// malformed), and those of ir::graphFromJson.
[[nodiscard]] base::Result<Reproducer> reproducerFromJson(std::string_view json);

/// The reproducer file of a running command. Failures to write it are logged; they are not errors of the
/// command.
class ReproducerFile {
public:
    /// Creates a file with a unique name in `folder` (created if missing) and removes the oldest reproducers
    /// beyond `mostFiles`. Does nothing if `folder` is empty. Inputs beyond 64 MiB are left out.
    ReproducerFile(const std::filesystem::path& folder, Reproducer reproducer, std::size_t mostFiles = 50);
    /// Empty if there is no file.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Keeps the file and adds the error to it.
    void keep(const base::Error& error);
    /// Call when the command succeeded or was canceled.
    void remove();

private:
    std::filesystem::path m_path;
    /// What the file holds, once there is one.
    Reproducer m_reproducer;
};

/// Adds to an error how the file is replayed, if there is one.
void noteReproducer(base::Error& error, const ReproducerFile& file);

} // namespace aotscope::session
