#pragma once

#include "contract/backend.h"
#include "remote/engine_process.h"

#include <memory>
#include <mutex>
#include <utility>

namespace aotscope::remote {

/// A backend in a separate process, so that it can have another LibTorch than this process, and its crash is
/// an error. The process is started by the first call, and again by the first call after its end. Errors of
/// all calls, besides those of session::Backend: remote.no_program, remote.ended, remote.protocol,
/// remote.other_version, remote.too_large.
class RemoteBackend final : public session::Backend {
public:
    explicit RemoteBackend(EngineProgram program) : m_program(std::move(program)) {}

    /// Ends the process, if there is one; the next call starts another.
    void endProcess();
    /// The process that the next call would use, started if there is none: for tests. Error:
    /// remote.no_program.
    [[nodiscard]] base::Result<std::shared_ptr<EngineProcess>> process();

protected:
    void answerAny(const session::AnyCall& any, base::Progress progress) override;

private:
    EngineProgram m_program;
    std::mutex m_mutex;
    std::shared_ptr<EngineProcess> m_process;
};

} // namespace aotscope::remote
