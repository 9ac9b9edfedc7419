#pragma once

#include "contract/backend.h"
#include "runs/graph_runner.h"
#include "runs/node_rerunner.h"

#include "base/progress.h"
#include "base/result.h"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

namespace aotscope::session {

/// A session's only backend. It is opened on first use and used by one caller at a time; a paused trace or
/// call lends it to others until the pause is answered. A waiting caller gives up when its progress requests
/// a stop. Thread-safe. Errors of all functions: those of the factory; session.no_backend; session.canceled.
class SharedBackend {
public:
    explicit SharedBackend(BackendFactory factory) : m_factory(std::move(factory)) {}

    /// Runs a parsed graph with runGraph or runForTimes.
    [[nodiscard]] base::Result<RunSnapshotPtr> run(GraphRunner runner, const GraphSnapshotPtr& graph,
                                                   const std::string& title, const RunOptions& options,
                                                   const std::filesystem::path& reproducerFolder,
                                                   base::Progress progress);
    /// Reruns nodes of a parsed graph with rerunNodes.
    [[nodiscard]] base::Result<RerunSnapshotPtr> rerun(const GraphSnapshotPtr& graph,
                                                       const std::string& title, const RerunNodes& command,
                                                       const std::filesystem::path& reproducerFolder,
                                                       base::Progress progress);
    /// Errors: also those of Backend::compareWithReference.
    [[nodiscard]] base::Result<ReferenceSnapshot> compareWithReference(const ir::Graph& graph,
                                                                       const ir::Graph& against,
                                                                       const RunOptions& options,
                                                                       base::Progress progress);
    /// Errors: also those of Backend::checkKernels.
    [[nodiscard]] base::Result<KernelCheck> checkKernels(const ir::Graph& graph, const RunOptions& options,
                                                         base::Progress progress);
    /// Errors: also those of Backend::measureHooks.
    [[nodiscard]] base::Result<HookErrors> measureHooks(const HookErrorsRequest& request,
                                                        base::Progress progress);
    /// `name` is shown in progress.
    [[nodiscard]] base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                                           TracePauses pauses, const std::string& name,
                                                           base::Progress progress);
    /// `name` is shown in progress; `description` receives the backend's.
    [[nodiscard]] base::Result<steps::CallRecord> call(const CallRequest& request, steps::StepPauses pauses,
                                                       const std::string& name, std::string& description,
                                                       base::Progress progress);
    /// Backend::description
    [[nodiscard]] base::Result<std::string> description(const std::stop_token& stop);
    [[nodiscard]] base::Result<std::vector<std::string>> operatorSchemas();
    [[nodiscard]] base::Result<std::vector<CoverageRow>> coverage();
    /// Backend::devices
    [[nodiscard]] base::Result<DeviceList> devices(const std::stop_token& stop = {});
    /// Names of the backend's operators, like operatorNames.
    [[nodiscard]] base::Result<std::set<std::string, std::less<>>> knownOperators();

private:
    /// Exclusive use of the backend, as an RAII lock.
    class Turn;
    /// A handler of pauses that lends the backend to others until the answer is there. It runs on the thread
    /// that holds the turn.
    template<typename Pause, typename Answer>
    static std::function<Answer(Pause)> lending(Turn& turn, std::function<Answer(Pause)> onPause,
                                                base::Progress progress, std::string stage);
    /// Only while the caller holds the turn.
    [[nodiscard]] base::Result<Backend*> open();
    /// Makes a call in its turn, on the opened backend.
    template<typename Call>
    auto inTurn(const std::stop_token& stop, Call&& call,
                const std::function<void(Turn&)>& beforeOpening = {}) -> std::invoke_result_t<Call, Backend&>;
    template<typename Call>
    auto inTurn(base::Progress& progress, Call&& call) -> std::invoke_result_t<Call, Backend&>;

    std::mutex m_mutex;
    std::condition_variable_any m_free;
    bool m_taken = false;
    /// Only accessed while holding the turn.
    BackendFactory m_factory;
    std::unique_ptr<Backend> m_backend;
};

} // namespace aotscope::session
