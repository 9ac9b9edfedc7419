#include "retrace_choice.h"

namespace aotscope::cli {

std::string targetTitle(const TargetChoice& choice, const session::RetraceTarget& target) {
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
    return run.result->function.path == aot::TracePath::Export ? "export"
           : run.result->function.joint                        ? "joint"
                                                               : "inference";
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
