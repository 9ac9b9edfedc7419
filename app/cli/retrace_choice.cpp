#include "retrace_choice.h"

#include "selection.h"

#include <algorithm>

namespace aotscope::cli {

std::vector<RetraceChoice> retraceChoices(const std::vector<session::LogSnapshotPtr>& logs,
                                          const std::string& id) {
    std::vector<RetraceChoice> choices;
    const bool areGraphs =
        std::ranges::all_of(logs, [](const auto& log) { return log->traceLog == nullptr; });
    if (!id.empty() && !areGraphs) {
        const CompileChoice chosen = selectCompile(logs, id);
        choices.push_back({chosen.log, session::retraceTargets(*chosen.log, chosen.compile)});
        return choices;
    }
    for (const session::LogSnapshotPtr& log : logs) {
        auto targets = session::retraceTargets(*log);
        if (!id.empty()) {
            std::erase_if(targets, [&](const auto& target) { return target.name != id; });
        }
        choices.push_back({log, std::move(targets)});
    }
    return choices;
}

std::string titleOf(const RetraceChoice& choice, const session::RetraceTarget& target) {
    return choice.log->path.filename().string() + ":" + target.name;
}

std::string graphKind(const session::RetraceSnapshot& run) {
    if (run.target.logged) {
        const std::string& name = run.target.logged->artifact;
        const std::size_t slash = name.rfind('/');
        return name.substr(slash == std::string::npos ? 0 : slash + 1);
    }
    if (!run.result) {
        return {};
    }
    return run.result->path == aot::TracePath::Export ? "export" : run.result->joint ? "joint" : "inference";
}

void requireBackend(const session::RetraceSnapshot& snapshot) {
    if (snapshot.error &&
        (snapshot.error->code == "session.no_backend" || snapshot.error->code == "run.no_torch_module")) {
        throw Failure(ExitNo, *snapshot.error);
    }
}

Failure nothingToTrace() {
    return usageFailure("There is nothing to trace again: no Dynamo graph and no joint or inference graph.",
                        {"A log has one for each compile that Dynamo finished; see open."});
}

} // namespace aotscope::cli
