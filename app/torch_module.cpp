#include "torch_module.h"

#include "engine_module.h"
#include "remote/remote_backend.h"

#include "base/log.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace aotscope::app {

namespace {

using BackendPtr = std::unique_ptr<session::Backend>;

/// Whether even the first module is opened in a child process.
bool isAlwaysInChild() {
    const char* engine = std::getenv("AOTSCOPE_ENGINE");
    return engine != nullptr && std::string_view(engine) == "child";
}

/// An engine with that module in a process of its own.
BackendPtr childWith(const std::filesystem::path& module) {
    std::error_code error;
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    return std::make_unique<remote::RemoteBackend>(
        remote::EngineProgram{executable.parent_path() / "aotscope-engine", {module.string()}});
}

/// A backend for each module that a call needs. Called by one thread at a time, like every backend, and by
/// others while a trace is paused: what was opened stays in its place.
class ReleaseBackends final : public session::Backend {
public:
    std::string description() const override {
        return m_first != nullptr ? m_first->description() : "LibTorch, opened by the first run or re-trace";
    }
    base::Result<session::RunSnapshot> run(const ir::Graph& graph, const session::RunOptions& options,
                                           base::Progress progress) override {
        auto backend = any();
        return backend ? (*backend)->run(graph, options, std::move(progress)) : std::move(backend).error();
    }
    base::Result<session::ReferenceSnapshot> compareWithReference(const ir::Graph& graph,
                                                                  const ir::Graph& against,
                                                                  const session::RunOptions& options,
                                                                  base::Progress progress) override {
        auto backend = any();
        return backend ? (*backend)->compareWithReference(graph, against, options, std::move(progress))
                       : std::move(backend).error();
    }
    base::Result<session::KernelCheck> checkKernels(const ir::Graph& graph,
                                                    const session::RunOptions& options,
                                                    base::Progress progress) override {
        auto backend = any();
        return backend ? (*backend)->checkKernels(graph, options, std::move(progress))
                       : std::move(backend).error();
    }
    base::Result<session::HookErrors> measureHooks(const session::HookErrorsRequest& request,
                                                   base::Progress progress) override {
        auto backend = any();
        return backend ? (*backend)->measureHooks(request, std::move(progress)) : std::move(backend).error();
    }
    base::Result<session::RerunResult> rerun(const session::RerunRequest& request,
                                             base::Progress progress) override {
        // A kernel's text that a person changed may do anything, so a process of its own runs it.
        const bool isChanged = request.kernel && !request.kernel->source.empty();
        auto backend = isChanged ? forChangedKernels() : any();
        return backend ? (*backend)->rerun(request, std::move(progress)) : std::move(backend).error();
    }
    base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                             const session::TracePauses& pauses,
                                             base::Progress progress) override {
        auto backend = of(request.torch);
        return backend ? (*backend)->retrace(request, pauses, std::move(progress))
                       : std::move(backend).error();
    }
    base::Result<steps::CallRecord> call(const session::CallRequest& request, const steps::StepPauses& pauses,
                                         base::Progress progress) override {
        auto backend = of(request.request.torch);
        return backend ? (*backend)->call(request, pauses, std::move(progress)) : std::move(backend).error();
    }
    std::vector<std::string> operatorSchemas() const override {
        auto backend = any();
        return backend ? (*backend)->operatorSchemas() : std::vector<std::string>();
    }
    std::vector<session::CoverageRow> coverage() const override {
        auto backend = any();
        return backend ? (*backend)->coverage() : std::vector<session::CoverageRow>();
    }

    /// The first one opened; if there is none, the program's own.
    base::Result<session::Backend*> any() const {
        return m_first != nullptr ? base::Result<session::Backend*>(m_first) : of({});
    }

private:
    /// The one whose LibTorch is of that release, as far as there is a module.
    base::Result<session::Backend*> of(std::optional<aot::TorchVersion> torch) const {
        auto path = findModule(torch);
        if (!path) {
            return std::move(path).error();
        }
        BackendPtr& backend = m_byModule[*path];
        if (!backend) {
            const bool isInChild = m_first != nullptr || isAlwaysInChild();
            auto opened = isInChild ? base::Result<BackendPtr>(childWith(*path)) : openModule(*path);
            if (!opened) {
                return std::move(opened).error();
            }
            backend = std::move(opened).value();
            m_first = m_first != nullptr ? m_first : backend.get();
            base::logInfo("aotscope.session",
                          path->string() + (isInChild ? " opens in a child process" : " opened"));
        }
        return backend.get();
    }

    base::Result<session::Backend*> forChangedKernels() {
        if (!m_forChangedKernels) {
            auto path = findModule({});
            if (!path) {
                return std::move(path).error();
            }
            m_forChangedKernels = childWith(*path);
        }
        return m_forChangedKernels.get();
    }

    BackendPtr m_forChangedKernels;
    /// Opened by const functions too: that is no change that a caller sees.
    mutable std::map<std::filesystem::path, BackendPtr> m_byModule;
    mutable session::Backend* m_first = nullptr;
};

/// With one module only there is nothing to choose, and its errors are told at once.
base::Result<BackendPtr> makeBackend() {
    auto backend = std::make_unique<ReleaseBackends>();
    if (!hasModuleOfARelease()) {
        if (auto opened = backend->any(); !opened) {
            return std::move(opened).error();
        }
    }
    return BackendPtr(std::move(backend));
}

} // namespace

session::BackendFactory torchBackendFactory() {
    return makeBackend;
}

} // namespace aotscope::app
