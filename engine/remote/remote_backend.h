#pragma once

#include "contract/backend.h"
#include "remote/engine_process.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace aotscope::remote {

/// A backend in a separate process, so that it can have another LibTorch than this process, and its crash is
/// an error. The process is started by the first call, and again by the first call after its end. Errors of
/// all calls, besides those of session::Backend: remote.no_program, remote.ended, remote.protocol,
/// remote.too_large.
class RemoteBackend final : public session::Backend {
public:
    explicit RemoteBackend(EngineProgram program) : m_program(std::move(program)) {}

    /// The engine's description, "LibTorch 2.11.0 (CPU), in a process of its own"; starts it.
    [[nodiscard]] std::string description() const override;
    [[nodiscard]] base::Result<session::RunSnapshot>
    run(const ir::Graph& graph, const session::RunOptions& options, base::Progress progress) override;
    [[nodiscard]] base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                                           const session::TracePauses& pauses,
                                                           base::Progress progress) override;
    [[nodiscard]] base::Result<session::KernelCheck> checkKernels(const ir::Graph& graph,
                                                                  const session::RunOptions& options,
                                                                  base::Progress progress) override;
    [[nodiscard]] base::Result<session::HookErrors> measureHooks(const session::HookErrorsRequest& request,
                                                                 base::Progress progress) override;
    [[nodiscard]] base::Result<session::RerunResult> rerun(const session::RerunRequest& request,
                                                           base::Progress progress) override;
    [[nodiscard]] base::Result<session::ReferenceSnapshot>
    compareWithReference(const ir::Graph& graph, const ir::Graph& against, const session::RunOptions& options,
                         base::Progress progress) override;
    [[nodiscard]] base::Result<steps::CallRecord> call(const session::CallRequest& request,
                                                       const steps::StepPauses& pauses,
                                                       base::Progress progress) override;
    /// Ends the process, if there is one; the next call starts another.
    void endProcess();

    [[nodiscard]] base::Result<std::vector<std::string>> operatorSchemas() const override;
    [[nodiscard]] base::Result<std::vector<session::CoverageRow>> coverage() const override;
    /// Without any device, and with the reason, if the engine cannot be started or ends.
    [[nodiscard]] session::DeviceList devices() const override;

    /// The process that the next call would use, started if there is none: for tests. Error:
    /// remote.no_program.
    [[nodiscard]] base::Result<std::shared_ptr<EngineProcess>> process() const;

private:
    [[nodiscard]] base::Result<std::string> ask(MessageKind kind, std::string body,
                                                const EngineProcess::OnPause& onPause,
                                                base::Progress progress) const;

    EngineProgram m_program;
    mutable std::mutex m_mutex;
    /// Started by const functions too: that is no change that a caller sees.
    mutable std::shared_ptr<EngineProcess> m_process;
};

} // namespace aotscope::remote
