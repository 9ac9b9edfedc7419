#pragma once

#include "contract/reference.h"
#include "contract/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

#include "aot/retrace.h"
#include "passes/graph_warnings.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/// What the graphs of a file's compiles show by themselves (passes/graph_warnings.h), where it is to be
/// shown.
namespace aotscope::session {

/// A warning of a logged graph.
struct LoggedWarning {
    ArtifactReference graph;
    /// Line of the graph in the file, from 1.
    std::size_t line = 0;
    passes::GraphWarning warning;
};

/// Errors and warnings, without notes, of all compiles of a file, in its order.
struct LogWarnings {
    std::uint32_t log = 0;
    std::vector<LoggedWarning> warnings;
};

/// A graph file has none. Graphs are only read where their text has something to warn of; those that cannot
/// be read are passed over. Errors: session.canceled.
[[nodiscard]] base::Result<LogWarnings> findWarnings(const LogSnapshot& log, base::Progress progress);

/// What a program and the graph that was traced from it show. `traced` may be null.
[[nodiscard]] std::vector<passes::GraphWarning> warningsOfTrace(const LogSnapshot& log,
                                                                const ArtifactReference& program,
                                                                const aot::RetraceRequest& request,
                                                                const ir::GraphPtr& traced, bool isJoint);

struct RetraceSnapshot;
/// Those of a trace and of the halves that the finished compile has, without notes.
[[nodiscard]] std::vector<passes::GraphWarning> warningsOfCall(const RetraceSnapshot& traced,
                                                               const aot::CompiledFunction& function);

} // namespace aotscope::session
