#pragma once

#include "contract/reference.h"

#include "load/trace_log.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::timeline {
class Timeline;
using TimelinePtr = std::shared_ptr<const Timeline>;
} // namespace aotscope::timeline

namespace aotscope::session {

struct GraphSnapshot;

/// FX text as PyTorch prints it, or graph JSON. References to its graphs have an empty compile id ("-").
struct GraphFile {
    /// At least one. A single graph is named "graph", several by their path in the file ("units/0/joint").
    std::vector<std::shared_ptr<const GraphSnapshot>> graphs = {};
    /// `graphs` as artifacts, in the same order.
    load::ArtifactList artifacts = {};
};

/// An open file of any kind: compiles with lists of artifacts. A graph file is one compile, which
/// CompileIndex(0) names; a profiler's trace has none.
struct LogSnapshot {
    std::uint32_t log = 0;
    std::filesystem::path path = {};
    /// Never a null pointer. The last one is a profiler's trace.
    std::variant<GraphFile, load::TraceLogPtr, timeline::TimelinePtr> content = {};
    /// False while the file is still being read.
    bool complete = true;

    [[nodiscard]] std::span<const load::Compile> compiles() const;
    [[nodiscard]] const load::ArtifactList& artifacts(load::CompileIndex compile) const;
    /// See load::TraceLog::tryFindCompile.
    [[nodiscard]] std::optional<load::CompileIndex> tryFindCompile(const ArtifactReference& reference) const;
    /// See load::TraceLog::rank.
    [[nodiscard]] std::optional<std::int32_t> rank() const;

    /// Null: the file is of another kind.
    [[nodiscard]] const load::TraceLogPtr& traceLog() const { return contentAs<load::TraceLogPtr>(); }
    [[nodiscard]] const timeline::TimelinePtr& timeline() const { return contentAs<timeline::TimelinePtr>(); }
    /// Empty: the file is of another kind.
    [[nodiscard]] const std::vector<std::shared_ptr<const GraphSnapshot>>& graphs() const {
        return contentAs<GraphFile>().graphs;
    }

private:
    template<typename T>
    [[nodiscard]] const T& contentAs() const {
        static const T none{};
        const T* const found = std::get_if<T>(&content);
        return found == nullptr ? none : *found;
    }
};
using LogSnapshotPtr = std::shared_ptr<const LogSnapshot>;

/// The reference of a compile's artifact; without a name, of the compile.
[[nodiscard]] inline ArtifactReference referenceTo(const LogSnapshot& log, const load::Compile& compile,
                                                   std::string artifact = {}) {
    return {.log = log.log, .compile = compile.id, .artifact = std::move(artifact), .rank = compile.rank};
}

/// "mlp.log:0/0:joint", with the path of a nested graph behind it; of a log that is not open (null) without
/// its file.
[[nodiscard]] std::string titleOf(const LogSnapshotPtr& log, const ArtifactReference& reference);

} // namespace aotscope::session
