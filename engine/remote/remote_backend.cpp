#include "remote/remote_backend.h"

#include "remote/values.h"

#include "base/log.h"

#include <utility>

namespace aotscope::remote {

base::Result<std::shared_ptr<EngineProcess>> RemoteBackend::process() const {
    const std::lock_guard lock(m_mutex);
    if (!m_process || m_process->hasEnded()) {
        auto started = EngineProcess::start(m_program);
        if (!started) {
            return std::move(started).error();
        }
        m_process = std::move(started).value();
        base::logInfo("aotscope.remote", "engine started as process " + std::to_string(m_process->id()));
    }
    return m_process;
}

base::Result<std::string> RemoteBackend::ask(MessageKind kind, std::string body,
                                             const EngineProcess::OnPause& onPause,
                                             base::Progress progress) const {
    auto engine = process();
    return engine ? (*engine)->call(kind, std::move(body), onPause, std::move(progress))
                  : std::move(engine).error();
}

void RemoteBackend::endProcess() {
    // Calls that are still at work keep it until they end.
    std::shared_ptr<EngineProcess> ended;
    const std::lock_guard lock(m_mutex);
    ended.swap(m_process);
}

std::string RemoteBackend::description() const {
    const auto body = ask(MessageKind::Describe, {}, {}, {});
    const auto text = body ? decode<std::string>(*body) : body.error();
    return text ? *text + ", in a process of its own"
                : "an engine that cannot be used: " + text.error().message;
}

base::Result<session::RunSnapshot>
RemoteBackend::run(const ir::Graph& graph, const session::RunOptions& options, base::Progress progress) {
    // Not owned: it outlives the call.
    const ir::GraphPtr lent(ir::GraphPtr(), &graph);
    const auto body = ask(MessageKind::Run, encode(RunCall{lent, options}), {}, std::move(progress));
    return body ? decode<session::RunSnapshot>(*body, {lent}) : body.error();
}

base::Result<aot::RetraceResult> RemoteBackend::retrace(const aot::RetraceRequest& request,
                                                        const session::TracePauses& pauses,
                                                        base::Progress progress) {
    const KnownGraphs known{request.program};
    EngineProcess::OnPause onPause;
    if (pauses.wanted()) {
        onPause = [&](std::string_view body) -> base::Result<std::string> {
            auto pause = decode<session::TracePause>(body, known);
            return pause ? base::Result<std::string>(encode(pauses.onPause(std::move(pause).value())))
                         : std::move(pause).error();
        };
    }
    const RetraceCall asked{request, pauses.breakpoints, pauses.atStart, pauses.wanted()};
    const auto body = ask(MessageKind::Retrace, encode(asked), onPause, std::move(progress));
    return body ? decode<aot::RetraceResult>(*body, known) : body.error();
}

base::Result<session::ReferenceSnapshot>
RemoteBackend::compareWithReference(const ir::Graph& graph, const ir::Graph& against,
                                    const session::RunOptions& options, base::Progress progress) {
    const ir::GraphPtr lent(ir::GraphPtr(), &graph);
    const ir::GraphPtr lentReference(ir::GraphPtr(), &against);
    const auto body = ask(MessageKind::Reference, encode(ReferenceCall{lent, lentReference, options}), {},
                          std::move(progress));
    return body ? decode<session::ReferenceSnapshot>(*body, {lent}) : body.error();
}

base::Result<session::KernelCheck> RemoteBackend::checkKernels(const ir::Graph& graph,
                                                               const session::RunOptions& options,
                                                               base::Progress progress) {
    const ir::GraphPtr lent(ir::GraphPtr(), &graph);
    const auto body = ask(MessageKind::Kernels, encode(KernelsCall{lent, options}), {}, std::move(progress));
    return body ? decode<session::KernelCheck>(*body) : body.error();
}

base::Result<session::HookErrors> RemoteBackend::measureHooks(const session::HookErrorsRequest& request,
                                                              base::Progress progress) {
    EngineProcess::OnPause onPart;
    if (request.onPart) {
        onPart = [&](std::string_view body) -> base::Result<std::string> {
            auto part = decode<session::HookErrors>(body);
            if (!part) {
                return std::move(part).error();
            }
            request.onPart(std::move(part).value());
            return std::string();
        };
    }
    const HooksCall asked{request, request.onPart != nullptr};
    const auto body = ask(MessageKind::Hooks, encode(asked), onPart, std::move(progress));
    return body ? decode<session::HookErrors>(*body) : body.error();
}

base::Result<session::RerunResult> RemoteBackend::rerun(const session::RerunRequest& request,
                                                        base::Progress progress) {
    const auto body = ask(MessageKind::Rerun, encode(RerunCall{request}), {}, std::move(progress));
    return body ? decode<session::RerunResult>(*body) : body.error();
}

base::Result<steps::CallRecord> RemoteBackend::call(const session::CallRequest& request,
                                                    const steps::StepPauses& pauses,
                                                    base::Progress progress) {
    EngineProcess::OnPause onPause;
    if (pauses.wanted()) {
        onPause = [&](std::string_view body) -> base::Result<std::string> {
            auto pause = decode<steps::StepPause>(body);
            return pause ? base::Result<std::string>(encode(pauses.onPause(std::move(pause).value())))
                         : std::move(pause).error();
        };
    }
    const FunctionCall asked{
        request,         pauses.breakpoints,   pauses.atStart, pauses.atEnd, pauses.checkpointLimit,
        pauses.contents, pauses.byFusedKernel, pauses.wanted()};
    const auto body = ask(MessageKind::Call, encode(asked), onPause, std::move(progress));
    return body ? decode<steps::CallRecord>(*body) : body.error();
}

base::Result<std::vector<std::string>> RemoteBackend::operatorSchemas() const {
    const auto body = ask(MessageKind::Schemas, {}, {}, {});
    return body ? decode<std::vector<std::string>>(*body) : body.error();
}

base::Result<std::vector<session::CoverageRow>> RemoteBackend::coverage() const {
    const auto body = ask(MessageKind::Coverage, {}, {}, {});
    return body ? decode<std::vector<session::CoverageRow>>(*body) : body.error();
}

session::DeviceList RemoteBackend::devices() const {
    const auto body = ask(MessageKind::Devices, {}, {}, {});
    auto list = body ? decode<session::DeviceList>(*body) : body.error();
    if (!list) {
        session::DeviceList none;
        none.noGpu = list.error().message;
        return none;
    }
    return std::move(list).value();
}

} // namespace aotscope::remote
