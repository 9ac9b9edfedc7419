#include "runs/node_rerunner.h"

#include "contract/errors.h"
#include "files/reproducer.h"

#include <memory>
#include <utility>

namespace aotscope::session {

namespace {

/// Whether the request is wrong, so that there is nothing to reproduce.
bool isRefused(const base::Error& error) {
    return error.code.starts_with("rerun.") || error.code.starts_with("kernels.") ||
           error.code == "run.no_gpu" || error.code == "run.device_name";
}

} // namespace

base::Result<RerunSnapshotPtr> rerunNodes(Backend& backend, const GraphSnapshotPtr& graph,
                                          const std::string& title, const RerunNodes& command,
                                          const std::filesystem::path& reproducerFolder,
                                          const base::Progress& progress) {
    ReproducerFile file(reproducerFolder,
                        {.command = "rerun",
                         .origin = title,
                         .graph = graph->graph,
                         .options = command.run,
                         .rerun = RerunChoice{command.nodes, command.settings, command.kernel}});
    const RerunResultPtr baseline =
        command.baseline ? std::make_shared<const RerunResult>(*command.baseline) : nullptr;
    const RerunRequest request{graph->graph,   command.nodes,       command.run, command.settings,
                               command.kernel, command.keepOutputs, baseline};
    auto ran = orExceptionError("The rerun", [&] { return backend.answer(request, progress); });
    if (ran || base::isCanceled(ran.error()) || isRefused(ran.error())) {
        file.remove();
    } else {
        file.keep(ran.error());
    }
    if (!ran) {
        base::Error error = std::move(ran).error();
        noteReproducer(error, file);
        return error;
    }
    return std::make_shared<const RerunSnapshot>(
        RerunSnapshot{graph, command.settings, command.kernel,
                      std::make_shared<const RerunResult>(std::move(ran).value()), baseline});
}

} // namespace aotscope::session
