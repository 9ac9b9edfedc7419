#pragma once

#include "contract/requests.h"
#include "contract/snapshots.h"

#include "inductor/log_kernels.h"

#include "base/progress.h"
#include "base/result.h"
#include "base/text_lines.h"

#include <memory>
#include <string>
#include <vector>

namespace aotscope::session {

/// The code that Inductor generated in one compile, split into kernels and linked with nodes.
struct GeneratedCodeSnapshot {
    GeneratedCodeSnapshot() = default;
    // Not copyable, because its lines point into its texts.
    GeneratedCodeSnapshot(const GeneratedCodeSnapshot&) = delete;
    GeneratedCodeSnapshot& operator=(const GeneratedCodeSnapshot&) = delete;
    ~GeneratedCodeSnapshot() = default;

    /// Log and compile; no artifact.
    ArtifactReference compile;
    struct Part {
        inductor::GeneratedCode generated;
        std::string text;
        /// Lines of `text`; never null in a finished snapshot.
        base::TextLinesPtr lines;
    };
    /// In file order; empty: the log has no generated code for this compile.
    std::vector<std::unique_ptr<const Part>> parts;
};

[[nodiscard]] bool hasGeneratedCode(const LogSnapshot& log, load::CompileIndex compile);

/// Errors: session.no_such_compile, session.canceled.
[[nodiscard]] base::Result<GeneratedCodeSnapshotPtr>
readGeneratedCode(const LogSnapshot& log, const LoadGeneratedCode& command, base::Progress progress);

} // namespace aotscope::session
