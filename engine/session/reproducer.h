#pragma once

#include "session/backend.h"
#include "session/snapshots.h"

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

/// One file that runs a failed command again, alone: the graph, the options and what went wrong. Written
/// before the risky step, so that it is there even if the process dies in it, and removed when it went well.
namespace aotscope::session {

struct Reproducer {
    /// "run"
    std::string command;
    /// What the graph was, for people ("mlp.log:0/0:joint").
    std::string origin;
    ir::GraphPtr graph;
    RunOptions options;
    /// What happened; empty while the command is still running (or when it took the process with it).
    std::optional<base::Error> error;
};

/// $XDG_STATE_HOME/aotscope/reproducers, else ~/.local/state/…, else a folder of the system's temporary one.
[[nodiscard]] std::filesystem::path defaultReproducerFolder();

/// JSON text, schema "aotscope.reproducer/1". Given inputs are embedded up to 64 MiB in all; beyond that
/// they are left out and named, and a replay makes them from the seed.
[[nodiscard]] std::string reproducerToJson(const Reproducer& reproducer);
/// Errors: session.reproducer_syntax, session.reproducer_schema, and those of ir::graphFromJson.
[[nodiscard]] base::Result<Reproducer> reproducerFromJson(std::string_view json);

/// A reproducer's file while its command runs. Failures to write are logged, never an error of the command.
class ReproducerFile {
public:
    /// Makes a file with a name of its own in `folder` (made if absent), and removes the oldest reproducers
    /// beyond `mostFiles`. An empty folder: does nothing.
    ReproducerFile(const std::filesystem::path& folder, const Reproducer& reproducer,
                   std::size_t mostFiles = 50);
    /// Empty when there is none.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Keeps the file, with the error in it.
    void keep(Reproducer reproducer, const base::Error& error);
    /// The command went well or was canceled.
    void remove();

private:
    std::filesystem::path m_path;
};

} // namespace aotscope::session
