#include "session/shared_backend.h"

#include "session/program_kind.h"

#include "base/log.h"

#include <utility>

namespace aotscope::session {

base::Result<Backend*> SharedBackend::open() {
    if (!m_backend) {
        if (!m_factory) {
            return base::Error{.code = "session.no_backend",
                               .message = "This program was built without LibTorch, so it cannot run graphs.",
                               .hint = "Build it with -DAOTSCOPE_TORCH=ON."};
        }
        auto opened = m_factory();
        if (!opened) {
            return std::move(opened).error();
        }
        m_backend = std::move(opened).value();
        base::logInfo("aotscope.session", "backend: " + m_backend->description());
    }
    return m_backend.get();
}

base::Result<RunSnapshotPtr> SharedBackend::run(GraphRunner runner, const GraphSnapshotPtr& graph,
                                                const std::string& title, const RunOptions& options,
                                                const std::filesystem::path& reproducerFolder,
                                                base::Progress progress) {
    const std::lock_guard lock(m_mutex);
    progress.report("Opening LibTorch", 0, 0);
    auto opened = open();
    if (!opened) {
        return std::move(opened).error();
    }
    return runner(**opened, graph, title, options, reproducerFolder, progress);
}

base::Result<aot::RetraceResult> SharedBackend::retrace(const aot::RetraceRequest& request,
                                                        const TracePauses& pauses, const std::string& name,
                                                        base::Progress progress) {
    const std::lock_guard lock(m_mutex);
    progress.report("Opening LibTorch", 0, 0);
    auto opened = open();
    if (!opened) {
        return std::move(opened).error();
    }
    progress.report("Tracing", 0, 0, name);
    return (*opened)->retrace(request, pauses, std::move(progress));
}

base::Result<std::vector<std::string>> SharedBackend::operatorSchemas() {
    const std::lock_guard lock(m_mutex);
    auto opened = open();
    if (!opened) {
        return std::move(opened).error();
    }
    return (*opened)->operatorSchemas();
}

base::Result<std::vector<CoverageRow>> SharedBackend::coverage() {
    const std::lock_guard lock(m_mutex);
    auto opened = open();
    if (!opened) {
        return std::move(opened).error();
    }
    return (*opened)->coverage();
}

std::set<std::string, std::less<>> SharedBackend::knownOperators() {
    const auto schemas = operatorSchemas();
    return schemas ? operatorNames(*schemas) : std::set<std::string, std::less<>>();
}

} // namespace aotscope::session
